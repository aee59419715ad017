"""Parts of the robot that are not built yet, and tools that wait for them with the schema they will have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from reachy_mind.tools.definition import TierName, Tool, not_ready, tool

EYES = "my eyes are not built yet: there is no part that takes camera pictures and looks at them"
WORKSHOP = "my workshop is not built yet: there is no part that writes and tries out new tools"


def waiting(
    until: str, *, group: str, tier: TierName, timeout_s: float = 30.0, moves: bool = False, read_only: bool = False
) -> Callable[[Callable[..., Awaitable[Any]]], Tool]:
    """Make a tool of a signature and its docstring; until its part is there, calls of it are told `until`."""

    def made(signature: Callable[..., Awaitable[Any]]) -> Tool:
        whole = tool(group=group, tier=tier, timeout_s=timeout_s, moves=moves, read_only=read_only)(signature)
        return not_ready(whole, until)

    return made
