"""`PermissionsFile`: changes the tier of one tool in `permissions.yaml` and keeps the owner's comments and rules.

A rule for exactly this tool gets the new tier; otherwise a new rule goes first, because the first match wins. `stop`
and the tools that change permissions and settings can't be changed here, only by editing the file.
"""

from __future__ import annotations

import asyncio
from typing import Any

import yaml

from reachy_mind.errors import ConfigError
from reachy_mind.storage.files import write_text_atomically
from reachy_mind.tools.decisions import Decisions
from reachy_mind.tools.definition import Tier, Tool, ToolError
from reachy_mind.tools.permissions import ALWAYS_CONFIRMED, STOP, Permissions, parse
from reachy_mind.tools.registry import Registry

HINT = "change it in the file itself"


class PermissionsFile:
    """Edits the file of `permissions`, one change at a time."""

    def __init__(self, permissions: Permissions, registry: Registry) -> None:
        self._permissions, self._registry = permissions, registry
        self._decisions = Decisions(registry, permissions)
        self._lock = asyncio.Lock()

    async def set(self, name: str, tier: Tier | None, reason: str = "") -> dict[str, Any]:
        """Set the tier of a tool; None removes its own rule. Takes effect at the next call.

        Raises UnknownTool, ToolError for a tier that is fixed, ConfigError when the file can't be changed.
        """
        tool, _ = self._registry.find(name)
        if tool.qualified in (STOP, *ALWAYS_CONFIRMED):
            denied = f"the tier of {tool.name} can't be changed here"
            raise ToolError("PERMISSION_DENIED", denied, hint="a stop is never refused, and this one asks a person")
        async with self._lock:
            await asyncio.to_thread(self._write, tool, tier, " ".join(reason.split()))
            decision = self._decisions.tool(tool)
        return {"tool": tool.qualified, "tier": decision.tier.label, "reason": decision.reason}

    def _write(self, tool: Tool, tier: Tier | None, reason: str) -> None:
        file = self._permissions.file
        if file is None:
            raise ConfigError("these permissions have no file", hint="start with a data folder")
        before, mode = self._permissions.text()
        after = edit_rule(before, tool.qualified, tier, reason, str(file))
        if tier is not None and not self._takes_effect(after, tool, tier):  # an earlier rule matches first
            after = edit_rule(before, tool.qualified, None, "", str(file))
            after = edit_rule(after, tool.qualified, tier, reason, str(file))
        parse(after, str(file))
        write_text_atomically(file, after, mode=mode)
        self._permissions.adopt(after)

    def _takes_effect(self, text: str, tool: Tool, tier: Tier) -> bool:
        trial = Permissions()
        trial.rules = parse(text, "")
        return trial.decide_tier(tool, self._registry.other_names(tool)).tier is tier


def edit_rule(text: str, name: str, tier: Tier | None, reason: str, source: str) -> str:
    """The file's text with the rule for `name` changed, added first or, without a tier, removed.

    Raises ConfigError for a file that can't be parsed, or a rule that can't be removed from its line.
    """
    parse(text, source)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    rules: Any = next((value for key, value in root.value if key.value == "rules"), None) if root is not None else None
    items = rules.value if isinstance(rules, yaml.SequenceNode) else []
    own = next((item for item in items if _value(item, "pattern").value in _spellings(name)), None)
    if tier is None:
        return text if own is None else _remove_rule(text, own, rules, source)
    if own is not None:
        there = _value(own, "tier")
        return text[: there.start_mark.index] + tier.label + text[there.end_mark.index :]
    suffix = f", reason: {_quoted(reason)}" if reason else ""
    rule = f"{{pattern: {name}, tier: {tier.label}{suffix}}}"
    if not items:
        return _add_first_rule(text, rules, rule)
    at = items[0].start_mark.index
    if rules.flow_style:
        return f"{text[:at]}{rule}, {text[at:]}"
    dash = text.rindex("-", 0, at)
    return f"{text[:dash]}- {rule}\n{' ' * rules.start_mark.column}{text[dash:]}"


def _add_first_rule(text: str, rules: Any, rule: str) -> str:
    """Add a rule to a file without rules."""
    if rules is None:
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}rules:\n  - {rule}\n"
    return f"{text[: rules.start_mark.index]}[{rule}]{text[rules.end_mark.index :]}"


def _remove_rule(text: str, rule: Any, rules: Any, source: str) -> str:
    """Remove a rule: from a flow list with its comma, from a block list with its lines."""
    items, at = rules.value, rules.value.index(rule)
    if rules.flow_style:
        first = rule.start_mark.index if at == 0 else items[at - 1].end_mark.index
        last = items[at + 1].start_mark.index if at == 0 and len(items) > 1 else rule.end_mark.index
        return text[:first] + text[last:]
    start = text.rfind("\n", 0, rule.start_mark.index) + 1
    end = text.find("\n", _last(rule).end_mark.index if not rule.flow_style else rule.end_mark.index)
    end = len(text) if end < 0 else end + 1
    if text[start : rule.start_mark.index].strip() != "-":
        line = rule.start_mark.line + 1
        raise ConfigError(f"{source}:{line}: the rule shares its line with others", hint=HINT)
    if len(items) == 1:  # a list without entries would be no list
        key = text.rindex("rules", 0, start)
        colon = text.index(":", key) + 1
        return f"{text[:colon]} []{text[colon:start]}{text[end:]}"
    return text[:start] + text[end:]


def _last(node: Any) -> Any:
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return node


def _value(rule: Any, name: str) -> yaml.Node:
    node: yaml.Node = next(value for key, value in rule.value if key.value == name)
    return node


def _spellings(name: str) -> tuple[str, ...]:
    group, _, rest = name.partition(".")
    return name, f"mcp__{group}__{rest}"


def _quoted(text: str) -> str:
    return "'" + "".join(each for each in text if each.isprintable()).replace("'", "''")[:200] + "'"
