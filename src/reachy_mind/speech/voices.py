"""Text to speech: the protocol `Voice`, and how every voice prepares a text.

async for pcm in voice.synthesize("Hello. How are you?"):
    loudspeaker.play(pcm)
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Protocol, runtime_checkable

from reachy_mind.errors import MissingExtra
from reachy_mind.speech.moods import NEUTRAL, Mood
from reachy_mind.speech.sentence_splitter import sentences, shortened
from reachy_mind.speech.speakable_text import spoken

LIBRARIES = ("sentencex",)
SHORT, FIRST = 28, 60
"""Characters; a first sentence that is longer than the first is begun with a piece shorter than the second, so that
something is heard early: a voice takes as long to begin as its piece is long."""
_CLAUSE = re.compile(r"[,;:](?=\s)")
_JOINT = re.compile(r"\s(?=(?:and|or|but|because|with|in|on|at|for|to|from|which|that|until)\s)")


class Voice(Protocol):
    """Text in, sound out (16 kHz, 16-bit little-endian, one channel).

    Text is only ever data: what it holds can change what is said, never what is run.
    """

    @property
    def name(self) -> str:
        """Engine and voice, such as "flite slt"."""
        ...

    @property
    def languages(self) -> tuple[str, ...]: ...

    def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:
        """The sound of a text, a sentence at a time; nothing for a text without words. Closing the generator
        or cancelling stops the engine. Raises NotReady when the engine is gone, WorkerError when it
        fails."""
        ...

    async def warm(self) -> None:
        """Start the engine and synthesize something, so that the first real sentence is quick."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class MoodVoice(Voice, Protocol):
    """A voice that can speak in a mood."""

    has_moods: bool

    def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]: ...


def synthesized(voice: Voice, text: str, mood: Mood) -> AsyncGenerator[bytes, None]:
    """The sound of a text, in that mood where the voice can."""
    return voice.synthesize(text, mood) if isinstance(voice, MoodVoice) and voice.has_moods else voice.synthesize(text)


def check_libraries() -> None:
    """Raise MissingExtra unless what every voice needs is installed."""
    if any(importlib.util.find_spec(library) is None for library in LIBRARIES):
        raise MissingExtra("speaking", "speech")


def utterances(text: str, language: str = "en") -> Iterator[str]:
    """What a voice has to say of a text, in pieces of a sentence or less; lazily, so that a very long text
    delays nothing."""
    begun = False
    for sentence in sentences(text, language):
        for piece in shortened(spoken(sentence, language)):
            if any(character.isalnum() for character in piece):
                yield from [piece.strip()] if begun else _begun(piece.strip())
                begun = True


def _begun(sentence: str) -> list[str]:
    """A first sentence that is not short as its first clause, or what comes before a joining word, and the rest."""
    if len(sentence) <= SHORT:
        return [sentence]
    found = _CLAUSE.search(sentence, SHORT // 3, FIRST) or (
        _JOINT.search(sentence, SHORT // 2, FIRST) if len(sentence) > 2 * SHORT else None
    )
    if found is None or found.end() >= len(sentence):
        return [sentence]
    return [sentence[: found.end()].strip(), sentence[found.end() :].strip()]
