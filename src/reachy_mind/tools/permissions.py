"""`Permissions`: decides the permission tier of a tool, by the rules in `permissions.yaml`.

    rules:
      - pattern: robot.*            # glob on the qualified name; mcp__robot__nod means robot.nod
        tier: autonomous            # or 1; notify 2, confirm 3, forbidden 4
        reason: it may move         # optional

The first matching rule wins. Without one, a built-in tool has the tier it declares, as has a generated one, of which a
person approved the version in use; any other needs confirmation. `stop` can't be denied or raised. Tools that change
rules or settings, or approve code, always need confirmation. A file that can't be parsed, or that others could have
written, is refused as a whole, with the reason; the rules in force stay.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.storage.files import read_own_file
from reachy_mind.tools.definition import CLIENT, GENERATED, Tier, Tool

STOP = "robot.stop"
ALWAYS_CONFIRMED = frozenset({"mind.set_permission", "mind.change_setting", "workshop.approve_tool"})
"""Tools that need confirmation whatever the rules say: each of them could undo every other rule, or let in code."""
KEYS = {"pattern", "tier", "reason"}


@dataclass(frozen=True)
class Rule:
    pattern: str
    tier: Tier
    reason: str = ""
    line: int = 0


@dataclass(frozen=True)
class TierDecision:
    """A tier, the reason for it, and the rule that decided, if it was one."""

    tier: Tier
    reason: str
    rule: Rule | None = None


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
        self._had_file = False
        if file is not None and (found := read_own_file(file)) is not None:
            self.adopt(found[0])

    def reload(self) -> None:
        """Read the file again. Raises ConfigError with the reason, and keeps the old rules; also when it is gone."""
        if (found := self._read_again()) is not None:
            self.adopt(found[0])

    def text(self) -> tuple[str, int]:
        """The text and mode of the file, to change it. Raises ConfigError as `reload` does."""
        return self._read_again() or ("", 0o600)

    def _read_again(self) -> tuple[str, int] | None:
        """The file as it is now; None when there is none, as before. Raises ConfigError."""
        if self.file is None:
            return None
        try:
            found = read_own_file(self.file)
            if found is None and self._had_file:
                raise ConfigError(f"{self.file} is gone", hint="put it back; a file without rules removes them all")
            parse(found[0] if found else "", str(self.file))
        except ConfigError as error:
            raise ConfigError(f"{error.message}; {self._kept}", hint=error.hint) from error
        return found

    def adopt(self, text: str) -> None:
        """Put the rules of the file's text in force. Raises ConfigError, and keeps the old rules."""
        self.rules, self._had_file = parse(text, str(self.file)), True

    def trouble(self) -> str:
        """Why the file can't be used any more, while its last rules are in force; empty when it can."""
        try:
            self._read_again()
        except ConfigError as error:
            return error.message
        return ""

    @property
    def _kept(self) -> str:
        many = f"the {len(self.rules)} rules" if len(self.rules) != 1 else "the rule"
        return f"{many} read before stay in force" if self.rules else "no rules are in force, as before"

    def decide_tier(self, tool: Tool, also: Sequence[str] = ()) -> TierDecision:
        """The tier of a tool by its own names, without its acts (`Decisions`); `also` lists its other names."""
        names: tuple[str, ...] = (tool.qualified,)
        if not tool.remote:  # a remote server picks any names: `nod` in a rule does not mean its nod
            names += (tool.name, *also, *(f"{tool.group}.{name}" for name in also))
        if tool.qualified == STOP and tool.source == "built-in":
            return TierDecision(Tier.AUTONOMOUS, "a stop is never refused")
        found = self.match(names) or _declared(tool)
        if tool.qualified in ALWAYS_CONFIRMED and tool.source == "built-in" and found.tier < Tier.CONFIRM:
            return TierDecision(Tier.CONFIRM, "a person is always asked")
        return found

    def match(self, names: Sequence[str]) -> TierDecision | None:
        """The first rule that matches one of these names; None without one."""
        for rule in self.rules:
            if any(fnmatch.fnmatchcase(name, qualified(rule.pattern)) for name in names):
                why = rule.reason or f"rule {rule.pattern!r}"
                return TierDecision(rule.tier, f"{why} (line {rule.line})" if rule.line else why, rule)
        return None


def _declared(tool: Tool) -> TierDecision:
    """The tier of a tool without a rule."""
    if tool.source == "built-in" and tool.tier is not None:
        return TierDecision(tool.tier, "as it declares")
    if tool.source == GENERATED and tool.tier is not None:
        return TierDecision(tool.tier, "a person approved it")
    if tool.source == CLIENT and tool.tier is not None:
        return TierDecision(tool.tier, "the program that declared it runs it itself")
    return TierDecision(Tier.CONFIRM, "no rule, and not one of our own tools")


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
