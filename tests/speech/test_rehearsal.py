"""What is often said is made ready while nobody speaks, once for everybody who uses the voice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from reachy_mind.errors import NotReady
from reachy_mind.speech.rehearsal import MOST_KNOWN, Rehearsed, rehearse


class Engine:
    """A voice that notes what it was asked to say; each character is a sound."""

    name, languages = "engine", ("en",)

    def __init__(self, *, gone: bool = False) -> None:
        self.asked: list[str] = []
        self._gone, self.closed = gone, False

    async def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:
        self.asked.append(text)
        if self._gone:
            raise NotReady("the voice has gone")
        for character in text:
            yield character.encode()

    async def warm(self) -> None:
        pass

    async def aclose(self) -> None:
        self.closed = True


async def said(voice: Rehearsed, text: str) -> bytes:
    return b"".join([piece async for piece in voice.synthesize(text)])


async def test_it_waits_for_whoever_speaks_and_then_goes_on() -> None:
    engine, speaks, first = Engine(), True, asyncio.Event()

    def busy() -> bool:
        first.set()
        return speaks

    rehearsing = asyncio.create_task(rehearse(Rehearsed(engine), ("Hello.", "Okay."), "en", busy))
    await first.wait()
    assert engine.asked == []
    speaks = False
    await rehearsing
    assert engine.asked == ["Hello.", "Okay."]


async def test_what_was_rehearsed_is_heard_without_asking_the_engine_again() -> None:
    engine = Engine()
    voice = Rehearsed(engine)
    await rehearse(voice, ("Hello. How are you?",), "en", lambda: False)
    engine.asked.clear()
    assert [piece async for piece in voice.synthesize("How are you?")] == [b"How are you?"]
    await rehearse(voice, ("Hello.",), "en", lambda: False)
    assert engine.asked == []


async def test_long_sentences_and_those_that_were_cut_short_are_not_kept() -> None:
    engine = Engine()
    voice = Rehearsed(engine)
    story = "Once upon a time there was a robot that remembered far more than it should."
    assert await said(voice, story) == story.encode()
    pieces = voice.synthesize("Good morning.")
    await anext(pieces)
    await pieces.aclose()
    assert not voice.knows(story)
    assert not voice.knows("Good morning.")
    assert await said(voice, "Good morning.") == b"Good morning."


async def test_it_remembers_the_newest_only() -> None:
    voice = Rehearsed(Engine())
    for number in range(MOST_KNOWN + 1):
        await said(voice, f"{number}.")
    assert not voice.knows("0.")
    assert voice.knows("1.")
    assert voice.knows(f"{MOST_KNOWN}.")


async def test_a_voice_that_fails_is_left_in_peace() -> None:
    engine = Engine(gone=True)
    await rehearse(Rehearsed(engine), ("Hello.", "Okay."), "en", lambda: False)
    assert engine.asked == ["Hello."]


async def test_another_voice_is_heard_from_the_next_sentence_on_and_the_old_one_ends_with_its_own() -> None:
    old, new = Engine(), Engine()
    new.name = "another engine"
    voice = Rehearsed(old)
    assert await said(voice, "Okay.") == b"Okay." and voice.knows("Okay.")
    speaking = voice.synthesize("Hello there.")
    begun = await anext(speaking)
    await voice.become(new)
    assert not old.closed and voice.name == "another engine" and not voice.knows("Okay.")
    assert begun + b"".join([piece async for piece in speaking]) == b"Hello there."
    assert old.closed and not voice.knows("Hello there.")  # which was the old voice's
    assert await said(voice, "Okay.") == b"Okay." and new.asked == ["Okay."] and not new.closed
    await voice.become(Engine())
    assert new.closed
