"""`Understanding`: from a sentence to a plan.

The reader finds what is said, the planner makes steps of it. Where the reader is sure, they are done; where it is half
sure, they are asked about; the rest is left to a brain that thinks, or is said not to be understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reachy_mind.brains.reflex.plan import Before, Guess, Part, Pause, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex.planner import planned
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.replacements import Replacement, replacement
from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.encoder import Array

LONGEST = 2000
"""Characters of a sentence."""
ACT, ASK, CLEAR, PLAIN = 0.45, 0.12, 0.8, 0.7
"""How sure it must be to do something, to ask whether it was meant, to take a condition for none, and to take words
for a request in place of the last one."""
SURE = dict.fromkeys(spaced("set_motor_mode sleep forget_memory rollback_tool cancel_timer task_cancel"), 0.55)
"""What is not easily undone takes more."""

_CODE = re.compile(r"\brm -|\bsudo\b|&&|\$[({]|`|;\s*--|\bdrop table\b|{{|</?[a-z_]+>|\|\s*(?:ba)?sh\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"^\W*(?:if|whenever|when (?:i|he|she|someone|somebody|anyone|it|the|my)|as soon as|each time|every (?:time|day"
    r"|hour|morning|evening|\w+ (?:minutes|hours))|until)\b",
    re.IGNORECASE,
)
_CAN_YOU_HEAR = re.compile(
    r",? (?:if|as long as) you (?:can )?(?:hear|see|understand|are listening to) me\b"
    r"|,? si tu m'(?:entends|\u00e9coutes)\b|,? si me (?:oyes|escuchas|entiendes)\b"
    r"|,? wenn du mich (?:h\u00f6rst|verstehst)\b",
    re.IGNORECASE,
)
"""A condition that holds when there is anything to be read."""
_TODAY = re.compile(
    r"\b(?:day|date)\b.*\b(?:today|is it)\W*$|\bjour\b.*\baujourd'hui\W*$"
    r"|\bd[i\u00ed]a es hoy\W*$|\btag\b.*\bheute\W*$",
    re.IGNORECASE,
)
_NEVER_REPLACING = frozenset(SURE) | frozenset(
    spaced("create_tool store_memory update_user_profile search_memories get_user_profile search_web")
)
"""What "no, ..." alone does not ask for: "no, the dog sleeps" is a remark."""


class Understanding:
    """Plans for sentences."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def plan(self, text: str, before: Sequence[Before] = ()) -> Plan:
        """What to do about a sentence, given the calls of the turn before. Never raises."""
        if len(text) > LONGEST:
            return Plan((Unknown(text[:80], "too_much"),))
        text = _CAN_YOU_HEAR.sub("", text) or text
        reading = self._reader.read(text, before)
        parts = tuple(map(_of_today, planned(reading, text, before)))
        if any(isinstance(part, Step) for part in parts):
            if _CODE.search(text):  # written for a machine, not said to a robot
                parts = (Talk("@danger", text),)
            elif reading.sure < CLEAR and _CONDITION.search(text):
                parts = (Step("create_tool", {"description": text.strip()}),)
        made = _as_sure(Plan(parts, reading.language), reading.sure)
        found = replacement(text)
        if found is None or not (found.explicit or (before and _is_open(made))):
            return made
        return self._replaced(found, before) or made

    def embedding(self, text: str) -> Array | None:
        """See `Reader.embedding`."""
        return self._reader.embedding(text)

    def _replaced(self, found: Replacement, before: Sequence[Before]) -> Plan | None:
        """What was asked for instead of the last action; None when the words for it say nothing by themselves."""
        request = found.request
        if found.other:
            return _with_steps(self.plan(request, before))
        if self._reader.read(request).sure < PLAIN:
            return None
        again = self.plan(request)
        done = {each.tool for each in before}
        if any(step.tool == "move_head" for step in again.steps):  # a direction may be one of the last action
            same = self.plan(request, before)
            again = same if same.steps and done.issuperset(step.tool for step in same.steps) else again
        alone = all(isinstance(part, Step | Pause) for part in again.parts)
        if not found.explicit and (not alone or not _NEVER_REPLACING.isdisjoint(step.tool for step in again.steps)):
            return None
        return _with_steps(again)


def _is_open(made: Plan) -> bool:
    """Whether nothing is done, and no fact is corrected."""
    return not made.steps and not any(isinstance(part, Talk) and part.kind == "@correct" for part in made.parts)


def _with_steps(made: Plan) -> Plan | None:
    return made if made.steps else None


def _of_today(part: Part) -> Part:
    """A question for today's date is one for the clock."""
    if isinstance(part, Talk) and part.kind == "@calendar" and _TODAY.search(part.said):
        return Step("get_time", {}, part.said)
    return part


def _as_sure(made: Plan, sure: float) -> Plan:
    """The plan, or a question whether it is meant, or neither."""
    made = replace(made, sure=sure)
    if not made.steps or sure >= max(SURE.get(step.tool, ACT) for step in made.steps):
        return made
    if sure >= ASK:
        return replace(made, parts=(Guess(made.steps),))
    return replace(made, parts=(Unknown(""),))
