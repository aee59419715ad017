"""`Rulebook`: one tool's tier changed in `permissions.yaml`, and not a word more: the owner's comments and rules stay.

A rule about exactly this tool is given the new tier; else one is put before all others, for the first match wins.
`stop` can't be changed, nor who may change permissions and settings: that takes a hand on the file itself.
"""

from __future__ import annotations

import asyncio
from typing import Any

import yaml

from reachy_mind.errors import ConfigError
from reachy_mind.files import owned, replaced
from reachy_mind.tools.definition import Tier, Tool, ToolError
from reachy_mind.tools.permissions import ASKING, STOP, Permissions, parse
from reachy_mind.tools.registry import Registry

HINT = "change it in the file itself"


class Rulebook:
    """The file behind some permissions. Changes come one after the other."""

    def __init__(self, permissions: Permissions, registry: Registry) -> None:
        self._permissions, self._registry = permissions, registry
        self._turn = asyncio.Lock()

    async def set(self, name: str, tier: Tier | None, reason: str = "") -> dict[str, Any]:
        """Give a tool a tier; None takes away the rule about it alone. It holds from the next call on.

        Raises UnknownTool, ToolError for what must stay as it is, ConfigError when the file can't be changed.
        """
        tool, _ = self._registry.find(name)
        if tool.qualified in (STOP, *ASKING):
            denied = f"the tier of {tool.name} can't be changed here"
            raise ToolError("PERMISSION_DENIED", denied, hint="a stop is never refused, and this one asks a person")
        async with self._turn:
            await asyncio.to_thread(self._write, tool, tier, " ".join(reason.split()))
            verdict = self._permissions.verdict(tool, self._registry.other_names(tool))
        return {"tool": tool.qualified, "tier": verdict.tier.label, "reason": verdict.reason}

    def _write(self, tool: Tool, tier: Tier | None, reason: str) -> None:
        file = self._permissions.file
        if file is None:
            raise ConfigError("these permissions have no file", hint="start with a data folder")
        before, mode = owned(file)
        after = changed(before, tool.qualified, tier, reason, str(file))
        if tier is not None and not self._counts(after, tool, tier):  # another rule comes before it
            after = changed(before, tool.qualified, None, "", str(file))
            after = changed(after, tool.qualified, tier, reason, str(file))
        rules = parse(after, str(file))
        replaced(file, after, mode=mode)
        self._permissions.rules = rules

    def _counts(self, text: str, tool: Tool, tier: Tier) -> bool:
        trial = Permissions()
        trial.rules = parse(text, "")
        return trial.verdict(tool, self._registry.other_names(tool)).tier is tier


def changed(text: str, name: str, tier: Tier | None, reason: str, source: str) -> str:
    """The text of a file with the rule about `name` changed, added (first) or, without a tier, taken away.

    Raises ConfigError for a file that can't be understood, or a rule that stands where it can't be taken out.
    """
    parse(text, source)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    rules: Any = next((value for key, value in root.value if key.value == "rules"), None) if root is not None else None
    items = rules.value if isinstance(rules, yaml.SequenceNode) else []
    own = next((item for item in items if _about(item, "pattern").value in _spellings(name)), None)
    if tier is None:
        return text if own is None else _without(text, own, rules, source)
    if own is not None:
        there = _about(own, "tier")
        return text[: there.start_mark.index] + tier.label + text[there.end_mark.index :]
    told = f", reason: {_quoted(reason)}" if reason else ""
    rule = f"{{pattern: {name}, tier: {tier.label}{told}}}"
    if not items:
        return _begun(text, rules, rule)
    at = items[0].start_mark.index
    if rules.flow_style:
        return f"{text[:at]}{rule}, {text[at:]}"
    dash = text.rindex("-", 0, at)
    return f"{text[:dash]}- {rule}\n{' ' * rules.start_mark.column}{text[dash:]}"


def _begun(text: str, rules: Any, rule: str) -> str:
    """The first rule of a file that has none."""
    if rules is None:
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}rules:\n  - {rule}\n"
    return f"{text[: rules.start_mark.index]}[{rule}]{text[rules.end_mark.index :]}"


def _without(text: str, rule: Any, rules: Any, source: str) -> str:
    """A rule of a list in brackets goes with its comma, another with its lines."""
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
        raise ConfigError(f"{source}:{line}: the rule stands in a line with others", hint=HINT)
    if len(items) == 1:  # a list without entries would be no list
        key = text.rindex("rules", 0, start)
        colon = text.index(":", key) + 1
        return f"{text[:colon]} []{text[colon:start]}{text[end:]}"
    return text[:start] + text[end:]


def _last(node: Any) -> Any:
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return node


def _about(rule: Any, name: str) -> yaml.Node:
    node: yaml.Node = next(value for key, value in rule.value if key.value == name)
    return node


def _spellings(name: str) -> tuple[str, ...]:
    group, _, rest = name.partition(".")
    return name, f"mcp__{group}__{rest}"


def _quoted(text: str) -> str:
    return "'" + "".join(each for each in text if each.isprintable()).replace("'", "''")[:200] + "'"
