"""What a rule is, and rules that are one pattern.

Patterns match all of a clause, whose words are parted by single spaces. Short forms in them: `<the>` is any article or
possessive or none, `<number>` a number, `<span>` a length of time, `<rest>` the words from there on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reachy_mind.brains.clauses import Clause
from reachy_mind.brains.plan import Part, Setting
from reachy_mind.brains.tokens import Spoken

Answer = Sequence[Part] | Part | None
Rule = Callable[[Clause, Setting], Answer]
Found = Callable[["Match"], Answer]

_SHORT = {
    "<the>": r"(?:(?:the|a|an|your|my|our|this|that|some|any|these|those|his|her) )?",
    "<number>": r"(-?\d+(?:\.\d+)?)",
    "<span>": r"((?:\d+(?:\.\d+)? (?:seconds|minutes|hours|days)(?: and | , | )?){1,4}(?<! ))",
    "<rest>": r"(\S.*)",
}


def _in_full(expression: str) -> str:
    for short, long in _SHORT.items():
        expression = expression.replace(short, long)
    return expression


class Match:
    """A pattern's match in a clause."""

    def __init__(self, found: re.Match[str], said: Spoken, setting: Setting) -> None:
        self._found, self.said, self.setting = found, said, setting

    def __getitem__(self, group: int | str) -> str:
        """The words of a group, as they are compared."""
        return self._found[group] or ""

    @property
    def groups(self) -> dict[str, str]:
        """The named groups that matched something."""
        return {name: words for name, words in self._found.groupdict().items() if words}

    def as_said(self, group: int | str) -> str:
        """The words of a group, as they were said."""
        start, end = self._found.span(group)
        return self.said.as_said(start, end) if start >= 0 else ""


class Rulebook:
    """Rules in the order they are tried."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def pattern(self, *expressions: str, full: bool = False) -> Callable[[Found], Found]:
        """A rule for clauses that match. `full`: with the clause's end, for what is passed on word for word."""
        compiled = [re.compile(_in_full(expression)) for expression in expressions]

        def kept(function: Found) -> Found:
            def rule(clause: Clause, setting: Setting) -> Answer:
                said = clause.full if full else clause.core
                for expression in compiled:
                    if found := expression.fullmatch(said.text):
                        return function(Match(found, said, setting))
                return None

            self.rules.append(rule)
            return function

        return kept

    def rule(self, function: Rule) -> Rule:
        self.rules.append(function)
        return function
