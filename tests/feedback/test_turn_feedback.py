"""Feedback in turns: nothing stops the queue, and what is not stored yet is forgotten with the person."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.brain import Turn
from reachy_mind.events import Bus
from reachy_mind.feedback import turn_feedback
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.feedback.service import FeedbackService
from reachy_mind.feedback.turn_feedback import EndedTurn, TurnFeedback
from reachy_mind.storage.database import Database
from reachy_mind.tools.definition import Outcome
from tests.feedback.test_service import LOOKED, Robot, opened
from tests.feedback.test_service import read as read_words
from tests.waiting import until


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(tmp_path / "mind.db") as found:
        yield found


@pytest.fixture
async def service(database: Database) -> FeedbackService:
    return await opened(database, Robot())


def said(text: str) -> EndedTurn:
    async def call(name: str, args: dict[str, Any]) -> Outcome:
        return Outcome("ok", {})

    return EndedTurn(Turn(text, call, person="ada", conversation="c", history=(LOOKED,), id=text))


async def texts(service: FeedbackService) -> list[str]:
    return [record.text for record in await service.records.listed()]


async def test_words_that_can_not_be_read_or_stored_do_not_stop_the_queue(service: FeedbackService) -> None:
    async def read(text: str) -> FeedbackReading:
        if text == "odd":
            raise ValueError("no such word")
        return await read_words(text)

    async with TurnFeedback(service, Bus(), read, None) as feedback:
        for text in ("odd", "bad \ud800", "that was bad"):
            feedback.enqueue(said(text))

        async def is_stored() -> bool:
            return await texts(service) == ["that was bad"]

        await until(is_stored)
        assert feedback.lost == 2


async def test_a_full_disk_does_not_make_the_end_fail(service: FeedbackService, database: Database) -> None:
    def refuse(db: sqlite3.Connection) -> None:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON feedback BEGIN SELECT RAISE(ABORT, 'disk is full'); END")

    await database.write(refuse)
    async with TurnFeedback(service, Bus(), read_words, None) as feedback:
        feedback.enqueue(said("that was bad"))
    assert await texts(service) == []


async def test_what_waits_is_forgotten_with_the_person(service: FeedbackService) -> None:
    reading, goes_on = asyncio.Event(), asyncio.Event()

    async def slow(text: str) -> FeedbackReading:
        reading.set()
        await goes_on.wait()
        return await read_words(text)

    async with TurnFeedback(service, Bus(), slow, None) as feedback:
        feedback.enqueue(said("that was bad"))
        feedback.enqueue(said("really bad"))
        await reading.wait()
        await feedback.forget_unread()
        feedback.enqueue(said("bad again"))
        goes_on.set()
    assert await texts(service) == ["bad again"]


async def test_a_queue_that_is_full_drops_the_oldest_and_no_other(
    service: FeedbackService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_feedback, "MOST_QUEUED", 2)
    reading, goes_on = asyncio.Event(), asyncio.Event()

    async def slow(text: str) -> FeedbackReading:
        reading.set()
        await goes_on.wait()
        return await read_words(text)

    async with TurnFeedback(service, Bus(), slow, None) as feedback:
        feedback.enqueue(said("bad 1"))
        await reading.wait()
        feedback.enqueue(said("bad 2"))
        feedback.enqueue(said("bad 3"))
        goes_on.set()
    assert (await texts(service), feedback.lost) == (["bad 3", "bad 2"], 1)
