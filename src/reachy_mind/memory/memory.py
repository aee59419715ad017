"""`Memory`: all the mind remembers, put together. It knows people tomorrow, finds what they told, and forgets it."""

from __future__ import annotations

import contextlib
from typing import Any, Self

from reachy_mind.database import Database
from reachy_mind.memory import extraction, patterns
from reachy_mind.memory.embeddings import WIDTH, Embeddings
from reachy_mind.memory.erasure import Erasure
from reachy_mind.memory.memories import Fact, Memories, Remembered, Stored, Type
from reachy_mind.memory.people import People
from reachy_mind.memory.remembering import Remembering
from reachy_mind.memory.search import Found, Search
from reachy_mind.memory.summaries import Summaries, Summariser
from reachy_mind.memory.vectors import Vectors
from reachy_mind.memory.words import plain, stem, terms
from reachy_mind.models.store import Store

MOST_FORGOTTEN = 50


class Memory:
    """Use as `async with Memory(database, store)`. `summariser`: a model that sums up conversations after rules did."""

    def __init__(self, database: Database, store: Store, summariser: Summariser | None = None) -> None:
        self._database = database
        self.memories = Memories(database)
        self.people = People(database)
        self.embeddings = Embeddings(store)
        self.vectors = Vectors(database, self.embeddings.model, WIDTH)
        self.search = Search(database, self.embeddings, self.vectors)
        self.summaries = Summaries(database, summariser)
        self.erasure = Erasure(database, self.memories, self.people, self.vectors)
        self.remembering = Remembering(
            self.memories, self.people, self.search, self.summaries, self.embeddings, self.vectors
        )
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._stack.push_async_callback(self.embeddings.aclose)
        await self._stack.enter_async_context(self.remembering)
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
        """Remember what somebody wants remembered: each fact in it, or the sentence as it is."""
        name = (await self.people.profile(person)).name
        facts = list(extraction.facts(extraction.as_own(content, name))) or [Fact(content, type)]
        return [await self.memories.store(fact, person=person, conversation=conversation, turn=turn) for fact in facts]

    async def forget(self, query: str, *, person: str) -> list[str]:
        """Forget what says just this, or all words of it; the contents that are gone."""
        found = await self.search.find(query, person=person, limit=MOST_FORGOTTEN)
        same = plain(query)
        exact = [one for one in found if plain(one.memory.content) == same]
        wanted = {stem(word) for word in terms(query)}
        chosen = exact or [one for one in found if wanted <= {stem(word) for word in terms(_all(one))}]
        for one in chosen:
            await self._forget(one.memory)
        if chosen:
            await self._cleaned()
        return [one.memory.content for one in chosen]

    async def forget_one(self, memory: str, *, person: str | None = None) -> str:
        """The content of the one that is gone. Raises InvalidParameter when there is none of this id."""
        found = await self.memories.get(memory, person=person)
        await self._forget(found)
        await self._cleaned()
        return found.content

    async def erase(self, name: str, *, call: str = "") -> dict[str, Any]:
        """Everything about somebody, as `Erasure.erase`; what is about to be written down first."""
        await self.remembering.flush()
        return await self.erasure.erase(name, call=call)

    async def export(self, name: str) -> dict[str, Any]:
        """Everything about somebody, as `Erasure.export`."""
        await self.remembering.flush()
        return await self.erasure.export(name)

    async def about(self, person: str) -> dict[str, Any]:
        """What is known about somebody: profile, how much is remembered, patterns."""
        profile = await self.people.profile(person)
        latest, count = await self.memories.listed(person=person, limit=10)
        return {
            "person": person,
            "name": profile.name,
            "profile": profile.known,
            "services": profile.services,
            "memories": count,
            "latest": [memory.content for memory in latest if memory.type != "conversation"],
            "patterns": [pattern.as_dict() for pattern in await patterns.usual(self._database, person)],
            "last_conversation": await self.summaries.last(person),
        }

    async def status(self) -> dict[str, Any]:
        """How much is remembered, and whether it is searched by meaning or by full text alone."""
        (counts,) = await self._database.rows(
            "SELECT (SELECT count(*) FROM memories WHERE superseded_at IS NULL) AS memories,"
            " (SELECT count(*) FROM memories WHERE superseded_at IS NOT NULL) AS superseded,"
            " (SELECT count(*) FROM people) AS people, (SELECT count(*) FROM vectors) AS vectors,"
            " (SELECT count(*) FROM summaries) AS summaries"
        )
        model = self.embeddings.status()
        by = "full text" if model["state"] == "absent" else "full text and meaning"
        waiting = {"waiting": self.remembering.waiting, "lost": self.remembering.lost}
        return {**counts, "search": by, "embeddings": model, **waiting}

    async def _forget(self, memory: Remembered) -> None:
        for conversation in await self.memories.forget(memory):
            await self.summaries.sketch(conversation, memory.person)

    async def _cleaned(self) -> None:
        self.vectors.drop()
        extraction.let_go()
        await self.memories.purge()


def _all(found: Found) -> str:
    return f"{found.memory.content} {found.memory.key}"
