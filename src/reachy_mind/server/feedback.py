"""Feedback routes: say or rate how good something was, list what was said, list and undo what was learned from it.

The fields `feedback_text` and `episode_id` can also be called `text` and `turn`: an episode is a turn, or one of a
training (`RUN:NUMBER`). A stop, by button or in words, stops the robot before anything else is done about it.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat

from reachy_mind.brains.stop_words import is_stop
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.feedback.readings import Button
from reachy_mind.feedback.records import LONGEST_TEXT, MOST_LISTED, FeedbackRecord
from reachy_mind.learning.training.episode_feedback import parse_episode_id
from reachy_mind.memory.people import LONGEST_NAME, person_id
from reachy_mind.mind import Mind
from reachy_mind.server.not_found import as_not_found
from reachy_mind.server.training_feedback import record_training_feedback
from reachy_mind.tools.context import Caller

Id = Annotated[int, Path(ge=1, le=1 << 53)]
Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Name = Annotated[str | None, Query(max_length=LONGEST_NAME, description="of this person; empty: of nobody known")]
MOST_TURNS_BACK = 50
LONGEST_EPISODE_ID = 80
HINT = '{"feedback_text": "a bit slower"}, {"rating": 0.5} or {"button": "good"}'


class GivenFeedback(BaseModel):
    """Words, a rating or a button. With words, the rating says how good it was and the words what to change."""

    model_config = ConfigDict(extra="forbid")

    feedback_text: str = Field(
        "", max_length=LONGEST_TEXT, validation_alias=AliasChoices("feedback_text", "text"), description="in words"
    )
    rating: FiniteFloat | None = Field(None, ge=-1, le=1)
    button: Button | None = None
    episode_id: str = Field(
        "",
        max_length=LONGEST_EPISODE_ID,
        validation_alias=AliasChoices("episode_id", "turn"),
        description="the turn it is about, or RUN:NUMBER of a training; empty: the words and the time tell",
    )
    timestamp: FiniteFloat | None = Field(None, description="when it was said, a Unix time; tells the turn, too")
    tool: str = Field("", max_length=64, description="the call of the turn it is about; empty: the last one")
    session_id: str = Field("", max_length=64)
    person: str = Field("", max_length=LONGEST_NAME, description="who says so; empty: who said the turn")

    @property
    def stops(self) -> bool:
        """Whatever rating is beside it."""
        return self.button == "stop" or is_stop(self.feedback_text)

    def require_content(self) -> None:
        """Raises InvalidParameter when it says nothing, or two things at once."""
        if self.rating is not None and self.button is not None:
            raise InvalidParameter("a rating and a button are two ratings", hint=HINT)
        if not self.feedback_text.strip() and self.rating is None and self.button is None:
            raise InvalidParameter("there is no feedback in it", hint=HINT)


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")

    @routes.post("/feedback")
    async def give(given: GivenFeedback) -> dict[str, Any]:
        """Say how good something was, and what to change about it, which is learned."""
        failed = await stop_robot(mind, "feedback") if given.stops else None
        given.require_content()
        turn = given.episode_id
        if not turn and given.timestamp is not None:
            turn = await _turn_at(mind, given.session_id, given.timestamp)
        record = await record_feedback(
            mind,
            text=given.feedback_text,
            rating=given.rating,
            button=given.button,
            turn=turn,
            tool=given.tool,
            person=person_id(given.person),
            conversation=given.session_id,
            channel="rest",
        )
        if failed is not None:
            raise failed  # it is recorded, and the robot may still move
        about = {"reward": record.reward, "confidence": record.confidence}
        return {"status": "received"} | about | {"feedback": record.as_dict()}

    @routes.get("/feedback")
    async def listed(
        person: Name = None,
        session_id: Annotated[str | None, Query(max_length=64)] = None,
        offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 50,
    ) -> dict[str, Any]:
        """What people said about what the robot did, newest first."""
        who = person if person is None else person_id(person)
        store = mind.feedback.service.records
        records = await store.listed(person=who, conversation=session_id, offset=offset, limit=limit)
        total = await store.count(person=who, conversation=session_id)
        return {"feedback": [record.as_dict() for record in records], "total": total}

    @routes.get("/lessons")
    async def lessons(
        person: Name = None, offset: Offset = 0, limit: Annotated[int, Query(ge=1, le=500)] = 50
    ) -> dict[str, Any]:
        """What was learned, newest first, with an explanation and the words it was learned from."""
        service, who = mind.feedback.service, person if person is None else person_id(person)
        return {"lessons": service.lessons(who, offset, limit), "total": service.count(who)}

    @routes.post("/lessons/{lesson_id}/undo")
    async def undo(lesson_id: Id) -> dict[str, Any]:
        """No longer use a lesson. It stays in the list and can be used again."""
        with as_not_found("they are listed at /api/v1/lessons"):
            return (await mind.feedback.service.undo(lesson_id))[0]

    @routes.post("/lessons/{lesson_id}/redo")
    async def redo(lesson_id: Id) -> dict[str, Any]:
        """Use a lesson again that was undone."""
        with as_not_found("they are listed at /api/v1/lessons"):
            return (await mind.feedback.service.restore(lesson_id))[0]

    @routes.delete("/lessons")
    async def forget(person: Annotated[str, Query(max_length=LONGEST_NAME)]) -> dict[str, Any]:
        """Delete everything that a person taught, for good."""
        count = await mind.feedback.service.forget(person_id(person))
        return {"forgotten": count, "message": f"I forgot {count} lessons." if count != 1 else "I forgot one lesson."}

    return routes


async def stop_robot(mind: Mind, channel: str) -> MindError | None:
    """Stop the robot as `POST /robot/stop` does. Returns what went wrong: a stop is recorded in any case.

    It is the call of a `program`: that of a person is taken for feedback, and this one is recorded as such anyway.
    """
    try:
        await mind.stop(Caller("program", channel))
    except MindError as error:
        return error
    return None


async def record_feedback(
    mind: Mind,
    *,
    text: str,
    rating: float | None,
    button: Button | None,
    turn: str,
    tool: str,
    person: str,
    conversation: str,
    channel: str,
    training: bool = False,
) -> FeedbackRecord:
    """Record feedback; the robot was already stopped where it is a stop. Who gives no name is who said the turn, or
    what was said last. `training`: it is about the training that is under way."""
    if training or parse_episode_id(turn) is not None:
        return await record_training_feedback(
            mind, episode_id=turn, text=text, rating=rating, button=button, person=person, channel=channel
        )
    turns = mind.conversations
    about = [await turns.turn(turn)] if turn else await turns.latest_turns(conversation, limit=1)
    for said in about:
        person, conversation = person or said.person, conversation or said.conversation
    return await mind.feedback.service.give(
        text=text,
        rating=rating,
        button=button,
        turn=turn,
        tool=tool,
        person=person,
        conversation=conversation,
        channel=channel,
        stopped=True,
    )


async def _turn_at(mind: Mind, conversation: str, at: float) -> str:
    """The latest turn that began before `at`; empty when there is none among the last ones."""
    turns = await mind.conversations.latest_turns(conversation, limit=MOST_TURNS_BACK)
    return next((turn.id for turn in reversed(turns) if turn.started_at <= at), "")
