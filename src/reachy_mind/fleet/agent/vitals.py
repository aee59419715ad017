"""How the machine is: temperature, memory, uptime, battery. Read from the kernel's files, where it has them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

SYS: Final = Path("/sys")
PROC: Final = Path("/proc")


class MachineVitals:
    """`read` takes less than a millisecond."""

    def __init__(self, sys: Path = SYS, proc: Path = PROC) -> None:
        self._sys, self._proc = sys, proc
        self._began = time.monotonic()

    def read(self) -> Mapping[str, Any]:
        """For a heartbeat; what this machine does not have is not in it."""
        found = {
            "temperature_c": self._temperature(),
            "battery_percent": self._battery(),
            "memory_percent": self._memory(),
            "uptime_s": round(time.monotonic() - self._began),
        }
        return {name: value for name, value in found.items() if value is not None}

    def _temperature(self) -> float | None:
        """Of the hottest part, in °C."""
        zones = sorted((self._sys / "class/thermal").glob("thermal_zone*/temp"))
        measured = [value / 1000 for zone in zones if (value := _number(zone)) is not None]
        likely = [value for value in measured if -40 <= value <= 150]
        return round(max(likely), 1) if likely else None

    def _battery(self) -> float | None:
        for supply in sorted((self._sys / "class/power_supply").glob("*")):
            value = _number(supply / "capacity")
            if value is not None and 0 <= value <= 100:
                return value
        return None

    def _memory(self) -> float | None:
        """How much of the machine's memory is in use."""
        try:
            lines = (self._proc / "meminfo").read_text(encoding="ascii").splitlines()
            sizes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines) if rest}
            return round(100 * (1 - sizes["MemAvailable"] / sizes["MemTotal"]), 1)
        except (OSError, ValueError, LookupError, ZeroDivisionError):
            return None


def _number(file: Path) -> float | None:
    try:
        return float(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
