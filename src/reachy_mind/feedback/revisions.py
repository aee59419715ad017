"""`Revisions`: what feedback in a turn changes at once, found before a brain is asked.

A correction of an earlier call is carried out and kept; a request with a learned meaning is done as it was taught; a
request about lessons is answered; an answer to the robot's own question is taken. Everything else is left to the brain.
Each is a small class with `perform(turn)`, as a brain's `think`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from reachy_mind.brains.brain import Called, Done, Said, Thought, ToolCall, Turn
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.errors import MindError
from reachy_mind.feedback import lesson_requests
from reachy_mind.feedback.aim_words import AIMS, read_aim_corrections
from reachy_mind.feedback.answers import read_answer
from reachy_mind.feedback.attribution import MOST_TURNS_BACK, actions, attributed, recent
from reachy_mind.feedback.choice_limits import may_be_made
from reachy_mind.feedback.choices import LearnedChoice
from reachy_mind.feedback.corrections import read_corrections
from reachy_mind.feedback.language import language_of
from reachy_mind.feedback.lesson_requests import LessonRequest
from reachy_mind.feedback.readings import Correction
from reachy_mind.feedback.records import Action, NewFeedback
from reachy_mind.feedback.service import FeedbackService
from reachy_mind.feedback.teaching import Corrected, corrected, moved_pose
from reachy_mind.tools.definition import Outcome

BRAIN = "feedback"
"""What a turn names as its brain when no other was asked."""
POSES = frozenset(
    ("move_head", "look_at", "look_at_object", "look_at_world", "look_at_pixel", "look_at_sound", "rotate")
)
"""Tools after which the robot stays as it is: a correction is carried out at once, also beside praise."""
_PRAISE = re.compile(
    r"^\W*(?:(?:that was|it was|das war|c'était|estuvo|really|very|sehr|très|muy|pretty|ganz)\s+)*"
    r"(?:good|great|nice|perfect|lovely|well done|super|toll|gut|schön|prima|perfekt|bien|parfait|génial|bravo|bueno"
    r"|perfecto|genial)\b"
)
_OTHER_WAY = re.compile(
    r"\W*(?:no\W+|nein\W+|non\W+)?(?:i meant\W+)?"
    r"(?:the other (?:way|direction)|the opposite|opposite|other way|andersr?um|andersherum"
    r"|in die andere richtung|l'inverse|dans l'autre sens|au contraire|al rev[eé]s|hacia el otro lado)\W*"
)
_END = re.compile(r"(?<=[.!?,])\s+")
MOST_SENTENCES = 4
ANSWERED = 0.9
"""The confidence in an answer to the robot's own question."""


