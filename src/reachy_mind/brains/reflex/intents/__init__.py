"""From what the reader found to what to do: a stretch with its label and arguments becomes calls of tools.

Values are read in the sentence's language and brought into the tools' ranges; what is missing is taken from the turn
before, or asked for. A module for each subject, with rules by label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reachy_mind.brains.reflex import quantities
from reachy_mind.brains.reflex.intents import expressions, followups, lookups, movement, sensors, tasks, timers
from reachy_mind.brains.reflex.intents.clause import Clause, Parts, Rule, step
from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.brains.reflex.plan import Before, Part, Unknown
from reachy_mind.brains.reflex.reader import Found

RULES: dict[str, Rule] = {}
for _module in (movement, expressions, sensors, timers, lookups, tasks, followups):
    RULES.update(_module.RULES)


def meaning(
    found: Found, language: str, before: Sequence[Before], whole: str, earlier: Sequence[Before] = ()
) -> Sequence[Part]:
    """What to do about a stretch that asks for something. Talk has its own answers, in `small_talk`."""
    rule = RULES.get(found.label, _plainly)
    parts = rule(Clause(found, language, before, whole, earlier))
    return parts if parts is not None else (Unknown(found.said),)


def _plainly(clause: Clause) -> Parts:
    """A tool without arguments, or one of somebody's own, whose arguments are the words themselves."""
    args: dict[str, Any] = {}
    for name in clause.found.spans:
        words = clause.words(name)
        value = quantities.number(words, clause.language)
        args[name] = plain(value) if value is not None and len(words.split()) <= 2 else words
    return step(clause.found.label, args)
