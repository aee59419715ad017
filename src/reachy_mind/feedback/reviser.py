"""`Reviser`: a brain in front of the brain. It carries out corrections and learned choices, and hands on the rest.

    "look at the apple"    -> the brain
    "a bit lower"          -> the same call again, 5 degrees lower; kept for this person and for such things
    "no, I meant dance"    -> the brain, and what was meant is kept
    "what did you learn"   -> told from the lessons
    "tell me a joke"       -> the brain

Reading takes a fraction of a millisecond and no model. When the turn has ended, it is queued as possible feedback.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from reachy_mind.brains.brain import Brain, Called, Done, Said, Thought, ToolCall, Turn
from reachy_mind.brains.reflex.replacements import replacement
from reachy_mind.errors import MindError
from reachy_mind.feedback.handoffs import read_handoff
from reachy_mind.feedback.meant import read_meant
from reachy_mind.feedback.revisions import Revision, Revisions, wording
from reachy_mind.feedback.service import FeedbackService
from reachy_mind.feedback.teaching import choice_lessons, handoff_lessons
from reachy_mind.feedback.turn_feedback import EndedTurn, TurnFeedback


class Reviser:
    """`brain` answers what is no feedback."""

    def __init__(self, brain: Brain, service: FeedbackService, turn_feedback: TurnFeedback) -> None:
        self._brain, self._service, self._turn_feedback = brain, service, turn_feedback
        self._revisions = Revisions(service, turn_feedback.pending)

    @property
    def name(self) -> str:
        return self._brain.name

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        await self._service.follow(turn.conversation, turn.person)
        revision = self._revisions.of(turn)
        calls: list[ToolCall] = []
        meant = False
        async for thought in self._thoughts(turn, revision):
            if isinstance(thought, Called):
                calls.append(thought.call)
            elif isinstance(thought, Done) and revision is None and (told := await self._keep_choice(turn, calls)):
                meant = True
                yield Said(f" {told}")
            yield thought
        # Not for a turn that was cut short: nobody knows what it would have done.
        if revision is None or revision.corrections:  # the others are no feedback, or are stored already
            corrections = revision.corrections if revision is not None else ()
            self._turn_feedback.enqueue(EndedTurn(turn, tuple(calls), corrections, meant))

    async def _thoughts(self, turn: Turn, revision: Revision | None) -> AsyncIterator[Thought]:
        """Those of the revision, then those of the brain about what else was said. "Ask the big brain" is about the
        request before: it is answered again, by that brain."""
        if revision is not None:
            async for thought in revision.perform(turn):
                if not (revision.rest and isinstance(thought, Done)):
                    yield thought
            if not revision.rest:
                return
            turn = replace(turn, text=revision.rest)
        elif (to := self._handoff(turn)) is not None:
            request = turn.history[-1].said
            turn = replace(turn, text=request, preferred=to, history=turn.history[:-1])
        async for thought in self._brain.think(self._revisions.informed(turn)):
            yield thought

    def _handoff(self, turn: Turn) -> str | None:
        """Who should have answered the request before, where the words say so."""
        return read_handoff(turn.text) if turn.history and turn.history[-1].said else None

    async def _keep_choice(self, turn: Turn, calls: list[ToolCall]) -> str:
        """Keep what was meant by the request before, where this turn says so; what to say then."""
        if not (turn.history and turn.teachable):
            return ""
        if (to := self._handoff(turn)) is not None:
            lessons = handoff_lessons(turn, to)
        elif calls and _says_what_was_meant(turn):
            lessons = choice_lessons(turn, calls)
        else:
            return ""
        try:
            await self._service.learn(lessons)
        except MindError as error:
            return wording(turn).say("lesson_not_kept", reason=error.message)
        return wording(turn).say("choice_kept") if lessons else ""


def _says_what_was_meant(turn: Turn) -> bool:
    """ "No, I meant dance" at any time; "no, dance!" when something else had been done."""
    if read_meant(turn.text) is not None:
        return True
    return any(call.outcome.status == "ok" for call in turn.history[-1].calls) and replacement(turn.text) is not None
