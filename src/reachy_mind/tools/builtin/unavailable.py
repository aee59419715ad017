"""Tools whose part of the robot is not built yet: they have their final schema, and every call fails with NotReady."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from reachy_mind.tools.definition import TierName, Tool, not_ready, tool

WORKSHOP = "my workshop is not built yet: there is no part that writes and tries out new tools"


def unavailable_tool(
    reason: str, *, group: str, tier: TierName, timeout_s: float = 30.0, moves: bool = False, read_only: bool = False
) -> Callable[[Callable[..., Awaitable[Any]]], Tool]:
    """Make a tool from a signature and its docstring. Calls of it fail with `reason`."""

    def decorate(signature: Callable[..., Awaitable[Any]]) -> Tool:
        whole = tool(group=group, tier=tier, timeout_s=timeout_s, moves=moves, read_only=read_only)(signature)
        return not_ready(whole, reason)

    return decorate
