"""Programs that we start and that start others: apart from Ctrl-C, and ended with all that they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any

import psutil

from reachy_mind.system.portability import portable

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def own_group() -> dict[str, Any]:
    """Keywords for what starts a process that Ctrl-C in the terminal must not reach: we end it in order."""
    if os.name == "posix":
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def end_group(pid: int, *, force: bool = False) -> None:
    """Ask a process that was started with `own_group`, and all that it started, to end; `force`: kill them.

    Without groups of processes its children are found by their parent, which fails for those whose parent is gone.
    Windows knows no asking: there both kill.
    """
    if hasattr(os, "killpg") and not portable():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, _KILL if force else signal.SIGTERM)
        return
    with contextlib.suppress(psutil.Error):
        first = psutil.Process(pid)
        for each in (*first.children(recursive=True), first):
            with contextlib.suppress(psutil.Error):
                each.kill() if force else each.terminate()
