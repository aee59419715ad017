"""`GateRequest`: one tool call on its way through the gate, with its permission decision and checked arguments."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Any

from reachy_mind import log
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.acts import Act
from reachy_mind.tools.context import Caller, Report, TuningAccess
from reachy_mind.tools.definition import Alias, Tier, Tool
from reachy_mind.tools.permissions import TierDecision
from reachy_mind.tools.result_limits import plain

MAX_NAME_CHARS = 100

_log = log.get(__name__)


@dataclass
class GateRequest:
    """One call. `stops` is the number of stops counted before it arrived."""

    name: str
    given: Any
    caller: Caller
    call_id: str
    depth: int
    stops: int
    report: Report | None = None
    serving: Tool | None = None
    """The tool that serves it, instead of the registered one."""
    started_at: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 -- a trial replaces it
    decision: TierDecision = field(default_factory=lambda: TierDecision(Tier.CONFIRM, ""))
    tool: Tool | None = None
    plain_arguments: dict[str, Any] = field(default_factory=dict)
    """The arguments as plain values, for people, the audit and events."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """The validated arguments, for the tool."""
    learned: dict[str, Any] = field(default_factory=dict)
    """Values that a person taught, for parameters that the caller did not give."""
    background: bool = False
    permitted: set[Act] = field(default_factory=set)
    """Acts that were allowed while it ran."""

    @property
    def tool_name(self) -> str:
        """The tool's qualified name; else the requested one, if it has the form of a name and not of a sentence."""
        if self.tool:
            return self.tool.qualified
        return self.name if re.fullmatch(rf"[\w.:-]{{1,{MAX_NAME_CHARS}}}", self.name, re.ASCII) else "unknown"

    @property
    def tier(self) -> int:
        return int(self.decision.tier)

    def learn(self, tuning: TuningAccess | None, given: dict[str, Any]) -> None:
        """Add what the person taught. Only to calls of a brain in a turn: a program's calls are done as they are."""
        if tuning is None or self.tool is None or self.caller.kind != "brain" or self.depth:
            return
        learned = tuning.learned(self.tool.name, given, self.caller.person)
        if not learned:
            return
        try:
            self.tool.check(given | learned)
        except InvalidParameter as error:  # what was learned must not make a good call fail
            _log.warning("learned values do not fit", tool=self.tool.name, reason=error.message)
            return
        self.learned = learned
        self.plain_arguments |= plain(learned)

    def bind(self, tool: Tool, alias: Alias | None) -> dict[str, Any]:
        """Set the tool, and return the given arguments under its own parameter names. Raises InvalidParameter."""
        self.tool = tool
        if not isinstance(self.given, dict):
            raise InvalidParameter(f"{tool.name}: arguments are a JSON object", hint="such as {}")
        wanted = alias.translated(self.given) if alias else dict(self.given)
        self.plain_arguments = plain(wanted)
        if tool.supports_background and "background" not in tool.schema.get("properties", {}):
            flag = wanted.pop("background", False)
            if not isinstance(flag, bool):
                raise InvalidParameter("background is true or false", hint="leave it out")
            self.background = flag
        return wanted
