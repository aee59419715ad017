"""How much sense words make, by the plan for them: to choose among words that sound alike."""

from __future__ import annotations

from reachy_mind.brains.brain import Sense
from reachy_mind.brains.reflex.plan import Condition, Guess, Part, Plan, Step, Talk, Unknown

OPEN, TOLD, GUESSED, NOTHING = 0.7, 0.4, 0.3, 0.05
"""What an open question is worth, something that is told, a guess, and words of which nothing is understood."""


def sense_of(plan: Plan) -> Sense:
    """The least that a part of it is worth, as far as the plan is sure."""
    worth = min(map(_worth, plan.parts), default=NOTHING)
    return Sense(round(plan.sure * worth, 3), tuple(tool for part in plan.parts for tool in _tools(part)))


def _worth(part: Part) -> float:
    match part:
        case Talk("@knowledge"):
            return OPEN
        case Talk("@unclear"):
            return NOTHING
        case Guess():
            return GUESSED
        case Unknown(_, why):
            return NOTHING if why == "unsure" else TOLD
    return 1.0


def _tools(part: Part) -> list[str]:
    match part:
        case Step(tool):
            return [tool]
        case Condition():
            return [tool for each in (*part.then, *part.otherwise) for tool in _tools(each)]
    return []
