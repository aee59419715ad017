"""`Rehearsed`: a voice that remembers short sentences, and `rehearse`: what is often said is made ready while nobody
speaks, and then heard at once.

A voice takes a tenth of a second or more before its first sound. A sentence is made in the time of one turn at most, so
whoever begins to speak meanwhile waits for no more than that one. All conversations that share a voice share what it
remembers.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.speech.sentences import sentences
from reachy_mind.speech.voices import Voice

QUIET_S = 0.1
"""Between two sentences, and as long as somebody speaks: others need the processor too."""
SHORT, MOST_KNOWN = 60, 400
"""Characters of a sentence whose sound is kept, and how many are."""

_log = log.get(__name__)


class Rehearsed:
    """Another voice, whose short sentences are kept."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self.name, self.languages = voice.name, voice.languages
        self._known: dict[str, bytes] = {}
        self._busy: Counter[Voice] = Counter()

    async def become(self, voice: Voice) -> None:
        """Speak with another voice from now on; the old one ends with what it is saying."""
        before, self._voice = self._voice, voice
        self.name, self.languages = voice.name, voice.languages
        self._known.clear()
        if not self._busy[before]:
            await before.aclose()

    def knows(self, text: str) -> bool:
        return text in self._known

    async def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:
        known = self._known.get(text)
        if known is not None:
            yield known
            return
        whole, voice = bytearray(), self._voice
        self._busy[voice] += 1
        try:
            async with aclosing(voice.synthesize(text)) as pieces:
                async for pcm in pieces:
                    yield pcm
                    if len(text) <= SHORT:
                        whole += pcm
        finally:
            self._busy[voice] -= 1
            if voice is not self._voice and not self._busy[voice]:
                del self._busy[voice]
                await voice.aclose()
        if whole and voice is self._voice:
            self._known[text] = bytes(whole)
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]

    async def warm(self) -> None:
        await self._voice.warm()

    async def aclose(self) -> None:
        await self._voice.aclose()


async def rehearse(voice: Rehearsed, usual: Sequence[str], language: str, busy: Callable[[], bool]) -> None:
    """One sentence after the other. A voice that fails is not tried again: whoever speaks next hears why."""
    for sentence in (part for text in usual for part in sentences(text, language)):
        if len(sentence) > SHORT or voice.knows(sentence):
            continue
        await asyncio.sleep(QUIET_S)
        while busy():  # noqa: ASYNC110 -- it has no event for this
            await asyncio.sleep(QUIET_S)
        try:
            async with aclosing(voice.synthesize(sentence)) as pieces:
                async for _ in pieces:
                    pass
        except MindError as error:
            _log.debug("nothing more is rehearsed", reason=error.message)
            return
