"""`TurnMemory`: recall before a turn, and a background queue that remembers turns after they end.

Before a turn, `recall` looks up what is known about the speaker. After it, one task stores facts; when it is quiet, it
writes summaries and embeddings. Where a model summarises, a second task calls it after a longer quiet period, so that
nothing waits for it. The queue is flushed at the end of the session.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.memory import discourse, fact_extraction, mentions
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.discourse import Told
from reachy_mind.memory.embeddings import Embeddings
from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.memory.mentions import Exchange
from reachy_mind.memory.people import People
from reachy_mind.memory.search import MemorySearch
from reachy_mind.memory.summaries import Summaries
from reachy_mind.memory.vectors import Vectors
from reachy_mind.storage.database import DatabaseError

MOST_FACTS = 8
"""Memories that enter a turn."""
SEARCH_TIMEOUT_S = 0.03
"""How long a turn waits for the search by embeddings."""
QUIET_S = 2.0
"""Without new turns, before conversations are summed up and embeddings computed."""
MODEL_QUIET_S = 20.0
"""Without new turns, before a model summarises: each call may cost money."""
FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 30.0
"""Backoff after a database error."""
MOST_QUEUED = 1000
SETTLE_TIMEOUT_S = 0.25
"""How long a turn waits until the one before is stored."""
FLUSH_TIMEOUT_S = 5.0
"""For the queue at the end of a session."""
FINAL_SUMMARY_TIMEOUT_S = 3.0
"""For the model's summaries after that."""
MEMORY_TOOLS = frozenset(("store_memory", "search_memories", "get_user_profile", "update_user_profile"))
GESTURES = frozenset(("express_emotion",))
"""Tools by which the robot shows sympathy: what was said is no request for them."""

_log = log.get(__name__)


@dataclass(frozen=True)
class HeardTurn:
    """What a person said in a turn that has ended, and the tools that were called.

    `given`: the caller named the speaker, so that an introduction by another name changes nothing; without a `person`
    the caller knows only that it is somebody who gave no name.
    """

    person: str
    conversation: str
    turn: str
    said: str
    tools: tuple[str, ...] = ()
    given: bool = False


