"""`Request`: one call on its way through the gate, and what is found out about it there."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.context import Caller, Report
from reachy_mind.tools.definition import Alias, Tier, Tool
from reachy_mind.tools.output import plain
from reachy_mind.tools.permissions import Verdict

LONGEST_NAME = 100


@dataclass
class Request:
    """Who asks for what. `stops`: how many stops there had been when it came."""

    name: str
    given: Any
    caller: Caller
    call_id: str
    depth: int
    stops: int
    report: Report | None = None
    began: float = field(default_factory=time.monotonic)
    verdict: Verdict = field(default_factory=lambda: Verdict(Tier.CONFIRM, ""))
    tool: Tool | None = None
    asked: dict[str, Any] = field(default_factory=dict)
    """The arguments in plain values, for people, the audit and events."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments as they were checked, for the tool."""
    background: bool = False

    @property
    def about(self) -> str:
        """The tool's qualified name, or what it was called by when there is none of that name."""
        return self.tool.qualified if self.tool else self.name[:LONGEST_NAME]

    @property
    def tier(self) -> int:
        return int(self.verdict.tier)

    def read(self, tool: Tool, alias: Alias | None) -> dict[str, Any]:
        """The arguments as they were given, under the tool's own names. Raises InvalidParameter."""
        self.tool = tool
        if not isinstance(self.given, dict):
            raise InvalidParameter(f"{tool.name}: arguments are a JSON object", hint="such as {}")
        wanted = alias.translated(self.given) if alias else dict(self.given)
        self.asked = plain(wanted)
        if tool.supports_background and "background" not in tool.schema.get("properties", {}):
            flag = wanted.pop("background", False)
            if not isinstance(flag, bool):
                raise InvalidParameter("background is true or false", hint="leave it out")
            self.background = flag
        return wanted
