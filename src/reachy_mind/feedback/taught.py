"""`Taught`: what people taught, for the tools that tell it and take it back."""

from __future__ import annotations

from typing import Any

from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.errors import InvalidParameter
from reachy_mind.feedback.explanations import explained
from reachy_mind.feedback.lessons import Lesson
from reachy_mind.feedback.service import FeedbackService

MOST_TOLD = 5
"""Lessons that are told in one reply; the page has all."""


class Taught:
    """Implements `tools.context.LessonsAccess`."""

    def __init__(self, service: FeedbackService) -> None:
        self._service = service

    async def tell(self, person: str, language: str) -> dict[str, Any]:
        """What a person taught, in words."""
        say, sentences = Wording(language), self._service.sentences(person, language)
        if not sentences:
            return {"message": say.say("lessons_none"), "lessons": []}
        told = " ".join(sentences[:MOST_TOLD])
        return {"message": say.say("lessons_told", lessons=told), "lessons": sentences}

    async def take_back(
        self, person: str, lesson: int | None, *, everything: bool, tools: frozenset[str] | None, language: str
    ) -> dict[str, Any]:
        """Undo one lesson, the last one, or all of a person, or those about some tools. Raises InvalidParameter."""
        say = Wording(language)
        valid = [each for each in self._service.valid(person) if tools is None or each.tool in tools]
        if lesson is not None:
            chosen = [each for each in valid if each.id == lesson]
            if not chosen:
                raise InvalidParameter(f"you taught me no lesson {lesson}", hint="list the lessons first")
        else:
            chosen = valid if everything else [each for each in valid if _same_occasion(each, valid[0])]
        if not chosen:
            return {"message": say.say("lessons_none"), "undone": []}
        told = list(dict.fromkeys(explained(each, self._service.tuning, language) for each in chosen))
        await self._service.undo(*(each.id for each in chosen))
        message = say.say("lesson_undone", lessons=" ".join(told[:MOST_TOLD]))
        return {"message": message, "undone": [each.id for each in chosen]}


def _same_occasion(one: Lesson, other: Lesson) -> bool:
    """Whether both correct the same action."""
    return one.id == other.id or bool(one.label.get("episode") and one.label["episode"] == other.label.get("episode"))
