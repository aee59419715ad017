"""`Understanding`: from a sentence to a plan.

The reader finds what is said, the planner makes steps of it. Where the reader is sure, they are done; where it is half
sure, they are asked about; the rest is left to a brain that thinks, or is said not to be understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reachy_mind.brains.reflex.plan import Before, Guess, Part, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex.planner import planned
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.encoder import Array

LONGEST = 2000
"""Characters of a sentence."""
ACT, ASK, CLEAR = 0.45, 0.12, 0.8
"""How sure it must be to do something, to ask whether it was meant, and to take a condition for none."""
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
_CORRECTED = re.compile(
    r"\W*(?:that'?s|that is|that was|it'?s|it was|you(?:'re| are| got| did)?|no|nope|wrong|not|c'est|ce n'est"
    r"|tu t'es|faux|eso|est[aá]|mal|das|falsch|nein|nicht)\b[^,.;!:]*[,.;!:]+\s*"
    r"((?:i (?:said|meant|asked for|wanted|told you)|j'ai dit|je voulais|dije|he dicho|quer[ií]a|ich (?:sagte|meinte"
    r"|wollte))\b.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A complaint about the last action, and what was asked for: "that's wrong, I said down"."""


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
        if before and not made.steps and (corrected := _CORRECTED.match(text)):
            return self._corrected(corrected[1].rstrip(" .!"), before) or made
        return made

    def embedding(self, text: str) -> Array | None:
        """See `Reader.embedding`."""
        return self._reader.embedding(text)

    def _corrected(self, said: str, before: Sequence[Before]) -> Plan | None:
        """What was asked for instead of the last action. Half sure is enough for the same tool once more."""
        again = self.plan(said, before)
        guessed = next((part.steps for part in again.parts if isinstance(part, Guess)), ())
        if guessed and {step.tool for step in guessed} <= {each.tool for each in before}:
            return Plan(guessed, again.language)
        return again if again.steps else None


def _of_today(part: Part) -> Part:
    """A question for today's date is one for the clock."""
    if isinstance(part, Talk) and part.kind == "@calendar" and _TODAY.search(part.said):
        return Step("get_time", {}, part.said)
    return part


def _as_sure(made: Plan, sure: float) -> Plan:
    """The plan, or a question whether it is meant, or neither."""
    if not made.steps or sure >= max(SURE.get(step.tool, ACT) for step in made.steps):
        return made
    if sure >= ASK:
        return Plan((Guess(made.steps),), made.language)
    return Plan((Unknown(""),), made.language)
