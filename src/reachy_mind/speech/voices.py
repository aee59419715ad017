"""Text to speech: what a voice is, and what every voice does with a text before it says it.

async for pcm in voice.synthesize("Hello. How are you?"):
    loudspeaker.play(pcm)
"""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncGenerator, Iterator
from typing import Protocol

from reachy_mind.errors import MissingExtra
from reachy_mind.speech.sentences import sentences, shortened
from reachy_mind.speech.spoken import spoken

LIBRARIES = ("sentencex", "soxr")
FIRST = 60
"""Characters; a longer first sentence is begun with its first clause, so that something is heard early."""


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
        """The sound of a text, a sentence at a time; nothing for a text without words. Whoever stops listening
        (`aclose`, cancellation) stops the engine. Raises NotReady when the engine is gone, WorkerError when it
        fails."""
        ...

    async def warm(self) -> None:
        """Start the engine and let it say something to nobody, so that the first real sentence is quick."""
        ...

    async def aclose(self) -> None: ...


def check_libraries() -> None:
    """Raise MissingExtra unless what every voice needs is installed."""
    if any(importlib.util.find_spec(library) is None for library in LIBRARIES):
        raise MissingExtra("speaking", "speech")


def utterances(text: str, language: str = "en") -> Iterator[str]:
    """What a voice has to say of a text, in pieces of a sentence or less; made as they are asked for, so that a very
    long text holds nobody up."""
    begun = False
    for sentence in sentences(text, language):
        for piece in shortened(spoken(sentence, language)):
            if any(character.isalnum() for character in piece):
                yield from [piece.strip()] if begun else _begun(piece.strip())
                begun = True


def _begun(sentence: str) -> list[str]:
    """A long first sentence as its first clause and the rest; else the whole sentence."""
    head = shortened(sentence, FIRST)[0].strip()
    if len(sentence) <= FIRST or not head.endswith((",", ";", ":")):
        return [sentence]
    return [head, sentence.removeprefix(head).strip()]
