"""What only Linux has, and nothing of the core needs: said in one sentence where it is missing."""

from __future__ import annotations

import sys

from reachy_mind.errors import NotReady
from reachy_mind.system.portability import LINUX

HINT = "docs/platforms.md lists what works where"


def other_system() -> str:
    """The name of this system as people know it; empty on Linux."""
    names = {"darwin": "macOS", "win32": "Windows"}
    return "" if LINUX else names.get(sys.platform, sys.platform)


def require_linux(what: str) -> None:
    """Raises NotReady anywhere else. `what`: the beginning of the sentence, in the plural."""
    if name := other_system():
        raise NotReady(f"{what} need Linux; this is {name}", hint=HINT)
