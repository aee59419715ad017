"""Whether the ways of one system may be used, or only those that every system has."""

from __future__ import annotations

import os
import sys

VARIABLE = "REACHY_MIND_PORTABLE"
"""Set to 1, it takes the portable ways. It is no setting: it says how this program runs, not what the robot does."""
LINUX = sys.platform == "linux"


def portable() -> bool:
    """Whether only the portable ways are wanted. Processes that this one starts inherit it."""
    return os.environ.get(VARIABLE, "") not in ("", "0")
