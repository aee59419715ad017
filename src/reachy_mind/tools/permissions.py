"""`Permissions`: decides the permission tier of a tool, by the rules in `permissions.yaml`.

    rules:
      - pattern: robot.*            # glob on the qualified name; mcp__robot__nod means robot.nod
        tier: autonomous            # or 1; notify 2, confirm 3, forbidden 4
        reason: it may move         # optional

The first matching rule wins. Without one, a built-in tool has the tier it declares, and any other needs confirmation.
`stop` can't be denied or raised. Tools that change rules or settings always need confirmation. A file that can't be
parsed is refused as a whole, with the line and the reason.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.storage.files import read_user_file
from reachy_mind.tools.definition import Tier, Tool

STOP = "robot.stop"
ALWAYS_CONFIRMED = frozenset({"mind.set_permission", "mind.change_setting"})
"""Tools that need confirmation whatever the rules say: each of them could undo every other rule."""
KEYS = {"pattern", "tier", "reason"}


@dataclass(frozen=True)
class Rule:
    pattern: str
    tier: Tier
    reason: str = ""
    line: int = 0


@dataclass(frozen=True)
class TierDecision:
    """The tier of a tool, and the reason for it."""

    tier: Tier
    reason: str


def qualified(name: str) -> str:
    """The canonical form of a tool name: `mcp__robot__nod` is `robot.nod`."""
    if name.startswith("mcp__"):
        group, _, rest = name.removeprefix("mcp__").partition("__")
        return f"{group}.{rest}" if rest else name
    return name


class Permissions:
    """The rules in force. `reload` reads a changed file, or keeps the old rules and raises."""

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self.rules: tuple[Rule, ...] = ()
        self.reload()

    def reload(self) -> None:
        """Read the file again. Raises ConfigError with line and reason, and keeps the old rules."""
        if self.file is not None:
            self.rules = read(self.file)

    def decide_tier(self, tool: Tool, also: Sequence[str] = ()) -> TierDecision:
        """The tier of a tool. Rules may use any of its names; `also` lists its aliases."""
        names: tuple[str, ...] = (tool.qualified,)
        if not tool.remote:  # a remote server picks any names: `nod` in a rule does not mean its nod
            names += (tool.name, *also, *(f"{tool.group}.{name}" for name in also))
        if tool.qualified == STOP and tool.source == "built-in":
            return TierDecision(Tier.AUTONOMOUS, "a stop is never refused")
        found = self._match_rules(tool, names)
        if tool.qualified in ALWAYS_CONFIRMED and tool.source == "built-in" and found.tier < Tier.CONFIRM:
            return TierDecision(Tier.CONFIRM, "a person is always asked")
        return found

    def _match_rules(self, tool: Tool, names: Sequence[str]) -> TierDecision:
        for rule in self.rules:
            if any(fnmatch.fnmatchcase(name, qualified(rule.pattern)) for name in names):
                why = rule.reason or f"rule {rule.pattern!r}"
                return TierDecision(rule.tier, f"{why} (line {rule.line})" if rule.line else why)
        if tool.source == "built-in" and tool.tier is not None:
            return TierDecision(tool.tier, "as it declares")
        return TierDecision(Tier.CONFIRM, "no rule, and not one of our own tools")


def read(file: Path) -> tuple[Rule, ...]:
    """The rules in a file; none when the file does not exist."""
    return parse(read_user_file(file)[0], str(file))


def parse(text: str, source: str) -> tuple[Rule, ...]:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{source}{line}: not YAML: {getattr(error, 'problem', error)}") from error
    if root is None:
        return ()
    content = _mapping(root, source)
    for key in content:
        if key != "rules":
            raise _wrong(source, content[key], f"unknown key {key!r}", "there is only 'rules'")
    rules = content.get("rules")
    if rules is None:
        return ()
    if not isinstance(rules, yaml.SequenceNode):
        raise _wrong(source, rules, "'rules' is not a list", "rules start with '- pattern: ...'")
    return tuple(_rule(node, source) for node in rules.value)


def _rule(node: yaml.Node, source: str) -> Rule:
    entry = _mapping(node, source)
    if unknown := entry.keys() - KEYS:
        raise _wrong(source, entry[min(unknown)], f"unknown key {min(unknown)!r}", "a rule has pattern, tier, reason")
    for needed in ("pattern", "tier"):
        if needed not in entry:
            raise _wrong(source, node, f"a rule without {needed}", "a rule has pattern, tier and perhaps reason")
    pattern = _text(entry["pattern"], source)
    if not pattern or any(ord(character) < 33 for character in pattern):
        raise _wrong(source, entry["pattern"], f"{pattern!r} is no pattern", "such as robot.* or memory.forget_memory")
    try:
        tier = tier_of(_text(entry["tier"], source))
    except InvalidParameter as error:
        raise _wrong(source, entry["tier"], error.message, error.hint) from None
    reason = _text(entry["reason"], source) if "reason" in entry else ""
    return Rule(pattern, tier, reason[:200], node.start_mark.line + 1)


def tier_of(text: str) -> Tier:
    """A tier by name or number. Raises InvalidParameter."""
    try:
        return Tier(int(text)) if text.isdigit() else Tier[text.upper()]
    except (KeyError, ValueError):
        hint = "autonomous (1), notify (2), confirm (3) or forbidden (4)"
        raise InvalidParameter(f"{text[:40]!r} is no tier", hint=hint) from None


def _mapping(node: Any, source: str) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(source, node, "not a list of 'key: value' lines", "see the guide on permissions")
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = _text(key, source)
        if name in found:
            raise _wrong(source, key, f"{name!r} twice", "leave out one of them")
        found[name] = value
    return found


def _text(node: Any, source: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise _wrong(source, node, "a list where a word should be", "one value")
    return str(node.value)


def _wrong(source: str, node: yaml.Node, what: str, hint: str) -> ConfigError:
    return ConfigError(f"{source}:{node.start_mark.line + 1}: {what}", hint=hint)
