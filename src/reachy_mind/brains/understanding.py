"""`Understanding`: from a sentence to a plan, by the trained reader and the grammar together.

The reader knows what people mean; the grammar knows exactly what a plain English sentence says. Where both say the
same, or the reader is sure, it is done; where it is half sure, it is asked about; the rest is left to a brain that
thinks, or is said not to be understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reachy_mind.brains import corrections, grammar, recall
from reachy_mind.brains.phrases import spaced
from reachy_mind.brains.plan import Before, Guess, Plan, Step, Talk, Unknown
from reachy_mind.brains.planning import planned
from reachy_mind.brains.reading.reader import Reader
from reachy_mind.brains.sights import in_steps, looked_for

ACT, ASK, CLEAR = 0.45, 0.12, 0.8
"""How sure it must be to do something, to ask whether it was meant, and to take a condition for none."""
SHORT = 2
"""Words of a sentence for which the grammar's word counts."""
SURE = dict.fromkeys(spaced("set_motor_mode sleep forget_memory rollback_tool cancel_timer task_cancel"), 0.55)
"""What is not easily undone takes more."""

_CODE = re.compile(r"\brm -|\bsudo\b|&&|\$[({]|`|;\s*--|\bdrop table\b|{{|</?[a-z_]+>|\|\s*(?:ba)?sh\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"^\W*(?:if|whenever|when (?:i|he|she|someone|somebody|anyone|it|the|my)|as soon as|each time|every (?:time|day"
    r"|hour|morning|evening|\w+ (?:minutes|hours))|until)\b",
    re.IGNORECASE,
)


class Understanding:
    """Plans for sentences."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def plan(self, text: str, before: Sequence[Before] = ()) -> Plan:
        """What to do about a sentence, given the calls of the turn before. Never raises."""
        if len(text) > grammar.LONGEST:
            return Plan((Unknown(text[:80], "too_much"),))
        reading = self._reader.read(text, before)
        parts = tuple(planned(reading, text, before))
        if any(isinstance(part, Step) for part in parts):
            if _CODE.search(text):  # written for a machine, not said to a robot
                parts = (Talk("@danger", text),)
            elif reading.sure < CLEAR and _CONDITION.search(text):
                parts = (Step("create_tool", {"description": text.strip()}),)
        read = Plan(parts, reading.language)
        ruled = grammar.plan(text, before)
        if ruled.steps and ruled.understood and len(text.split()) <= SHORT:
            return ruled  # "less", "head up": few words, and a rule for just these
        chosen = recall.instead(self._chosen(read, reading.sure, ruled), text)
        chosen = in_steps(looked_for(text, chosen, ruled, before) or chosen)
        if not chosen.steps and (wanted := corrections.instead(text)) and (other := self.plan(wanted, before)).steps:
            return other  # what was taken back is only worth a word when nothing is wanted in its place
        return chosen

    @staticmethod
    def _chosen(read: Plan, sure: float, ruled: Plan) -> Plan:
        same = [step.tool for step in read.steps] == [step.tool for step in ruled.steps]
        agreed = same and ruled.understood
        if agreed or not read.steps or sure >= max(SURE.get(step.tool, ACT) for step in read.steps):
            return read
        if sure >= ASK:
            return Plan((Guess(read.steps),), read.language)
        return Plan((Unknown(""),), read.language)
