"""`FrameReader`: frames as OpenCV has them: rows of blue, green, red."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class FrameReader:
    """The robot's camera. A frame is None when there is none now: it is off, or lost."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def read(self) -> Any:
        """A new frame, height x width x 3, or None."""
        return self._call("media.get_frame")

    get_frame = read

    @property
    def resolution(self) -> tuple[int, int]:
        """Width and height of its frames."""
        width, height = self._call("media.get_resolution")
        return int(width), int(height)

    @property
    def framerate(self) -> int:
        """Frames a second that can be expected."""
        return 30

    def open(self) -> None:
        """No effect: the host opens the camera when a frame is wanted."""

    def close(self) -> None:
        """No effect: the host closes the camera when no frame is wanted."""
