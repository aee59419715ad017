"""Names of files that every system takes: what is made here may be copied to another machine."""

from __future__ import annotations

from typing import Final

_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(10)))
)


def is_device(name: str) -> bool:
    """Whether Windows takes this name, with any ending, for a device instead of a file."""
    return name.partition(".")[0].rstrip().casefold() in _DEVICES
