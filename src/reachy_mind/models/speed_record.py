"""How quick a model is on this machine: measured once, and kept in a file."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from reachy_mind.storage.files import write_atomically


@dataclass(frozen=True)
class SpeedRecord:
    """`cpu_share`: seconds of a processor core for a second of what the model works on."""

    machine: str
    cpu_share: float


def measured_once(file: Path, runtime: str, measure: Callable[[], float]) -> float:
    """What `measure` gives, or gave on this machine before: another processor or `runtime` is another machine."""
    known = known_share(file, runtime)
    if known is not None:
        return known
    record = SpeedRecord(_machine(runtime), measure())
    with suppress(OSError):  # a folder that can't be written: it is measured again at the next start
        write_atomically(file, json.dumps(asdict(record)).encode())
    return record.cpu_share


def known_share(file: Path, runtime: str) -> float | None:
    """What was measured on this machine; None when nothing was."""
    with suppress(OSError, ValueError, TypeError):
        known = SpeedRecord(**json.loads(file.read_text(encoding="utf-8")))
        if known.machine == _machine(runtime):
            return known.cpu_share
    return None


def _machine(runtime: str) -> str:
    return f"{platform.machine()}, {_processor()}, {os.cpu_count()} cores, {runtime}"


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
