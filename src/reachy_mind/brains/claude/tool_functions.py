"""`ToolFunctions`: the tools of one turn by their MCP names (`mcp__robot__nod`); each call goes through the gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reachy_mind.brains.brain import Called, ToolCall, Turn
from reachy_mind.brains.injection_guard import InjectionGuard
from reachy_mind.errors import InvalidParameter
from reachy_mind.models import plain_text
from reachy_mind.tools.definition import Outcome, Tool
from reachy_mind.tools.registry import UnknownTool
from reachy_mind.tools.result_limits import plain, text

LONGEST_RESULT = 8000


def mcp_name(tool: Tool) -> str:
    """The name Claude calls the tool by."""
    return f"mcp__{tool.group}__{tool.name}"


def usable_tools(turn: Turn) -> list[Tool]:
    """The tools that can be used in this turn."""
    return [tool for tool in turn.tools if not tool.not_ready_reason]


class ToolFunctions:
    """Calls tools for Claude and passes each call to `on_call`. `untrusted_sources`: see `InjectionGuard`."""

    def __init__(
        self, turn: Turn, on_call: Callable[[Called], None], untrusted_sources: list[str] | None = None
    ) -> None:
        self._turn, self._on_call = turn, on_call
        self._tools = {mcp_name(tool): tool for tool in usable_tools(turn)}
        self._guard = InjectionGuard(turn, untrusted_sources)
        self.called = False

    def refusal(self, name: str) -> str:
        """Why a tool of this name can't be called in this turn; empty when it can."""
        return "" if name in self._tools else f"there is no tool {name[:80]!r}"

    async def call(self, name: str, arguments: Any) -> tuple[str, bool]:
        """Call a tool. Returns its outcome, fenced as data, and whether it failed."""
        self.called = True
        tool = self._tools.get(name)
        args = dict(arguments) if isinstance(arguments, dict) else {}
        if tool is None:
            error = UnknownTool(f"there is no tool {name[:80]!r}", hint="use one that was offered").as_dict()
            outcome = Outcome("error", error=error)
        elif not isinstance(arguments, dict):
            outcome = Outcome("error", error=InvalidParameter("arguments are a JSON object").as_dict())
        else:
            outcome = self._guard.refusal(tool) or await self._turn.call(tool.qualified, args)
            self._guard.record_result(tool)
        self._on_call(Called(ToolCall(tool.name if tool else name, args, outcome)))
        result = {"status": outcome.status, "data": outcome.data, "error": outcome.error}
        result_text = text(plain({key: value for key, value in result.items() if value is not None}))
        return plain_text.fenced("result", result_text, LONGEST_RESULT), outcome.status in ("error", "denied")
