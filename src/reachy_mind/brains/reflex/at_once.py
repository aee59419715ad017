"""Conditions on what is there now: "if somebody is there, wave, otherwise look around".

The robot looks, then does one thing or the other. A standing rule ("whenever ...") needs a program: not read here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reachy_mind.brains.brain import ToolCall
from reachy_mind.brains.reflex import condition_clauses
from reachy_mind.brains.reflex.conditions import saw
from reachy_mind.brains.reflex.perceived import Perceived
from reachy_mind.brains.reflex.plan import Condition, Part, Plan, Step
from reachy_mind.eyes.object_names import PEOPLE

Understand = Callable[[str], Plan]


def at_once(text: str, understand: Understand) -> Plan | None:
    """The plan of a request whose condition is decided by one look; None for any other request."""
    language = understand(text).language
    clause = condition_clauses.split(text, language)
    if clause is None or clause.standing or clause.what.kind == "heard":
        return None
    then, otherwise = _steps(clause.action, understand), _steps(clause.otherwise, understand)
    if not then or (clause.otherwise and not otherwise):
        return None
    condition = Condition(text.strip(), _test(clause.what), then, otherwise)
    return Plan((_look(clause.what), condition), language)


def _steps(words: str, understand: Understand) -> tuple[Part, ...]:
    """What to do; nothing when any of it is not understood."""
    made = understand(words) if words else Plan()
    return made.parts if made.steps and made.understood else ()


def _look(what: Perceived) -> Step:
    if what.thing.name == PEOPLE:
        return Step("detect_faces", quiet=True)
    return Step("detect_objects", {"names": [what.thing.name]}, quiet=True)


def _test(what: Perceived) -> Callable[[str, Sequence[ToolCall]], bool | None]:
    def test(_said: str, calls: Sequence[ToolCall]) -> bool | None:
        looked = next((call for call in reversed(calls) if call.name in ("detect_faces", "detect_objects")), None)
        if looked is None or looked.outcome.status != "ok":
            return None
        return _there(looked, what) == (what.kind == "seen")

    return test


def _there(looked: ToolCall, what: Perceived) -> bool:
    if not what.thing.colour:
        return saw(looked)
    data = looked.outcome.data if isinstance(looked.outcome.data, dict) else {}
    return any(isinstance(seen, dict) and seen.get("colour") == what.thing.colour for seen in data.get("objects", ()))
