"""`uuid7`: ids of messages, which sort by the time they were made (RFC 9562); in a process, in the order of calls."""

from __future__ import annotations

import secrets
import threading
import time

_lock = threading.Lock()
_last = 0
"""Milliseconds and a counter of 12 bits, as one number: it only grows, also when the clock is set back."""


def uuid7() -> str:
    """A UUID of version 7."""
    global _last  # noqa: PLW0603 -- the order is one of the whole process
    with _lock:
        _last = max(int(time.time() * 1000) << 12, _last + 1)
        stamp, counter = _last >> 12, _last & 0xFFF
    number = (stamp & ((1 << 48) - 1)) << 80 | 0x7 << 76 | counter << 64 | 0b10 << 62 | secrets.randbits(62)
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
