"""`FeedbackService`: the feedback of one mind, for its conversations, its server and its tools.

    words, rating, button -> reading -> the action they are about -> a record on disk -> lessons

What is given over the API is on disk when it is acknowledged. What was said in a turn is read after the turn, in the
background (`turn_feedback`), so that no turn waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal

from reachy_mind.brains.brain import Past
from reachy_mind.brains.reflex.spelling import common_words
from reachy_mind.errors import InvalidParameter, TooMany
from reachy_mind.events import Bus, FeedbackGiven, LessonChanged
from reachy_mind.feedback.attribution import action, actions, attributed, stopped
from reachy_mind.feedback.choices import ChoiceExample, ChoicePolicy, ChosenCall
from reachy_mind.feedback.explanations import explained, subject_of
from reachy_mind.feedback.lessons import Lesson, Lessons, NewLesson
from reachy_mind.feedback.readings import BUTTONS, Button, FeedbackReading
from reachy_mind.feedback.records import LONGEST_TEXT, Action, FeedbackRecord, FeedbackRecords, NewFeedback
from reachy_mind.feedback.scale import PersonalScale
from reachy_mind.feedback.teaching import lessons_of
from reachy_mind.feedback.tuning import Tuning
from reachy_mind.storage.database import Database

MOST_WAITING = 200
"""Pieces of feedback that are being stored; more are refused, with the reason."""
MOST_SPEAKERS = 1000
MOST_TOLD, MOST_EXPLAINED = 30, 300
"""Sentences about what a person taught, and lessons that are looked at for them: the latest."""
RATED = 0.95
"""The confidence in a reward that somebody gave as a number."""

ReadFeedback = Callable[[str], Awaitable[FeedbackReading]]
PastTurns = Callable[[str, str], Awaitable[Sequence[Past]]]
"""The latest turns, oldest first: of a conversation, or the one turn with an id."""


class FeedbackService:
    """`read` reads words; `past` finds earlier turns; `stop` stops the robot."""

    def __init__(
        self,
        database: Database,
        bus: Bus,
        *,
        read: ReadFeedback,
        past: PastTurns,
        stop: Callable[[], Awaitable[Any]],
    ) -> None:
        self._bus, self._read, self._past, self._stop = bus, read, past, stop
        self.records, self._lessons = FeedbackRecords(database), Lessons(database)
        self.tuning, self.choices = Tuning(), ChoicePolicy()
        self._scales: dict[str, PersonalScale] = {}
        self._all: dict[int, Lesson] = {}
        self._sentences: dict[tuple[str, str], list[str]] = {}
        self._speakers: dict[str, str] = {}
        self._waiting = 0

    async def load(self) -> None:
        """Read what was learned from the database, at the start and after a person was erased or renamed."""
        lessons = await self._lessons.all()
        self._all = {lesson.id: lesson for lesson in lessons}
        await _prepare(lessons)
        self._scales = {person: PersonalScale.of(pairs) for person, pairs in (await self.records.rated_words()).items()}
        self._rebuild()

    def _rebuild(self) -> None:
        valid = [lesson for lesson in self._all.values() if lesson.undone_at is None]
        self.tuning.rebuild(valid)
        self.choices = ChoicePolicy(_example(lesson) for lesson in valid if lesson.kind == "choice")
        self._sentences = {}

    async def follow(self, conversation: str, person: str) -> None:
        """Who speaks in a conversation. Somebody who tells their name takes along what they taught before."""
        known = self._speakers.get(conversation)
        self._speakers[conversation] = person
        while len(self._speakers) > MOST_SPEAKERS:
            self._speakers.pop(next(iter(self._speakers)))
        if known is None or known == person:
            return
        taught = sum(lesson.person == known for lesson in self._all.values())
        if known in self._scales or taught != await self._lessons.count(known):
            await self.load()

    # Feedback

    async def give(
        self,
        *,
        text: str = "",
        rating: float | None = None,
        button: Button | None = None,
        turn: str = "",
        episode: str = "",
        tool: str = "",
        person: str = "",
        conversation: str = "",
        channel: str = "rest",
        stopped: bool = False,
    ) -> FeedbackRecord:
        """Store a piece of feedback. A rating or a button counts for more than the words beside it. Without words it
        replaces what the same person gave the same `turn` before.

        `episode`: of a training, in place of a turn; no lesson is learned from it. `stopped`: the caller has stopped
        the robot already, where it is a stop. Raises InvalidParameter, TooMany, DatabaseError; a stop has stopped the
        robot even then.
        """
        if button == "stop" and not stopped:
            await self._stop()
        if len(text) > LONGEST_TEXT:
            raise InvalidParameter("the text is too long", hint=f"at most {LONGEST_TEXT} characters")
        if rating is not None and not -1 <= rating <= 1:
            raise InvalidParameter("a rating is a number from -1 to 1", hint="-1 is bad, 1 is perfect")
        if not text.strip() and rating is None and button is None:
            raise InvalidParameter("there is no feedback in it", hint="a text, a rating or a button")
        if self._waiting >= MOST_WAITING:
            raise TooMany(f"{self._waiting} pieces of feedback are being stored", hint="send them more slowly")
        self._waiting += 1
        try:
            history = () if episode else await self._past(conversation, turn)
            about = Action(turn=episode) if episode else _about(text, turn, tool, history)
            words = await self._read(text) if text.strip() else None
            given = BUTTONS[button] if button is not None else rating
            reading = self._reading(words, given, button, person)
            new = NewFeedback(
                reward=reading.reward,
                confidence=reading.confidence,
                source=reading.source,
                channel=channel,
                text=text.strip(),
                person=person,
                conversation=conversation,
                corrections=(reading.correction,) if reading.correction else (),
                about=about,
                words_reward=await self._words_reward(words, given, about, person),
            )
            rated = turn or episode
            replaces = await self.records.ratings(rated, person) if rated and not new.text else ()
            return await self.store(new, before=None if episode else actions(history)[1:], replaces=replaces)
        finally:
            self._waiting -= 1

    def _reading(
        self, words: FeedbackReading | None, given: float | None, button: Button | None, person: str
    ) -> FeedbackReading:
        """A number that was given counts for more than what the words say."""
        if given is None:
            assert words is not None
            return replace(words, reward=self.scaled(words, person))
        source = "button" if button is not None else "rating"
        return FeedbackReading(given, RATED, button == "stop", words.correction if words is not None else None, source)

    async def _words_reward(
        self, words: FeedbackReading | None, given: float | None, about: Action, person: str
    ) -> float | None:
        """What words say for which there is a number as well, now or earlier: a person's scale comes from these."""
        if given is None or given <= BUTTONS["stop"]:
            return None
        if words is None:
            return await self.records.words_about(about.turn, person)
        return None if words.stop or words.correction is not None else words.reward

    async def record_stop(self, conversation: str, channel: str) -> None:
        """Store that the robot was stopped. Raises DatabaseError."""
        about = stopped(await self._past(conversation, ""))
        if about.tool:
            new = NewFeedback(-1.0, 1.0, "stop", channel, conversation=conversation, about=about)
            await self.store(new)

    def scaled(self, reading: FeedbackReading, person: str) -> float:
        """The reward of words on the scale of the person who said them; a number that was given stays as it is."""
        if reading.stop or reading.source not in ("model", "judge"):
            return reading.reward
        scale = self._scales.get(person)
        return reading.reward if scale is None else scale.adjusted(reading.reward)

    async def store(
        self, new: NewFeedback, *, before: Sequence[Action] | None = None, replaces: Sequence[int] = ()
    ) -> FeedbackRecord:
        """Store feedback, in place of these records, whose lessons are undone.

        `before`: the calls before the one that it is about; None: it teaches nothing more. Raises DatabaseError.
        """
        taught = [each.id for each in self._all.values() if each.feedback in replaces and each.undone_at is None]
        if taught:
            await self.undo(*taught)
        feedback_id = await self.records.add(new, replaces=replaces)
        if new.words_reward is not None:
            self._scales[new.person] = PersonalScale.of((await self.records.rated_words(new.person))[new.person])
        if before is not None:
            lessons = lessons_of(new, before)
            await self.learn([replace(each, feedback=feedback_id, conversation=new.conversation) for each in lessons])
        self._bus.publish(
            FeedbackGiven(
                feedback_id=feedback_id,
                turn_id=new.about.turn,
                reward=new.reward,
                source=new.source,
                conversation=new.conversation,
            )
        )
        return await self.records.get(feedback_id)

    # Lessons

    async def learn(self, new: Sequence[NewLesson]) -> list[Lesson]:
        """Store lessons and use them from now on. Raises DatabaseError, and then nothing is learned."""
        if not new:
            return []
        await _prepare(new)
        added = await self._lessons.add(new)
        self._all |= {lesson.id: lesson for lesson in added}
        self.tuning.add(added)
        for lesson in added:
            if lesson.kind == "choice":
                self.choices.add(_example(lesson))
        self._sentences = {}
        self._changed([lesson.id for lesson in added], "learned", added[0].tool)
        return added

    def contradicted(self, lessons: Sequence[Lesson]) -> bool:
        """Whether one of these says the opposite of what the same person taught before."""
        return any(self.tuning.contradicts(lesson) for lesson in lessons)

    def sentences(self, person: str, language: str = "en") -> list[str]:
        """What a person taught, in words, the latest first; each thing once, and at most `MOST_TOLD` of them."""
        key = person, language
        if key not in self._sentences:
            newest: dict[Hashable, Lesson] = {}
            for lesson in self.valid(person)[:MOST_EXPLAINED]:
                if self.tuning.changes(lesson):
                    newest.setdefault(subject_of(lesson), lesson)
            told = [explained(lesson, self.tuning, language) for lesson in list(newest.values())[:MOST_TOLD]]
            self._sentences[key] = list(dict.fromkeys(told))
        return self._sentences[key]

    def lessons(self, person: str | None = None, offset: int = 0, limit: int | None = None) -> list[dict[str, Any]]:
        """What was learned, the latest first, each with an explanation in words."""
        chosen = [each for each in reversed(self._all.values()) if person is None or each.person == person]
        return [self.described(each) for each in chosen[offset:][:limit]]

    def count(self, person: str | None = None) -> int:
        """How many lessons there are, with those that were undone."""
        return sum(person is None or each.person == person for each in self._all.values())

    def valid(self, person: str) -> list[Lesson]:
        """The lessons of a person that hold, the latest first."""
        return [each for each in reversed(self._all.values()) if each.person == person and each.undone_at is None]

    async def undo(self, *lessons: int) -> list[dict[str, Any]]:
        """Leave lessons out from now on. Raises InvalidParameter for an unknown one, DatabaseError."""
        return await self._set_undone(lessons, undone=True)

    async def restore(self, *lessons: int) -> list[dict[str, Any]]:
        """Use lessons again that were undone. Raises as `undo` does."""
        return await self._set_undone(lessons, undone=False)

    async def _set_undone(self, lessons: Sequence[int], *, undone: bool) -> list[dict[str, Any]]:
        await self._lessons.set_undone(lessons, undone=undone)
        await self.load()
        changed = [self._all[each] for each in lessons if each in self._all]
        self._changed(lessons, "undone" if undone else "restored", changed[0].tool if changed else "")
        return [self.described(each) for each in changed]

    async def forget(self, person: str) -> int:
        """Delete everything that a person taught. Returns how many lessons there were."""
        count = await self._lessons.forget(person)
        await self.load()
        self._changed([], "forgotten", "")
        return count

    def described(self, lesson: Lesson) -> dict[str, Any]:
        """A lesson as the API gives it."""
        return {
            "id": lesson.id,
            "at": lesson.at,
            "person": lesson.person,
            "kind": lesson.kind,
            "tool": lesson.tool,
            "parameter": lesson.parameter,
            "situation": dict(lesson.situation),
            "explanation": explained(lesson, self.tuning if lesson.undone_at is None else Tuning([lesson])),
            "words": lesson.words,
            "undone": lesson.undone_at is not None,
        }

    def _changed(self, lessons: Sequence[int], state: str, tool: str) -> None:
        self._bus.publish(LessonChanged(lesson_ids=tuple(lessons), state=state, tool=tool))


def _about(text: str, turn: str, tool: str, history: Sequence[Past]) -> Action:
    """What feedback is about that names a turn or a tool; else what its words say."""
    if not turn and not tool:
        return attributed(text, history)
    for past in reversed(history):
        for call in reversed(past.calls):
            if not tool or call.name == tool:
                return action(past, call)
    return action(history[-1], None) if turn and history else Action(turn=turn, tool=tool)


async def _prepare(lessons: Sequence[Lesson | NewLesson]) -> None:
    """Read the words that choices are compared with, once, so that no turn waits for the files."""
    if any(lesson.kind == "choice" for lesson in lessons):
        await asyncio.to_thread(common_words)


def _example(lesson: Lesson) -> ChoiceExample:
    """A lesson about a choice, as the policy takes it."""
    label = lesson.label
    calls = tuple(ChosenCall(name, args) for name, args in label.get("calls", ()))
    source: Literal["rating", "correction"] = "rating" if label.get("source") == "rating" else "correction"
    handoff, weight = label.get("handoff", ""), float(label.get("weight", 1.0))
    return ChoiceExample(lesson.person, label["request"], lesson.id, calls, handoff, weight, source)
