"""A worker: locks itself down, says which layers hold, waits for one job, runs it, ends."""

from __future__ import annotations

import os
import traceback
from typing import Any

from . import channel, lockdown, privileges, runtime, temp_paths


def main(socket: int, plan: dict[str, Any], parent: int) -> None:
    """Never returns."""
    try:
        privileges.die_with_parent(parent)
        _serve(socket, plan)
    finally:
        os._exit(1)


def _serve(socket: int, plan: dict[str, Any]) -> None:
    try:
        layers = lockdown.lock_down(socket, plan)
        os.environ["HOME"] = plan["folder"]
        if not plan["namespaces"]:
            temp_paths.redirect(plan["folder"], plan["readable"])
        channel.connect()
    except Exception:  # noqa: BLE001  (told to the host, which sends no code then)
        channel.connect(socket)
        channel.send({"type": "ready", "layers": {}, "error": traceback.format_exc(limit=-3)})
        return
    channel.send({"type": "ready", "layers": layers})
    runtime.run(channel.receive(), plan["output_bytes"])
