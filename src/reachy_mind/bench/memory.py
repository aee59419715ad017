"""Recall and speed of memory: ten simulated days with three people, then a hundred questions.

Ours: remarks go through the rules that extract facts, questions through search, by full text alone and with vectors
(with the asset `embeddings`). Recall at 5: how often the answer is among the first five memories. Mixed: memories of
another person, or outdated values, among them. Then the times with 10,000 memories of one person. Reference: the same
memories searched with LIKE, those with most words of the question first.
"""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.bench.memory_dialogues import PEOPLE, MemoryQuestion, Remark, ten_days
from reachy_mind.config.configuration import Configuration
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.embeddings import WIDTH
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.normalization import terms
from reachy_mind.memory.turn_memory import HeardTurn
from reachy_mind.models.store import Store
from reachy_mind.storage.database import Database

SECONDS = 20.0
MANY = 10_000
STORED = 200
Find = Callable[[str, str], Awaitable[list[str]]]
"""Finds the first five memories of a person for a question."""


async def measure(configuration: Configuration, seconds: float) -> Figures:
    said, questions = ten_days()
    ours: dict[str, float] = {}
    reference: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
        models = Store(configuration.models_folder)
        async with Database(Path(folder) / "mind.db") as database, Memory(database, models) as memory:
            await _live(database, memory, said)
            ours["memories"] = (await memory.status())["memories"]
            text = Memory(database, Store(Path(folder) / "no models"))
            recalls = await _recall(_by(text), questions)
            ours |= {f"{name}_full_text": value for name, value in recalls.items()}
            reference |= await _recall(_like(database), questions)
            if await memory.embeddings.loaded():
                await _embed(memory)
                recalls = await _recall(_by(memory), questions)
                ours |= {f"{name}_with_vectors": value for name, value in recalls.items()}
            await _fill(memory)
            asked = [question.text for question in questions]
            ours |= _times("search_full_text", await _timed(_by(text), asked, seconds / 3))
            if memory.embeddings.ready:
                ours |= _times("search", await _timed(_by(memory), asked, seconds / 3))
            reference |= _times("search", await _timed(_like(database), asked, seconds / 3))
            ours |= _times("store", await _stored(memory))
            began = time.perf_counter()
            await memory.erase(PEOPLE[0])
            ours["erase_ms"] = round((time.perf_counter() - began) * 1000, 1)
    kind = "search_" if "search_p95_ms" in ours else "search_full_text_"
    ratio = {f"search_{name}": round(ours[f"{kind}{name}"] / reference[f"search_{name}"], 2) for name in _TIMES}
    ratio["recall_at_5"] = round(
        ours.get("recall_at_5_with_vectors", ours["recall_at_5_full_text"]) / reference["recall_at_5"], 2
    )
    return Figures(ours, reference, ratio)


_TIMES = ("p50_ms", "p95_ms")


async def _live(database: Database, memory: Memory, said: Sequence[Remark]) -> None:
    """Replay ten days, with a conversation per person and day, through the memory of a mind."""
    talks = Conversations(database)
    for number, one in enumerate(said):
        talk = f"{one.person}-{one.day}"
        person = await memory.people.identify(one.person, talk)
        await talks.open(talk, person=person)
        await talks.start_turn(str(number), talk, one.text, person=person)
        await talks.end_turn(str(number), reply="", brain="bench", tools=[])
        memory.turn_memory.enqueue(HeardTurn(person, talk, str(number), one.text, given=True))
        await memory.turn_memory.flush()


def _by(memory: Memory) -> Find:
    async def find(query: str, person: str) -> list[str]:
        return [one.memory.content for one in await memory.search.find(query, person=person.casefold(), limit=5)]

    return find


def _like(database: Database) -> Find:
    async def find(query: str, person: str) -> list[str]:
        words = terms(query)[:24]
        hits = " + ".join("(content LIKE ?)" for _ in words)
        rows = await database.rows(
            f"SELECT content, {hits} AS hits FROM memories WHERE person = ? AND hits > 0 ORDER BY hits DESC LIMIT 5",  # noqa: S608
            (*(f"%{word}%" for word in words), person.casefold()),
        )
        return [row["content"] for row in rows]

    return find


async def _recall(find: Find, questions: Sequence[MemoryQuestion]) -> dict[str, float]:
    """Recall at 5, and how many results belong to another person or are outdated."""
    right = mixed = outdated = 0
    theirs = {question.answer: question.person for question in questions}  # every value belongs to one person
    for question in questions:
        found = await find(question.text, question.person)
        right += any(question.answer in content for content in found)
        named = {value for value in theirs for content in found if re.search(rf"\b{re.escape(value)}\b", content)}
        mixed += any(theirs[value] != question.person for value in named)
        outdated += bool(question.not_now) and any(question.not_now in content for content in found[:1])
    return {"recall_at_5": round(right / len(questions), 3), "mixed": mixed, "outdated": outdated}


async def _embed(memory: Memory) -> None:
    while missing := await memory.vectors.missing(limit=64):
        rows = await memory.embeddings.encode([content for _, content in missing])
        await memory.vectors.add([seq for seq, _ in missing], rows)


async def _fill(memory: Memory) -> None:
    """Add many memories of one person, with random vectors: only the time counts from here on."""
    said, _ = ten_days()
    words = sorted({word for one in said for word in one.text.strip(".?").split()})
    dice, numbers = random.Random(7), np.random.default_rng(7)  # noqa: S311 -- nothing secret
    for number in range(MANY):
        fact = Fact(f"{' '.join(dice.choices(words, k=9))} {number}", "observation")
        await memory.memories.store(fact, person=PEOPLE[0].casefold())
    while missing := await memory.vectors.missing(limit=2000):
        rows = numbers.standard_normal((len(missing), WIDTH)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        await memory.vectors.add([seq for seq, _ in missing], rows.astype(np.float16))


async def _timed(find: Find, asked: Sequence[str], seconds: float) -> list[float]:
    times: list[float] = []
    end = time.monotonic() + seconds
    await find(asked[0], PEOPLE[0])
    while time.monotonic() < end or len(times) < len(asked):
        began = time.perf_counter()
        await find(asked[len(times) % len(asked)], PEOPLE[0])
        times.append(time.perf_counter() - began)
    return times


async def _stored(memory: Memory) -> list[float]:
    times = []
    for number in range(STORED):
        began = time.perf_counter()
        await memory.store(f"my favourite number is {number}", person=PEOPLE[0].casefold())
        times.append(time.perf_counter() - began)
    return times


def _times(name: str, times: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=20)
    return {
        f"{name}_p50_ms": round(statistics.median(times) * 1000, 2),
        f"{name}_p95_ms": round(cuts[18] * 1000, 2),
    }
