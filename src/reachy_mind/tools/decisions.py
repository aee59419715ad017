"""`Decisions`: the permission tier of a tool, an act or a call: the strictest of the rules for everything that happens.

The tool's own names have a tier in any case: a rule, or what the tool declares. An act counts only where a rule is
about it. Ties keep the tool's own reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from reachy_mind.tools.act_table import acts_of
from reachy_mind.tools.acts import Act, ActRequest
from reachy_mind.tools.context import Caller, Parts
from reachy_mind.tools.definition import Tier, Tool
from reachy_mind.tools.permissions import STOP, Permissions, TierDecision
from reachy_mind.tools.registry import Registry


@dataclass(frozen=True)
class PossibleAct:
    """An act that a tool may perform, with the rule about it; `when` is empty if it always does."""

    what: str
    when: str
    tier_name: str
    reason: str

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


class Decisions:
    """Decides by the rules as they are now. Without `parts` nothing is known about the robot."""

    def __init__(self, registry: Registry, permissions: Permissions, parts: Parts | None = None) -> None:
        self._registry, self.permissions, self._parts = registry, permissions, parts

    def own(self, tool: Tool) -> TierDecision:
        """The tier that a tool has by its own names."""
        return self.permissions.decide_tier(tool, self._registry.other_names(tool))

    def tool(self, tool: Tool) -> TierDecision:
        """The tier of every call of a tool: of its names, and of the acts that it always performs."""
        return self.strictest(tool, acts_of(tool).always)

    async def call(self, tool: Tool, arguments: Mapping[str, Any], caller: Caller) -> TierDecision:
        """The tier of one call."""
        return await self.with_meaning(tool, arguments, caller, await self.performed(tool, arguments, caller))

    async def with_meaning(
        self, tool: Tool, arguments: Mapping[str, Any], caller: Caller, acts: Iterable[Act]
    ) -> TierDecision:
        """The strictest of a tool's tier, the rules about some acts, and the tier of what the call amounts to."""
        decision = self.strictest(tool, acts)
        if tool.amounts_to is None or self._parts is None:
            return decision
        name = await tool.amounts_to(self._parts, caller, dict(arguments))
        if not name:
            return decision
        other, _ = self._registry.find(name)
        found = self.tool(other)
        if found.tier <= decision.tier:
            return decision
        return TierDecision(found.tier, f"it amounts to {other.name}, {found.reason}", found.rule)

    async def performed(self, tool: Tool, arguments: Mapping[str, Any], caller: Caller) -> frozenset[Act]:
        """The acts of one call, as the robot is now."""
        entry, parts = acts_of(tool), self._parts
        motion, repertoire = (parts.motion, parts.repertoire) if parts is not None else (None, None)
        request = ActRequest(arguments, motion, repertoire, by_brain=caller.kind == "brain")
        return await asyncio.to_thread(entry.performed, request) if entry.reads_files else entry.performed(request)

    def act(self, act: Act) -> TierDecision | None:
        """The rule about an act; None without one."""
        if not self.permissions.rules:
            return None
        found = self.permissions.match([spelling for name in act.names for spelling in self._spellings(name)])
        if found is None or found.rule is None:
            return None
        rule = found.rule
        named = f"{act.what}, rule {rule.pattern!r} (line {rule.line})"
        return TierDecision(found.tier, f"{named}: {rule.reason}" if rule.reason else named, rule)

    def acts(self, acts: Iterable[Act]) -> TierDecision:
        """The strictest of the rules about some acts; autonomous without one."""
        return self._stricter(TierDecision(Tier.AUTONOMOUS, "no rule"), acts)

    def free(self, *acts: Act) -> bool:
        """Whether acts happen without a person's yes."""
        return self.acts(acts).tier < Tier.CONFIRM

    def allowed(self, acts: Iterable[Act]) -> bool:
        """Whether acts may happen at all, with a person's yes or without."""
        return self.acts(acts).tier < Tier.FORBIDDEN

    def possible(self, tool: Tool) -> list[PossibleAct]:
        """Every act that a tool performs or may perform for which there is a rule."""
        entry = acts_of(tool)
        listed = [("", act) for act in entry.always]
        listed += [(condition.when, act) for condition in entry.perhaps for act in condition.may]
        decided = [(act, when, self.act(act)) for when, act in listed if tool.qualified != STOP]
        return [PossibleAct(act.what, when, found.tier.label, found.reason) for act, when, found in decided if found]

    def strictest(self, tool: Tool, acts: Iterable[Act]) -> TierDecision:
        """The strictest of a tool's own tier and the rules about some acts."""
        decision = self.own(tool)
        if tool.qualified == STOP and tool.source == "built-in":
            return decision
        return self._stricter(decision, acts)

    def _stricter(self, decision: TierDecision, acts: Iterable[Act]) -> TierDecision:
        for found in map(self.act, sorted(acts, key=lambda act: act.what)):
            if found is not None and found.tier > decision.tier:
                decision = found
        return decision

    def _spellings(self, name: str) -> Iterable[str]:
        """All names of a built-in tool that a rule may use."""
        group, _, bare = name.partition(".")
        others = self._registry.aliases_of(bare)
        return (name, bare, *others, *(f"{group}.{other}" for other in others))
