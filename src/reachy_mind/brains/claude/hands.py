"""`Hands`: the tools of one turn as Claude knows them, `mcp__robot__nod`; every call goes through the turn's gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reachy_mind.brains.thought import Call, Called, Turn
from reachy_mind.brains.trust import Trust
from reachy_mind.errors import InvalidParameter
from reachy_mind.models import plaintext
from reachy_mind.tools.definition import Outcome, Tool
from reachy_mind.tools.output import plain, text
from reachy_mind.tools.registry import UnknownTool

MOST_TOLD = 8000


def label(tool: Tool) -> str:
    """The name by which Claude calls it."""
    return f"mcp__{tool.group}__{tool.name}"


def offered(turn: Turn) -> list[Tool]:
    """What can be used in this turn."""
    return [tool for tool in turn.tools if not tool.wait]


class Hands:
    """Calls tools for Claude, tells `thought` of each, and has words about how it went. `outside`: see `Trust`."""

    def __init__(self, turn: Turn, thought: Callable[[Called], None], outside: list[str] | None = None) -> None:
        self._turn, self._thought = turn, thought
        self._tools = {label(tool): tool for tool in offered(turn)}
        self._trust = Trust(turn, outside)
        self.used = False

    def refusal(self, name: str) -> str:
        """Why a tool of this name is no tool of the turn; empty when it is one."""
        return "" if name in self._tools else f"there is no tool {name[:80]!r}"

    async def use(self, name: str, given: Any) -> tuple[str, bool]:
        """How it went, as marked data, and whether it went wrong."""
        self.used = True
        tool = self._tools.get(name)
        args = dict(given) if isinstance(given, dict) else {}
        if tool is None:
            error = UnknownTool(f"there is no tool {name[:80]!r}", hint="use one that was offered").as_dict()
            outcome = Outcome("error", error=error)
        elif not isinstance(given, dict):
            outcome = Outcome("error", error=InvalidParameter("arguments are a JSON object").as_dict())
        else:
            outcome = self._trust.refusal(tool) or await self._turn.call(tool.qualified, args)
            self._trust.took(tool)
        self._thought(Called(Call(tool.name if tool else name, args, outcome)))
        told = {"status": outcome.status, "data": outcome.data, "error": outcome.error}
        shown = text(plain({key: value for key, value in told.items() if value is not None}))
        return plaintext.fenced("result", shown, MOST_TOLD), outcome.status in ("error", "denied")
