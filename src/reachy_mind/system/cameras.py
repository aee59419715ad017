"""The cameras of macOS and Windows, by name; Linux tells them in its file system (`body.media.webcam`).

OpenCV opens a camera by a number and the interface that counts it. An address has both: `0@1200`.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

ANY_INTERFACE = 0
_ADDRESS = re.compile(r"(\d{1,3})@(\d{1,5})")
_SYSFS = Path("/sys/class")


def in_file_system() -> bool:
    """Whether the system lists its devices as files."""
    return _SYSFS.is_dir()


def named_cameras() -> list[tuple[str, str]]:
    """Name and address of each camera; none without the extra `media`, which can name them."""
    try:
        enumeration: Any = importlib.import_module("cv2_enumerate_cameras")
        found = list(enumeration.enumerate_cameras())
    except (ImportError, OSError, RuntimeError):
        return []
    interface = found[0].backend if found else ANY_INTERFACE  # Windows lists each camera once for each interface
    return [(each.name, address(each.index, each.backend)) for each in found if each.backend == interface]


def address(number: int, interface: int = ANY_INTERFACE) -> str:
    return f"{number}@{interface}"


def number_and_interface(device: str) -> tuple[int, int] | None:
    """What an address says; None for any other name of a device."""
    found = _ADDRESS.fullmatch(device)
    return (int(found[1]), int(found[2])) if found else None
