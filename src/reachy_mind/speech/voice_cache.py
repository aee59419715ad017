"""`CachedVoice`: a voice that caches the sound of short sentences; `fill_cache` synthesizes frequent ones beforehand.

A voice takes a tenth of a second or more before its first sound. The cache is filled one sentence at a time while
nobody speaks, so a turn that begins meanwhile waits for one sentence at most. Conversations that share a voice share
its cache.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.speech.moods import NEUTRAL, Mood
from reachy_mind.speech.sentence_splitter import sentences
from reachy_mind.speech.voices import Voice, synthesized

IDLE_POLL_S = 0.1
"""Between two sentences, and while somebody speaks: others need the processor too."""
LONGEST_CACHED, MOST_CACHED = 60, 400
"""Characters of a sentence that is cached, and the number of sentences."""

_log = log.get(__name__)


class CachedVoice:
    """Wraps a voice and caches its short sentences."""

    has_moods = True

    def __init__(self, voice: Voice, mood: Mood = NEUTRAL) -> None:
        self._voice = voice
        self.name, self.languages = voice.name, voice.languages
        self._cache: dict[tuple[str, Mood], bytes] = {}
        self.mood = mood
        """What it speaks in unless told otherwise: the profile's."""
        self._busy: Counter[Voice] = Counter()

    async def switch(self, voice: Voice) -> None:
        """Speak with another voice from now on; the old one ends with what it is saying."""
        before, self._voice = self._voice, voice
        self.name, self.languages = voice.name, voice.languages
        self._cache.clear()
        if not self._busy[before]:
            await before.aclose()

    def is_cached(self, text: str) -> bool:
        return (text, self.mood) in self._cache

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        mood = self.mood if mood == NEUTRAL else mood
        cached = self._cache.get((text, mood))
        if cached is not None:
            yield cached
            return
        whole, voice = bytearray(), self._voice
        self._busy[voice] += 1
        try:
            async with aclosing(synthesized(voice, text, mood)) as pieces:
                async for pcm in pieces:
                    yield pcm
                    if len(text) <= LONGEST_CACHED:
                        whole += pcm
        finally:
            self._busy[voice] -= 1
            if voice is not self._voice and not self._busy[voice]:
                del self._busy[voice]
                await voice.aclose()
        if whole and voice is self._voice:
            self._cache[text, mood] = bytes(whole)
            if len(self._cache) > MOST_CACHED:
                del self._cache[next(iter(self._cache))]

    async def warm(self) -> None:
        await self._voice.warm()

    async def aclose(self) -> None:
        await self._voice.aclose()


async def fill_cache(voice: CachedVoice, phrases: Sequence[str], language: str, busy: Callable[[], bool]) -> None:
    """Synthesize one sentence after the other. A voice that fails is not tried again: the next answer reports why."""
    for sentence in (part for text in phrases for part in sentences(text, language)):
        if len(sentence) > LONGEST_CACHED or voice.is_cached(sentence):
            continue
        await asyncio.sleep(IDLE_POLL_S)
        while busy():  # noqa: ASYNC110 -- it has no event for this
            await asyncio.sleep(IDLE_POLL_S)
        try:
            async with aclosing(voice.synthesize(sentence)) as pieces:
                async for _ in pieces:
                    pass
        except MindError as error:
            _log.debug("the voice cache is not filled any further", reason=error.message)
            return
