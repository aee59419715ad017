"""The feedback service: what is stored, what is learned from it, and what it survives."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.brain import Past, ToolCall
from reachy_mind.errors import InvalidParameter, TooMany
from reachy_mind.events import Bus, FeedbackGiven, LessonChanged
from reachy_mind.feedback import service as feedback_service
from reachy_mind.feedback.corrections import read_correction
from reachy_mind.feedback.lessons import NewLesson
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.feedback.records import FeedbackRecord
from reachy_mind.feedback.service import FeedbackService
from reachy_mind.storage.database import Database, DatabaseError
from reachy_mind.tools.definition import Outcome

LOOKED = Past("look left", "", (ToolCall("move_head", {"direction": "left"}, Outcome("ok", {})),), turn="turn-1")


async def read(text: str) -> FeedbackReading:
    """Words as a small list knows them: the reward model has tests of its own."""
    correction = read_correction(text)
    reward = 0.9 if "great" in text else -0.3 if correction else -0.5 if "bad" in text else 0.0
    return FeedbackReading(reward, 0.9, correction=correction)


class Robot:
    """The turns before, and whether the robot was stopped."""

    def __init__(self) -> None:
        self.turns: list[Past] = [LOOKED]
        self.stops = 0

    async def past(self, conversation: str, turn: str) -> Sequence[Past]:  # noqa: ARG002
        return [past for past in self.turns if not turn or past.turn == turn]

    async def stop(self) -> None:
        self.stops += 1


@pytest.fixture
def robot() -> Robot:
    return Robot()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "mind.db") as opened:
        yield opened


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
async def service(database: Database, robot: Robot, bus: Bus) -> FeedbackService:
    return await opened(database, robot, bus)


async def opened(database: Database, robot: Robot, bus: Bus | None = None) -> FeedbackService:
    made = FeedbackService(database, bus or Bus(), read=read, past=robot.past, stop=robot.stop)
    await made.load()
    return made


async def test_words_become_a_record_about_the_last_action_and_a_lesson(service: FeedbackService, bus: Bus) -> None:
    with bus.subscribe(FeedbackGiven, LessonChanged) as events:
        record = await service.give(text="not so far to the left", person="ada")
        assert [type(event) async for event in _next(events, 2)] == [LessonChanged, FeedbackGiven]
    assert (record.about_tool, record.about_turn, record.reward) == ("move_head", "turn-1", -0.3)
    [lesson] = service.lessons("ada")
    assert record.lessons == (lesson["id"],) and lesson["words"] == "not so far to the left"
    assert "look left" in lesson["explanation"] and "35" in lesson["explanation"]
    assert service.tuning.learned("move_head", {"direction": "left"}, "ada")["degrees"] < 30
    assert service.tuning.learned("move_head", {"direction": "left"}, "ben") == {}
    assert service.tuning.learned("move_head", {"direction": "left", "degrees": 50}, "ada") == {}


async def _next(events: Any, count: int) -> AsyncIterator[Any]:
    for _ in range(count):
        yield await asyncio.wait_for(anext(aiter(events)), 5)


async def test_a_number_counts_for_more_than_the_words(service: FeedbackService) -> None:
    assert (await service.give(text="great", rating=-0.8)).reward == -0.8
    assert (await service.give(text="great", button="bad")).reward == -0.5
    assert (await service.give(button="great", turn="turn-1")).about_turn == "turn-1"


async def test_a_stop_stops_first_even_when_nothing_can_be_stored(
    service: FeedbackService, robot: Robot, database: Database
) -> None:
    record = await service.give(button="stop")
    assert (robot.stops, record.reward, record.source) == (1, -1.0, "button")
    await database.write(lambda db: db.execute("DROP TABLE feedback"))
    with pytest.raises(DatabaseError):
        await service.give(button="stop")
    assert robot.stops == 2


@pytest.mark.parametrize(
    "given",
    [{}, {"text": "  "}, {"rating": 1.5}, {"rating": float("nan")}, {"text": "x" * 3000}],
    ids=["nothing", "blank", "too large", "no number", "too long"],
)
async def test_what_is_no_feedback_is_refused(service: FeedbackService, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        await service.give(**given)
    assert await service.records.count() == 0


async def test_more_than_can_be_stored_is_refused_and_nothing_acknowledged_is_lost(
    service: FeedbackService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feedback_service, "MOST_WAITING", 50)
    answers = await asyncio.gather(*(service.give(rating=0.5) for _ in range(1000)), return_exceptions=True)
    stored = [answer for answer in answers if not isinstance(answer, BaseException)]
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    assert stored and len(stored) == await service.records.count() and {type(each) for each in refused} == {TooMany}
    assert (await service.give(rating=0.5)).id > max(answer.id for answer in stored)


async def test_it_is_known_after_a_restart_undone_restored_and_forgotten(
    service: FeedbackService, database: Database, robot: Robot
) -> None:
    await service.give(text="not so far to the left", person="ada")
    again = await opened(database, robot)
    learned = again.tuning.learned("move_head", {"direction": "left"}, "ada")
    assert learned == service.tuning.learned("move_head", {"direction": "left"}, "ada") != {}
    [lesson] = again.lessons("ada")
    [undone] = await again.undo(lesson["id"])
    assert undone["undone"] and again.tuning.learned("move_head", {"direction": "left"}, "ada") == {}
    await again.restore(lesson["id"])
    assert again.tuning.learned("move_head", {"direction": "left"}, "ada") == learned
    assert await again.forget("ada") == 1
    assert again.lessons("ada") == [] and again.tuning.learned("move_head", {"direction": "left"}, "ada") == {}
    with pytest.raises(InvalidParameter):
        await again.undo(lesson["id"])


async def test_damaged_lessons_are_left_out_and_counted(
    service: FeedbackService, database: Database, robot: Robot
) -> None:
    await service.give(text="not so far to the left", person="ada")

    def damage(db: sqlite3.Connection) -> None:
        row = (
            "INSERT INTO lessons (at, person, kind, tool, parameter, situation, label) VALUES (0, 'ada', ?, ?, ?, ?, ?)"
        )
        db.execute(row, ("value", "nod", "times", "{}", "{broken"))
        db.execute(row, ("value", "nod", "times", "[]", "{}"))
        db.execute(row, ("magic", "nod", "times", "{}", "{}"))
        db.execute(row, ("value", "nod", "times", "{}", '{"offset": "much"}'))
        db.execute(row, ("choice", "nod", "", "{}", '{"request": "x", "calls": 5}'))

    await database.write(damage)
    await service.give(text="bad", rating=0.4, person="ada")
    await database.execute("UPDATE feedback SET reward = 'much' WHERE words_reward IS NOT NULL")
    again = await opened(database, robot)
    assert again._lessons.damaged == 5
    assert "degrees" in again.tuning.learned("move_head", {"direction": "left"}, "ada")
    assert again.tuning.learned("nod", {}, "ada") == {} and again.choices.choose("ada", "x") is None


@pytest.mark.parametrize(
    ("kind", "tool", "parameter", "situation", "label"),
    [
        ("value", "nod", "times", "{}", '{"offset": 1e9}'),
        ("value", "nod", "times", "{}", '{"offset": 1, "weight": 1e-9}'),
        ("value", "nod", "times", "{}", '{"offset": 1, "episode": []}'),
        ("value", "look_at_object", "pitch_offset", '{"azimuth": "left"}', '{"offset": 1}'),
        ("value", "look_at_object", "pitch_offset", '{"elevation": 1e999}', '{"offset": 1}'),
        ("value", "juggle", "balls", '{"azimuth": 3}', '{"offset": 1}'),
        ("arguments", "juggle", "", '{"balls": 3}', '{"args": {"balls": 4}}'),
        ("choice", "nod", "", "{}", '{"request": "x", "calls": 5}'),
        ("choice", "nod", "", "{}", '{"request": "x", "calls": [["nod", 5]]}'),
        ("choice", "nod", "", "{}", '{"request": "x", "calls": [], "weight": NaN}'),
        ("choice", "juggle", "", "{}", '{"request": "x", "calls": [["juggle", {}]]}'),
    ],
)
async def test_lessons_that_make_no_sense_any_more_stop_nothing(
    database: Database, robot: Robot, kind: str, tool: str, parameter: str, situation: str, label: str
) -> None:
    row = "INSERT INTO lessons (at, person, kind, tool, parameter, situation, label) VALUES (0, 'ada', ?, ?, ?, ?, ?)"
    await database.write(lambda db: db.execute(row, (kind, tool, parameter, situation, label)))
    service = await opened(database, robot)
    await service.give(text="not so far to the left", person="ada")
    assert len(service.sentences("ada")) == len(service.lessons("ada")) == (2 if tool == "juggle" else 1)
    assert service.tuning.learned("nod", {}, "ada") == {}
    assert set(service.tuning.offsets("ada", {"azimuth": 0.0}).values()) == {0.0}


async def test_a_store_that_can_not_be_written_teaches_nothing(service: FeedbackService, database: Database) -> None:
    await database.write(lambda db: db.execute("DROP TABLE lessons"))
    with pytest.raises(DatabaseError):
        await service.give(text="not so far to the left", person="ada")
    assert service.tuning.learned("move_head", {"direction": "left"}, "ada") == {} and service.lessons("ada") == []


async def test_a_person_who_contradicts_themselves_once_changes_little_and_is_told(
    service: FeedbackService, robot: Robot
) -> None:
    async def corrected(words: str, turn: str) -> FeedbackRecord:
        robot.turns = [Past("look left", "", LOOKED.calls, turn=turn)]
        return await service.give(text=words, person="ada")

    for number in range(4):
        await corrected("not so far to the left", f"turn-{number}")
    firm = service.tuning.learned("move_head", {"direction": "left"}, "ada")["degrees"]
    record = await corrected("much further to the left", "turn-9")
    assert service.contradicted([each for each in service.valid("ada") if each.id in record.lessons])
    assert abs(service.tuning.learned("move_head", {"direction": "left"}, "ada")["degrees"] - firm) < 5
    for number in range(10, 14):
        await corrected("much further to the left", f"turn-{number}")
    assert service.tuning.learned("move_head", {"direction": "left"}, "ada")["degrees"] > firm + 10, "she means it"


async def test_a_scale_of_ones_own(service: FeedbackService, database: Database, robot: Robot) -> None:
    for _ in range(12):
        await service.give(text="bad", rating=0.4, person="ada")  # from her, that is praise
    assert (await service.give(text="bad", person="ada")).reward > 0
    assert (await service.give(text="bad", person="ben")).reward == -0.5
    again = await opened(database, robot)
    assert (await again.give(text="bad", person="ada")).reward > 0


async def test_a_thousand_lessons_are_listed_in_pages_told_once_and_undone(service: FeedbackService) -> None:
    def lesson(number: int) -> NewLesson:
        label = {"offset": -1.0, "weight": 1.0, "step": -1, "episode": f"turn-{number}"}
        return NewLesson("ada", "value", "nod", label, "times", {}, "fewer")

    await service._lessons.add([lesson(number) for number in range(1_000)])
    await service.load()
    await service.learn([lesson(1_001)])
    assert service.count("ada") == 1_001 and len(service.lessons("ada", 5, 10)) == 10
    assert len(service.sentences("ada")) == 1 and "1001 times" in service.sentences("ada")[0]
    await service.undo(*(each.id for each in service.valid("ada")))
    assert service.valid("ada") == [] and service.tuning.learned("nod", {}, "ada") == {}


async def test_undoing_changes_nothing_when_one_of_the_lessons_is_unknown(service: FeedbackService) -> None:
    await service.give(text="not so far to the left", person="ada")
    [lesson] = service.valid("ada")
    with pytest.raises(InvalidParameter):
        await service.undo(lesson.id, 999)
    await service.load()
    assert service.valid("ada") == [lesson]