class Revision(Protocol):
    """What is done in place of asking a brain."""

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Those that it carries out."""
        ...

    @property
    def rest(self) -> str:
        """What else was said, for the brain; empty: nothing."""
        ...

    def perform(self, turn: Turn) -> AsyncIterator[Thought]: ...


def wording(turn: Turn) -> Wording:
    """How to put things, in the language of what was said."""
    language = language_of(turn.text)
    replies = [past.reply for past in turn.history]
    return Wording(language, said=turn.text, recent=replies[-4:], past=replies, manner=turn.manner.get(language))


class Revisions:
    """Finds what feedback in a turn changes. Takes a fraction of a millisecond, and no model."""

    def __init__(self, service: FeedbackService, questions: dict[str, Action]) -> None:
        """`questions`: by conversation, the action that the robot asked about."""
        self._service, self._questions = service, questions

    def of(self, turn: Turn) -> Revision | None:
        """None: the brain is asked, as usual."""
        about = self._questions.pop(turn.conversation, None)
        if about is not None and (answer := read_answer(turn.text)) is not None:
            return AnsweredQuestion(self._service, about, answer.reward, rest=answer.rest)
        if (asked := lesson_requests.read(turn.text)) is not None:
            return AboutLessons(self._service, asked)
        if (done := _corrected(turn)) is not None:
            return CorrectedCall(self._service, done)
        for sentence, rest in _sentences(turn.text):
            choice = self._service.choices.choose(turn.person, sentence)
            if choice is not None and choice.calls and may_be_made(choice.calls, turn.tools, turn.tier):
                return ChosenCalls(choice, rest)
        return None

    def informed(self, turn: Turn) -> Turn:
        """The turn with what this person taught, for a brain that reads, and with the brain or agent they prefer."""
        choice = self._service.choices.choose(turn.person, turn.text)
        preferred = turn.preferred or (choice.handoff if choice is not None else "")
        if not (taught := self._service.sentences(turn.person)):
            return replace(turn, preferred=preferred) if preferred else turn
        remembered = turn.context.get("remembered")
        known = dict(remembered) if isinstance(remembered, dict) else {}
        context = turn.context | {"remembered": known | {"taught": taught}}
        return replace(turn, context=context, preferred=preferred)


def _corrected(turn: Turn) -> Corrected | None:
    """The call that corrections in the words fit: the one that is named, else one of the last turn, else the pose."""
    if not turn.history or not turn.teachable:
        return None
    done = actions(recent(turn.history))
    aimed = bool(turn.history[-1].calls) and bool(done) and done[0].tool in AIMS
    read = read_aim_corrections if aimed else read_corrections
    corrections = read(turn.text) or _reversed(turn.text, done)
    if not corrections:
        return None
    named = attributed(turn.text, turn.history)
    near = actions(recent(turn.history), MOST_TURNS_BACK)
    last = [each for each in near if each.turn == near[0].turn]
    order = [at for at, each in enumerate(done) if each == named] + [at for at, each in enumerate(done) if each in last]
    for at in order:
        if (found := corrected(done[at], done[at + 1 :], corrections, turn.person, turn.text)) is not None:
            return found
    return moved_pose(recent(turn.history), corrections)


def _reversed(text: str, done: Sequence[Action]) -> list[Correction]:
    """ "The other way" after a correction: back, and as far again in the other direction."""
    if not done or not _OTHER_WAY.fullmatch(text.casefold().strip()):
        return []
    before = read_corrections(done[0].request)
    return [replace(each, sign=-1 if each.sign > 0 else 1) for each in before] * 2


@dataclass(frozen=True)
class CorrectedCall:
    """The call again, corrected; the lesson is kept when it could be made."""

    service: FeedbackService
    done: Corrected
    rest: str = ""

    @property
    def corrections(self) -> tuple[Correction, ...]:
        return self.done.applied

    async def perform(self, turn: Turn) -> AsyncIterator[Thought]:
        say, tool, args = wording(turn), self.done.action.tool, self.done.args
        before = self.done.action.args | self.done.action.learned
        praised = _PRAISE.search(turn.text.casefold()) is not None and tool not in POSES
        if args == before:
            yield Said(say.say("revision_limit"))
        elif praised:
            yield Said(await self._kept(turn, say, "revision_next_time"))
        else:
            outcome = await turn.call(tool, args)
            yield Called(ToolCall(tool, args, outcome))
            if outcome.status in ("ok", "started"):
                yield Said(await self._kept(turn, say, "revision_done"))
            else:
                yield Said(_failure(outcome, say))
        yield Done(brain=BRAIN)

    async def _kept(self, turn: Turn, say: Wording, key: str) -> str:
        """Keep the lesson; what to say then."""
        if not self.done.lessons:
            return say.say("revision_once" if key == "revision_done" else key)
        lessons = [replace(each, conversation=turn.conversation) for each in self.done.lessons]
        try:
            added = await self.service.learn(lessons)
        except MindError as error:
            return say.say("lesson_not_kept", reason=error.message)
        if self.service.contradicted(added):
            return f"{say.say(key)} {say.say('lesson_contradicted')}"
        return say.say(key)


@dataclass(frozen=True)
class ChosenCalls:
    """The calls that a person taught for a request."""

    choice: LearnedChoice
    rest: str = ""
    """What else was said in the turn."""
    corrections: tuple[Correction, ...] = ()

    async def perform(self, turn: Turn) -> AsyncIterator[Thought]:
        say = wording(turn)
        for call in self.choice.calls:
            args = dict(call.args)
            outcome = await turn.call(call.tool, args)
            yield Called(ToolCall(call.tool, args, outcome))
            if outcome.status not in ("ok", "started"):
                yield Said(_failure(outcome, say))
                break
        else:
            yield Said(say.say("choice_done"))
        yield Done(brain=BRAIN)


@dataclass(frozen=True)
class AnsweredQuestion:
    """A person's answer to whether something was good."""

    service: FeedbackService
    about: Action
    reward: float
    corrections: tuple[Correction, ...] = ()
    rest: str = ""

    async def perform(self, turn: Turn) -> AsyncIterator[Thought]:
        new = NewFeedback(
            reward=self.reward,
            confidence=ANSWERED,
            source="rating",
            channel="turn",
            text=turn.text,
            person=turn.person,
            conversation=turn.conversation,
            turn=turn.id,
            about=self.about,
        )
        try:
            await self.service.store(new)
            yield Said(wording(turn).say("feedback_noted"))
        except MindError as error:
            yield Said(wording(turn).say("lesson_not_kept", reason=error.message))
        yield Done(brain=BRAIN)


@dataclass(frozen=True)
class AboutLessons:
    """What was taught, told or taken back, through the tools for it."""

    service: FeedbackService
    asked: LessonRequest
    corrections: tuple[Correction, ...] = ()
    rest: str = ""

    async def perform(self, turn: Turn) -> AsyncIterator[Thought]:
        say = wording(turn)
        tool = "list_lessons" if self.asked.what == "list" else "undo_lesson"
        args: dict[str, Any] = {"all": True} if self.asked.what == "undo_all" else {}
        if self.asked.tools:
            args["about"] = list(self.asked.tools)
        outcome = await turn.call(tool, args | {"language": say.language})
        yield Called(ToolCall(tool, args, outcome))
        yield Said(str(outcome.data["message"]) if outcome.status == "ok" else _failure(outcome, say))
        yield Done(brain=BRAIN)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """The text as one request, then each of its sentences with the others."""
    yield text, ""
    parts = [part for part in _END.split(text) if part.strip()]
    if 1 < len(parts) <= MOST_SENTENCES:
        for at, part in enumerate(parts):
            yield part, " ".join(parts[:at] + parts[at + 1 :])


def _failure(outcome: Outcome, say: Wording) -> str:
    error = outcome.error or {}
    return say.say("revision_failed", reason=error.get("message") or outcome.status)
