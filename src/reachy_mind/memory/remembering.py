"""`Remembering`: what enters a turn from memory, and what of a turn enters memory.

Before a turn, what is known about who speaks is looked up. After it, what they told is written down in the background,
by one task: facts first; when it is quiet, what the conversation was about, and vectors. Where a model sums up, another
task asks it after a longer rest, so that nothing else waits for it. At the end of a session what waits is written down
before it closes.
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
from reachy_mind.database import DatabaseError
from reachy_mind.ending import ended
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.memory import extraction
from reachy_mind.memory.embeddings import Embeddings
from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.memory.people import People
from reachy_mind.memory.search import Search
from reachy_mind.memory.summaries import Summaries
from reachy_mind.memory.vectors import Vectors

FACTS = 8
"""So many memories enter a turn."""
PATIENCE_S = 0.03
"""How long a turn waits for what is near in meaning."""
QUIET_S = 2.0
"""So long nothing must be said before conversations are summed up and vectors made."""
REST_S = 20.0
"""So long nothing must be said before a model is asked what conversations were about: each time costs its owner."""
AGAIN_S, LONGEST_WAIT_S = 1.0, 30.0
"""How long is waited before what could not be written down is tried again."""
MOST_WAITING = 1000
LEAVE_S = 5.0
"""How long the end of a session waits for what is not written down yet."""
LAST_WORD_S = 3.0
"""How long it then waits for a model to sum up."""
MEMORY_TOOLS = frozenset(("store_memory", "search_memories", "get_user_profile", "update_user_profile"))

_log = log.get(__name__)


@dataclass(frozen=True)
class Heard:
    """What a person said in a turn that has ended, and the tools that were called about it.

    `given`: who it was is known from elsewhere, so that saying another name changes nothing.
    """

    person: str
    conversation: str
    turn: str
    said: str
    tools: tuple[str, ...] = ()
    given: bool = False


class Remembering:
    """One for each mind; use as `async with`."""

    def __init__(
        self,
        memories: Memories,
        people: People,
        search: Search,
        summaries: Summaries,
        embeddings: Embeddings,
        vectors: Vectors,
    ) -> None:
        self._memories, self._people, self._search, self._summaries = memories, people, search, summaries
        self._embeddings, self._vectors = embeddings, vectors
        self._waiting: deque[Heard] = deque()
        self._unsummed: dict[tuple[str, str], None] = {}
        self._sketched: dict[tuple[str, str], None] = {}
        """Summed up by rules; the model's word is still to come."""
        self._heard_at = time.monotonic()
        self._news, self._thinkable = asyncio.Event(), asyncio.Event()
        self._busy = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self.lost = 0
        """Turns of which nothing could be remembered."""

    async def __aenter__(self) -> Remembering:
        self._tasks = [asyncio.create_task(self._run(), name="remembering")]
        if self._summaries.has_model:
            self._tasks.append(asyncio.create_task(self._think_over(), name="summing up"))
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            await ended(task)
        try:
            async with asyncio.timeout(LEAVE_S):
                await self.flush()
        except (MindError, TimeoutError) as error:
            _log.warning("not all was remembered", turns=len(self._waiting), reason=str(error))
        with contextlib.suppress(DatabaseError, TimeoutError):  # rules have summed it up already
            async with asyncio.timeout(LAST_WORD_S):
                while self._sketched:
                    await self._think()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def heard(self, heard: Heard) -> None:
        """Somebody said something; what of it is worth it is remembered soon. Never waits, never fails."""
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(heard)
        self._heard_at = time.monotonic()
        self._news.set()

    async def recall(self, said: str, person: str, conversation: str) -> dict[str, Any]:
        """What of memory enters a turn: data about who speaks, never instructions. Empty when there is nothing."""
        profile = await self._people.profile(person)
        found = await self._search.find(said, person=person, limit=FACTS, patience_s=PATIENCE_S)
        told = {
            "person": profile.as_dict() if profile.name or profile.known else {},
            "facts": [one.memory.content for one in found if one.memory.type != "conversation"],
            "last_conversation": await self._summaries.last(person, but=conversation),
        }
        return told if any(told.values()) else {}

    async def flush(self) -> None:
        """Write down now what waits, and sum up. Raises DatabaseError."""
        async with self._busy:
            while self._waiting:
                await self._take(self._waiting[0])
                self._waiting.popleft()
            await self._sum_up()

    async def _run(self) -> None:
        pause = AGAIN_S
        while True:
            try:
                async with self._busy:
                    while self._waiting:
                        await self._take(self._waiting[0])
                        self._waiting.popleft()
                self._news.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(QUIET_S):
                        await self._news.wait()
                        continue
                async with self._busy:
                    await self._sum_up()
                    await self._embed()
                if not self._waiting:
                    await self._news.wait()
                pause = AGAIN_S
            except DatabaseError as error:  # a full disk or a locked file may be over in a moment
                _log.warning("what was said could not be remembered yet", reason=error.message, again_in_s=pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_WAIT_S)

    async def _take(self, heard: Heard) -> None:
        try:
            person = await self._speaker(heard)
            for fact in worth(heard):
                await self._memories.store(
                    fact, person=person, source="heard", conversation=heard.conversation, turn=heard.turn
                )
            self._unsummed[heard.conversation, person] = None
        except InvalidParameter as error:  # odd text is no reason to stop remembering
            self.lost += 1
            _log.warning("a turn was not remembered", reason=error.message)

    async def _speaker(self, heard: Heard) -> str:
        """Who it was, after what they said of it."""
        if not heard.given and (name := extraction.introduction(heard.said)):
            return (await self._people.introduce(name, heard.conversation))[0]
        return heard.person or await self._people.who(conversation=heard.conversation)

    async def _sum_up(self) -> None:
        while self._unsummed:
            which = next(iter(self._unsummed))
            await self._summaries.sketch(*which)
            self._unsummed.pop(which, None)
            if self._summaries.has_model:
                self._sketched[which] = None
                self._thinkable.set()

    async def _think_over(self) -> None:
        while True:
            await self._thinkable.wait()
            if (rest := self._heard_at + REST_S - time.monotonic()) > 0:
                await asyncio.sleep(rest)
                continue
            try:
                await self._think()
                self._news.set()  # what it wrote has no vector yet
            except DatabaseError as error:
                _log.warning("a summary could not be written yet", reason=error.message, again_in_s=LONGEST_WAIT_S)
                await asyncio.sleep(LONGEST_WAIT_S)

    async def _think(self) -> None:
        """The model's word on one conversation; it stays for the next time if somebody went on with it meanwhile."""
        which = next(iter(self._sketched))
        if await self._summaries.renew(*which):
            self._sketched.pop(which, None)
        if not self._sketched:
            self._thinkable.clear()

    async def _embed(self) -> None:
        """Vectors for what has none yet, a few at a time."""
        while self._embeddings.available and not self._waiting:
            missing = await self._vectors.missing(limit=16)
            if not missing:
                return
            try:
                rows = await self._embeddings.encode([content for _, content in missing])
            except DatabaseError:
                raise
            except MindError as error:  # full text alone until it works again
                _log.warning("memories have no vectors yet", reason=error.message)
                return
            await self._vectors.add([seq for seq, _ in missing], rows)


def worth(heard: Heard) -> Sequence[Fact]:
    """What of a turn is worth remembering. What was asked of the robot is not, nor what a tool has stored already."""
    if "store_memory" in heard.tools or "forget_memory" in heard.tools:
        return ()
    facts = extraction.facts(heard.said)
    if set(heard.tools) - MEMORY_TOOLS:
        return facts
    return (*facts, *extraction.statements(heard.said))
