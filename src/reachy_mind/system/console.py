"""Standard output and errors in UTF-8, also where the system's own encoding can't write what people are called."""

from __future__ import annotations

import io
import sys


def use_utf8() -> None:
    """Windows gives pipes and files the encoding of its old programs; a terminal has UTF-8 everywhere."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="replace")