class TurnMemory:
    """One per mind; use as `async with`."""

    def __init__(
        self,
        memories: Memories,
        people: People,
        search: MemorySearch,
        summaries: Summaries,
        embeddings: Embeddings,
        vectors: Vectors,
        conversations: Conversations,
    ) -> None:
        self._conversations = conversations
        self._memories, self._people, self._search, self._summaries = memories, people, search, summaries
        self._embeddings, self._vectors = embeddings, vectors
        self._queue: deque[HeardTurn] = deque()
        self._to_summarise: dict[tuple[str, str], None] = {}
        self._awaiting_model: dict[tuple[str, str], None] = {}
        """Conversations summed up by rules that the model still has to summarise."""
        self._heard_at = time.monotonic()
        self._wakeup, self._model_wakeup = asyncio.Event(), asyncio.Event()
        self._busy, self._storing = asyncio.Lock(), asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self.lost = 0
        """Turns that were dropped, because the queue was full or their text invalid."""

    async def __aenter__(self) -> TurnMemory:
        self._tasks = [asyncio.create_task(self._run(), name="turn memory")]
        if self._summaries.has_model:
            self._tasks.append(asyncio.create_task(self._run_model_summaries(), name="model summaries"))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            await cancel_and_wait(task)
        try:
            async with asyncio.timeout(FLUSH_TIMEOUT_S):
                await self.flush()
        except (MindError, TimeoutError) as error:
            _log.warning("some turns were not remembered", turns=len(self._queue), reason=str(error))
        with contextlib.suppress(DatabaseError, TimeoutError):  # the summaries by rules are stored already
            async with asyncio.timeout(FINAL_SUMMARY_TIMEOUT_S):
                while self._awaiting_model:
                    await self._summarise_next()

    @property
    def queued(self) -> int:
        return len(self._queue)

    def enqueue(self, heard: HeardTurn) -> None:
        """Queue a turn to be remembered. Never waits, never raises; a full queue drops the oldest."""
        if len(self._queue) >= MOST_QUEUED:
            self._queue.popleft()
            self.lost += 1
        self._queue.append(heard)
        self._heard_at = time.monotonic()
        self._wakeup.set()

    async def recall(self, said: str, person: str, conversation: str) -> dict[str, Any]:
        """The memories for a turn: data about the speaker, never instructions. Empty without any."""
        await self.settle()
        profile = await self._people.profile(person)
        found = await self._search.find(said, person=person, limit=MOST_FACTS, timeout_s=SEARCH_TIMEOUT_S)
        context = {
            "person": profile.as_dict() if profile.name or profile.known else {},
            "facts": [one.memory.content for one in found if one.memory.type != "conversation"],
            "last_conversation": await self._summaries.last(person, exclude=conversation),
        }
        return context if any(context.values()) else {}

    async def settle(self) -> None:
        """Store the queued turns, so that what was told just now is found. Gives up quietly: they stay queued."""
        if not self._queue:
            return
        with contextlib.suppress(DatabaseError, TimeoutError):
            async with asyncio.timeout(SETTLE_TIMEOUT_S):
                await self._store_queued()

    async def flush(self) -> None:
        """Store the queued turns now, and summarise by rules. Raises DatabaseError."""
        async with self._busy:
            await self._store_queued()
            await self._summarise()

    async def _store_queued(self) -> None:
        async with self._storing:
            while self._queue:
                await self._remember(self._queue[0])
                self._queue.popleft()

    async def _run(self) -> None:
        retry_s = FIRST_RETRY_S
        while True:
            try:
                async with self._busy:
                    await self._store_queued()
                self._wakeup.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(QUIET_S):
                        await self._wakeup.wait()
                        continue
                async with self._busy:
                    await self._summarise()
                    await self._embed()
                if not self._queue:
                    await self._wakeup.wait()
                retry_s = FIRST_RETRY_S
            except DatabaseError as error:  # a full disk or a locked file may recover
                _log.warning("a turn could not be stored yet", reason=error.message, again_in_s=retry_s)
                await asyncio.sleep(retry_s)
                retry_s = min(retry_s * 2, LONGEST_RETRY_S)

    async def _remember(self, heard: HeardTurn) -> None:
        try:
            told = await self._told(heard)
            person = await self._speaker(heard, told)
            for fact in facts_to_store(heard, told):
                await self._memories.store(
                    fact, person=person, source="heard", conversation=heard.conversation, turn=heard.turn
                )
            self._to_summarise[heard.conversation, person] = None
        except InvalidParameter as error:  # odd text must not stop the queue
            self.lost += 1
            _log.warning("a turn was not remembered", reason=error.message)

    async def _told(self, heard: HeardTurn) -> Told:
        """What was told, understood by what was said before it and by what is remembered."""
        if not discourse.depends(heard.said):
            return discourse.told(heard.said)
        try:
            turns, _ = await self._conversations.turns(heard.conversation, limit=mentions.MOST_EXCHANGES + 1)
        except InvalidParameter:
            turns = []  # deleted meanwhile
        ids = [turn.id for turn in turns]
        earlier = turns[: ids.index(heard.turn)] if heard.turn in ids else turns
        own = [turn for turn in earlier if turn.person in ("", heard.person) or not heard.person]
        before = [Exchange(turn.said, turn.reply) for turn in own if turn.said]
        return discourse.told(heard.said, before, await self._memories.keyed(heard.person))

    async def _speaker(self, heard: HeardTurn, told: Told) -> str:
        """The speaker, after an introduction in what they said."""
        name = next((fact.value for fact in told.facts if fact.key == "name"), "")
        if not heard.given and told.denies is not None:
            return await self._people.correct(heard.conversation, heard.person, wrong=told.denies, right=name)
        if not heard.given and name:
            return (await self._people.introduce(name, heard.conversation))[0]
        if heard.person or heard.given:
            return heard.person
        return await self._people.identify(conversation=heard.conversation)

    async def _summarise(self) -> None:
        while self._to_summarise:
            which = next(iter(self._to_summarise))
            await self._summaries.summarise_by_rules(*which)
            self._to_summarise.pop(which, None)
            if self._summaries.has_model:
                self._awaiting_model[which] = None
                self._model_wakeup.set()

    async def _run_model_summaries(self) -> None:
        while True:
            await self._model_wakeup.wait()
            if (quiet_left_s := self._heard_at + MODEL_QUIET_S - time.monotonic()) > 0:
                await asyncio.sleep(quiet_left_s)
                continue
            try:
                await self._summarise_next()
                self._wakeup.set()  # its summary has no embedding yet
            except DatabaseError as error:
                _log.warning("a summary could not be written yet", reason=error.message, again_in_s=LONGEST_RETRY_S)
                await asyncio.sleep(LONGEST_RETRY_S)

    async def _summarise_next(self) -> None:
        """Have the model summarise one conversation; it stays queued if the conversation went on meanwhile."""
        which = next(iter(self._awaiting_model))
        if await self._summaries.summarise(*which):
            self._awaiting_model.pop(which, None)
        if not self._awaiting_model:
            self._model_wakeup.clear()

    async def _embed(self) -> None:
        """Compute missing embeddings, in batches."""
        while self._embeddings.available and not self._queue:
            missing = await self._vectors.missing(limit=16)
            if not missing:
                return
            try:
                rows = await self._embeddings.encode([content for _, content in missing])
            except DatabaseError:
                raise
            except MindError as error:  # full text alone until it works again
                _log.warning("embeddings could not be computed yet", reason=error.message)
                return
            await self._vectors.add([seq for seq, _ in missing], rows)


def facts_to_store(heard: HeardTurn, told: Told) -> Sequence[Fact]:
    """The facts of a turn to store. Not requests to the robot, nor what a tool has stored or deleted."""
    if "store_memory" in heard.tools or "forget_memory" in heard.tools:
        return ()
    if set(heard.tools) - MEMORY_TOOLS - GESTURES:
        return told.facts
    return (*told.facts, *(() if told.complete else fact_extraction.statements(heard.said)))
