"""The limit on open files: each device is one."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

from reachy_mind import log

SPARE: Final = 256
"""Files that are no connections."""
SMALL: Final = 10_000

_log = log.get(__name__)


def raise_limit() -> int:
    """As high as this process may; how many connections that leaves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):  # an unlimited one may not be taken as a number
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    room = max(0, soft - SPARE) if soft != resource.RLIM_INFINITY else 1 << 30
    if room < SMALL:
        _log.warning("few files may be open: each device needs one", devices=room, hint="ulimit -n 65536")
    return room
