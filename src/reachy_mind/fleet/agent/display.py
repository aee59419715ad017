"""A display, for devices that have one: which state it is in, and what it says.

A panel is another `DisplayDriver`; the one that is here writes lines to the terminal where the agent runs.
"""

from __future__ import annotations

import sys
from typing import Protocol, TextIO

from reachy_mind.config.device_settings import DeviceSettings


class DisplayDriver(Protocol):
    """Shows a line for the state, and one for what is said. Returns at once."""

    def show(self, state: str, text: str) -> None: ...
    def close(self) -> None: ...


class ConsoleDisplay:
    """A line in the terminal for each change."""

    def __init__(self, file: TextIO = sys.stderr) -> None:
        self._file = file
        self._shown = ("", "")

    def show(self, state: str, text: str) -> None:
        if (state, text) != self._shown:
            self._shown = (state, text)
            print(f"[{state}] {text}".rstrip(), file=self._file, flush=True)

    def close(self) -> None: ...


class NoDisplay:
    """For devices without one."""

    def show(self, state: str, text: str) -> None: ...
    def close(self) -> None: ...


def open_display(settings: DeviceSettings) -> DisplayDriver:
    return ConsoleDisplay() if settings.display == "console" else NoDisplay()
