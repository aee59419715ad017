"""The limit on open files: each device is one."""

from __future__ import annotations

from typing import Final

from reachy_mind import log
from reachy_mind.system.resource_limits import UNLIMITED, raise_to_most

SPARE: Final = 256
"""Files that are no connections."""
SMALL: Final = 10_000

_log = log.get(__name__)


def raise_limit() -> int:
    """As high as this process may; how many connections that leaves."""
    most = raise_to_most("RLIMIT_NOFILE")
    room = 1 << 30 if most is None or most == UNLIMITED else max(0, most - SPARE)
    if room < SMALL:
        _log.warning("few files may be open: each device needs one", devices=room, hint="ulimit -n 65536")
    return room
