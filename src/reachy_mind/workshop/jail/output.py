"""What code prints becomes messages to the host, a line at a time, up to the budget."""

from __future__ import annotations

import io
import logging
import sys

from . import channel

PIECE = 4096
"""Characters that are sent without waiting for the end of the line."""
CUT = "\n[output cut]\n"


class LoggedOutput(io.TextIOBase):
    """Standard output and standard error. Both share one budget."""

    encoding = "utf-8"
    errors = "replace"
    _left = 0

    def __init__(self) -> None:
        super().__init__()
        self._held = ""

    @classmethod
    def limit(cls, size: int) -> None:
        cls._left = size

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._held += text
        end = self._held.rfind("\n") + 1
        if end or len(self._held) > PIECE:
            end = end or len(self._held)
            piece, self._held = self._held[:end], self._held[end:]
            self._send(piece)
        return len(text)

    def flush(self) -> None:
        piece, self._held = self._held, ""
        if piece:
            self._send(piece)

    @classmethod
    def _send(cls, piece: str) -> None:
        if cls._left <= 0:
            return
        size = len(piece.encode("utf-8", "replace"))
        if size > cls._left:
            piece = piece.encode("utf-8", "replace")[: cls._left].decode("utf-8", "ignore") + CUT
        cls._left -= size
        for start in range(0, len(piece), 65536):
            channel.log(piece[start : start + 65536])


def capture(limit: int) -> None:
    """Send what is printed and logged from now on."""
    LoggedOutput.limit(limit)
    sys.stdout = LoggedOutput()
    sys.stderr = LoggedOutput()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, LoggedOutput):
            stream.flush()
