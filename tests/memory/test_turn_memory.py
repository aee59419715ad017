"""What is remembered from turns, what is recalled in a turn, and what happens when disk or file fail."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.brain import Said, Thought, Turn
from reachy_mind.memory.memory import Memory
from reachy_mind.mind import Mind
from reachy_mind.storage.database import Database, DatabaseError
from tests.waiting import until


class Brain:
    """Answers "fine", and keeps what it was given."""

    name = "kept"

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self.turns.append(turn)
        yield Said("fine")


async def listed(memory: Memory | None, person: str) -> list[str]:
    assert memory is not None
    return [one.content for one in (await memory.memories.listed(person=person))[0] if one.type != "conversation"]


async def test_what_people_tell_is_remembered_without_being_asked() -> None:
    async with Mind(robot="none", brain=Brain()).session() as mind:
        assert mind.memory is not None
        for said in ("I live in Lyon.", "do I live in Rome?", "if I lived in Rome I would swim", "nice weather"):
            await mind.ask(said, person="Ada")
        await mind.memory.turn_memory.flush()
        assert await listed(mind.memory, "ada") == ["I live in Lyon"]


async def test_what_is_known_enters_the_turn_of_who_speaks_only() -> None:
    brain = Brain()
    async with Mind(robot="none", brain=brain).session() as mind:
        assert mind.memory is not None
        await mind.ask("I live in Lyon. I parked the car behind the library.", person="Ada")
        await mind.ask("I live in Oslo.", person="Ben")
        await mind.memory.turn_memory.flush()
        for person in ("Ada", "Ben", "Chloe"):
            await mind.ask("where did I park the car?", person=person)
        ada, ben, chloe = (turn.context.get("remembered", {}) for turn in brain.turns[-3:])
        assert ada["person"] == {"name": "Ada", "home": "Lyon"}
        assert ada["facts"] == ["I parked the car behind the library"] and "Lyon" in ada["last_conversation"]
        assert ben["facts"] == [] and ben["person"]["home"] == "Oslo" and "library" not in str(ben)
        assert "Lyon" not in str(chloe) and "Oslo" not in str(chloe)


async def test_it_knows_you_tomorrow() -> None:
    async with Mind(robot="none", brain=Brain()).session() as mind:
        await mind.ask("My name is Ada and I like tea.")  # written down while the mind closes
    brain = Brain()
    async with Mind(robot="none", brain=brain).session() as mind:
        await mind.ask("hello")
        assert brain.turns[0].person == "ada"
        remembered: dict[str, Any] = brain.turns[0].context["remembered"]
        assert remembered["person"] == {"name": "Ada", "likes": ["tea"]}
        assert "I like tea" in remembered["last_conversation"]


async def test_without_memory_nothing_enters() -> None:
    brain = Brain()
    async with Mind(robot="none", brain=brain, memory=False).session() as mind:
        await mind.ask("I live in Lyon", person="Ada")
        await mind.ask("where do I live?", person="Ada")
        assert "remembered" not in brain.turns[-1].context


@pytest.mark.parametrize("rule", ["memory.search_memories", "get_user_profile", "memory.*"])
@pytest.mark.parametrize("tier", ["confirm", "forbidden"])
async def test_no_brain_is_told_by_itself_what_the_rules_about_recalling_keep(rule: str, tier: str) -> None:
    brain = Brain()
    async with Mind(robot="none", brain=brain).session() as mind:
        assert mind.memory is not None
        await mind.ask("I live in Lyon", person="Ada")
        await mind.memory.turn_memory.flush()
        mind.toolbox.permissions.adopt(f"rules: [{{pattern: '{rule}', tier: {tier}}}]")
        await mind.ask("where do I live?", person="Ada", conversation="another")
        assert "Lyon" not in str(brain.turns[-1].context)


async def test_a_person_given_stays_who_they_are() -> None:
    async with Mind(robot="none", brain=Brain()).session() as mind:
        assert mind.memory is not None
        await mind.ask("my name is Bob and I live in Oslo", person="Ada")
        await mind.memory.turn_memory.flush()
        assert "I live in Oslo" in await listed(mind.memory, "ada") and await listed(mind.memory, "bob") == []


async def test_a_stop_is_not_remembered_and_waits_for_nothing() -> None:
    async with Mind(robot="none").session() as mind:
        assert mind.memory is not None
        await mind.ask("stop", person="Ada")
        assert mind.memory.turn_memory.queued == 0


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Another program that writes, and takes its time."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


async def quick(database: Database) -> None:
    """Give up at once when the file is locked."""
    await database.read(lambda db: db.execute("PRAGMA busy_timeout=10"))


async def test_what_could_not_be_written_is_tried_again(database: Database, memory: Memory) -> None:
    from reachy_mind.memory.turn_memory import HeardTurn

    await quick(database)
    with locked(database.file):
        memory.turn_memory.enqueue(HeardTurn("ada", "talk", "turn", "I live in Lyon"))
        await until(lambda: memory.turn_memory.queued == 1)
        with pytest.raises(DatabaseError, match="locked"):
            await memory.store("something")
    await until(lambda: memory.turn_memory.queued == 0)
    assert await listed(memory, "ada") == ["I live in Lyon"] and memory.turn_memory.lost == 0


async def test_a_full_disk_is_told_and_harms_nothing(database: Database, memory: Memory) -> None:
    await memory.store("I live in Lyon", person="ada")
    pages = await database.read(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    await database.read(lambda db: db.execute(f"PRAGMA max_page_count={pages}"))

    async def much() -> None:
        for number in range(200):
            await memory.store(f"{number} {'x' * 1900}", person="ada")

    with pytest.raises(DatabaseError, match="full"):
        await much()
    await database.read(lambda db: db.execute("PRAGMA max_page_count=100000"))
    assert (await memory.store("I like tea", person="ada"))[0].how == "new"
    assert [one.memory.content for one in await memory.search.find("where do I live", person="ada")] == [
        "I live in Lyon"
    ]


async def test_what_somebody_else_says_who_gave_no_name_is_not_kept_as_that_of_who_did() -> None:
    async with Mind(robot="none", brain=Brain()).session() as mind:
        assert mind.memory is not None
        talk = (await mind.ask("my name is Ada")).conversation
        await mind.ask("I live in Oslo", conversation=talk, person=None)
        await mind.ask("I like olives", conversation=talk)
        await mind.memory.turn_memory.flush()
        assert "I live in Oslo" not in await listed(mind.memory, "ada")
        assert "I like olives" in await listed(mind.memory, "ada")
