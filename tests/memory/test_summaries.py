"""Summaries by rules, and usage patterns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from reachy_mind.memory import habits
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.summaries import RuleSummariser, SpokenTurn, Summaries, Summary
from reachy_mind.storage.database import Database


async def talk(database: Database, person: str, *said: str, conversation: str | None = None) -> str:
    talks = Conversations(database)
    chosen = await talks.open(conversation, person=person)
    for number, text in enumerate(said):
        turn = f"{chosen}-{person}-{number}"
        await talks.start_turn(turn, chosen, text, person=person)
        await talks.end_turn(turn, reply="", brain="reflex", tools=[])
    return chosen


async def test_told_asked_and_done() -> None:
    turns = [
        SpokenTurn("I bought a red kite yesterday"),
        SpokenTurn("what time is it?", ("get_time",)),
        SpokenTurn("nod twice", ("nod",)),
        SpokenTurn("nod again", ("nod",)),
        SpokenTurn("hello"),
    ]
    summary = await RuleSummariser().sum_up(turns)
    assert summary is not None
    assert summary.text == (
        "Told: I bought a red kite yesterday. Asked: what time is it? Done: nod (2 times), get time."
    )
    assert "kite" in summary.topics
    assert await RuleSummariser().sum_up([SpokenTurn("hello"), SpokenTurn("thanks")]) is None


async def test_each_has_a_summary_of_what_they_said(database: Database, memory: Memory) -> None:
    shared = await talk(database, "ada", "I bought a red kite yesterday")
    await talk(database, "bob", "I lost my umbrella on the train", conversation=shared)
    for person in ("ada", "bob"):
        await memory.summaries.summarise(shared, person)
    assert await memory.summaries.last("ada") == "Told: I bought a red kite yesterday."
    assert "umbrella" in await memory.summaries.last("bob") and "kite" not in await memory.summaries.last("bob")
    assert await memory.summaries.last("ada", exclude=shared) == ""


async def test_a_summary_grows_and_goes_with_its_conversation(database: Database, memory: Memory) -> None:
    chosen = await talk(database, "ada", "I bought a red kite yesterday")
    await memory.summaries.summarise(chosen, "ada")
    talks = Conversations(database)
    await talks.start_turn("more", chosen, "where is my kite?", person="ada")
    await memory.summaries.summarise(chosen, "ada")
    (only,), total = await memory.memories.listed(person="ada", type="conversation")
    assert total == 1 and "where is my kite?" in only.content
    await talks.delete(chosen)
    assert (await memory.memories.listed(person="ada"))[1] == 0


async def test_a_model_can_sum_up_instead(database: Database) -> None:
    class Model:
        async def sum_up(self, turns: Sequence[SpokenTurn]) -> Summary | None:
            return Summary(f"{len(turns)} turns about kites")

    chosen = await talk(database, "ada", "I bought a red kite yesterday", "it is red")
    summaries = Summaries(database, Model())
    await summaries.summarise(chosen, "ada")
    assert await summaries.last("ada") == "2 turns about kites"


async def test_habits_are_found_in_turns(database: Database) -> None:
    now = datetime(2026, 11, 16, 12).astimezone()
    await Conversations(database).open("talk", person="ada")
    weather = json.dumps([{"name": "get_weather", "args": {}, "status": "ok"}])
    insert = "INSERT INTO turns (id, conversation, said, state, started_at, person, tools)"
    for back in range(1, 15):
        at = (now - timedelta(days=back)).replace(hour=8, minute=back).timestamp()
        tools = weather if back % 3 else "[]"
        await database.execute(f"{insert} VALUES (?, 'talk', 'x', 'done', ?, 'ada', ?)", (f"t{back}", at, tools))
    for week in range(1, 5):  # and on Fridays in the evening
        at = (now - timedelta(days=7 * week - 4)).replace(hour=20).timestamp()
        await database.execute(f"{insert} VALUES (?, 'talk', 'x', 'done', ?, 'ada', '[]')", (f"f{week}", at))
    found = await habits.find_patterns(database, "ada", now.timestamp())
    assert {(one.what, one.days, one.hour) for one in found} == {
        ("here", "every day", 8),
        ("here", "Fridays", 20),
        ("get_weather", "every day", 8),
    }
    assert await habits.find_patterns(database, "bob", now.timestamp()) == []
