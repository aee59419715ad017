"""`Memory`: long-term memory in one object: memories, people, search, summaries, erasure."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any, Self

from reachy_mind.memory import (
    age_comparisons,
    answers,
    fact_extraction,
    habits,
    own_questions,
    own_things,
    own_words,
    periods,
    sentences,
)
from reachy_mind.memory.answers import Answer
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.embeddings import WIDTH, Embeddings
from reachy_mind.memory.erasure import Erasure
from reachy_mind.memory.memories import Fact, Memories, Remembered, Stored, Type
from reachy_mind.memory.normalization import plain, spellings, stem, terms
from reachy_mind.memory.people import People
from reachy_mind.memory.search import MemorySearch, SearchHit
from reachy_mind.memory.summaries import Summaries, Summariser
from reachy_mind.memory.turn_memory import TurnMemory
from reachy_mind.memory.vectors import Vectors
from reachy_mind.models.store import Store
from reachy_mind.storage.database import Database

MOST_FORGOTTEN = 50
MOST_OWN = 200
"""Memories in which an answer about the speaker is looked for, newest first."""


class Memory:
    """Use as `async with Memory(database, store)`. `summariser`: a model whose summaries replace those by rules."""

    def __init__(self, database: Database, store: Store, summariser: Summariser | None = None) -> None:
        self._database = database
        self.memories = Memories(database)
        self.people = People(database)
        self.embeddings = Embeddings(store)
        self.vectors = Vectors(database, self.embeddings.model, WIDTH)
        self.search = MemorySearch(database, self.embeddings, self.vectors)
        self.summaries = Summaries(database, summariser)
        self.erasure = Erasure(database, self.memories, self.people, self.vectors)
        self.turn_memory = TurnMemory(
            self.memories,
            self.people,
            self.search,
            self.summaries,
            self.embeddings,
            self.vectors,
            Conversations(database),
        )
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._stack.push_async_callback(self.embeddings.aclose)
        await self._stack.enter_async_context(self.turn_memory)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def store(
        self,
        content: str,
        *,
        type: Type = "fact",  # noqa: A002 -- what it is called everywhere
        person: str = "",
        conversation: str = "",
        turn: str = "",
    ) -> list[Stored]:
        """Remember what somebody asks to remember: each fact in it, or else the sentence as it is."""
        facts = await self.facts_of(content, person, type)
        return [await self.memories.store(fact, person=person, conversation=conversation, turn=turn) for fact in facts]

    async def facts_of(self, content: str, person: str, type: Type = "fact") -> list[Fact]:  # noqa: A002
        """The facts in something to remember; the sentence itself without any."""
        name = (await self.people.profile(person)).name
        return list(fact_extraction.facts(fact_extraction.to_first_person(content, name))) or [Fact(content, type)]

    async def replaces_told(
        self, facts: Sequence[Fact], *, person: str, turn: str, conversation: str = "", key: str = ""
    ) -> bool:
        """Whether storing these facts replaces something the person told, and their own words do not say so.

        `key`: the facts are one entry of the profile, which the person may ask for by name.
        """
        if not await own_words.replaced(self._database, person, facts):
            return False
        said = await own_words.said_in(self._database, turn=turn, conversation=conversation)
        if key and any(own_words.asks_for(said, key, fact.value) for fact in facts):
            return False
        return not all(own_words.states(said, fact) for fact in facts)

    async def forget_entry(self, person: str, key: str) -> int:
        """Forget an entry of a profile with all its values, and where they were told. Returns their number."""
        values = 0
        for spelling in spellings(key):  # "favorite color" is "favourite colour"
            values += len(await self.people.history(person, spelling))
            while sources := await self.people.sources(person, spelling):  # one goes with those it replaced
                await self._forget(await self.memories.get(sources[0]))
            await self.people.remove(person, spelling)
        await self._purge()
        return values

    async def answer(self, query: str, found: Sequence[SearchHit], *, person: str) -> Answer | None:
        """The answer to a question about somebody, or about the speaker where others share its words; else None.

        `found`: what a search for the question found.
        """
        latest, _ = await self.memories.listed(person=person, limit=MOST_OWN)
        told = [memory.content for memory in latest if memory.type != "conversation"]
        own = own_questions.answer(query, told) or own_things.answer(query, told)
        if own or (own := age_comparisons.answer(query, [*told, *await self.memories.keyed(person)])):
            return own
        if own_things.is_about_oneself(query):
            return Answer(sentences.UNKNOWN, known=False)
        if periods.parse_period(plain(query), time.time()) is not None:
            return None
        hits = [hit.memory.content for hit in found if hit.memory.type not in ("conversation", "event")]
        answer = answers.answer(query, [*await self.memories.keyed(person), *hits])
        if answer is None:
            return _own_answer(query, found)
        named = {stem(word) for word in terms(answer.about)}
        related = [hit for hit in found if hit.sure and named & {stem(word) for word in terms(hit.memory.content)}]
        asks_more = answer.everything or not {stem(word) for word in terms(query)} <= named
        if answer.known or not related or not asks_more:
            return answer
        return Answer(sentences.answer(related, time.time()), known=True, about=answer.about)

    async def forget(self, query: str, *, person: str) -> list[str]:
        """Forget memories that say exactly this, else those with all its words. Returns their contents."""
        found = await self.search.find(query, person=person, limit=MOST_FORGOTTEN)
        same = plain(query)
        exact = [hit for hit in found if plain(hit.memory.content) == same]
        query_stems = {stem(word) for word in terms(query)}
        chosen = exact or [hit for hit in found if query_stems <= {stem(word) for word in terms(_searchable_text(hit))}]
        for hit in chosen:
            await self._forget(hit.memory)
        if chosen:
            await self._purge()
        return [hit.memory.content for hit in chosen]

    async def forget_one(self, memory: str, *, person: str | None = None) -> str:
        """Forget a memory by its id and return its content. Raises InvalidParameter for an unknown id."""
        found = await self.memories.get(memory, person=person)
        await self._forget(found)
        await self._purge()
        return found.content

    async def erase(self, name: str, *, call: str = "", everywhere: bool = False) -> dict[str, Any]:
        """As `Erasure.erase`, after queued turns are written."""
        await self.turn_memory.flush()
        return await self.erasure.erase(name, call=call, everywhere=everywhere)

    async def export(self, name: str) -> dict[str, Any]:
        """As `Erasure.export`, after queued turns are written."""
        await self.turn_memory.flush()
        return await self.erasure.export(name)

    async def about(self, person: str) -> dict[str, Any]:
        """What is known about a person: profile, number of memories, patterns, last conversation."""
        profile = await self.people.profile(person)
        latest, count = await self.memories.listed(person=person, limit=10)
        return {
            "person": person,
            "name": profile.name,
            "profile": profile.known,
            "services": profile.services,
            "memories": count,
            "latest": [memory.content for memory in latest if memory.type != "conversation"],
            "patterns": [pattern.as_dict() for pattern in await habits.find_patterns(self._database, person)],
            "last_conversation": await self.summaries.last(person),
        }

    async def status(self) -> dict[str, Any]:
        """Counts, the turns waiting or lost, and whether search uses embeddings or full text alone."""
        (counts,) = await self._database.rows(
            "SELECT (SELECT count(*) FROM memories WHERE superseded_at IS NULL) AS memories,"
            " (SELECT count(*) FROM memories WHERE superseded_at IS NOT NULL) AS superseded,"
            " (SELECT count(*) FROM people) AS people, (SELECT count(*) FROM vectors) AS vectors,"
            " (SELECT count(*) FROM summaries) AS summaries"
        )
        model = self.embeddings.status()
        by = "full text" if model["state"] == "absent" else "full text and meaning"
        waiting = {"waiting": self.turn_memory.queued, "lost": self.turn_memory.lost}
        return {**counts, "search": by, "embeddings": model, **waiting}

    async def _forget(self, memory: Remembered) -> None:
        for conversation in await self.memories.forget(memory):
            await self.summaries.summarise_by_rules(conversation, memory.person)

    async def _purge(self) -> None:
        self.vectors.clear_cache()
        fact_extraction.clear_cache()
        await self.memories.purge()


def _own_answer(query: str, found: Sequence[SearchHit]) -> Answer | None:
    """The answer to "where do I work?", without those who work, too."""
    own = set(answers.own_only(query, [hit.memory.content for hit in found]))
    kept = [hit for hit in found if hit.memory.content in own]
    if len(kept) == len(found):
        return None
    return Answer(sentences.answer(kept, time.time()), known=any(hit.sure for hit in kept))


def _searchable_text(found: SearchHit) -> str:
    return f"{found.memory.content} {found.memory.key}"
