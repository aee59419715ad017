"""What is often said is made ready while nobody speaks, once for everybody who uses the voice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from reachy_mind.errors import NotReady
from reachy_mind.speech.moods import MOODS, NEUTRAL, Mood
from reachy_mind.speech.voice_cache import MOST_CACHED, CachedVoice, fill_cache


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


async def said(voice: CachedVoice, text: str) -> bytes:
    return b"".join([piece async for piece in voice.synthesize(text)])


async def test_it_waits_for_whoever_speaks_and_then_goes_on() -> None:
    engine, speaks, first = Engine(), True, asyncio.Event()

    def busy() -> bool:
        first.set()
        return speaks

    filling = asyncio.create_task(fill_cache(CachedVoice(engine), ("Hello.", "Okay."), "en", busy))
    await first.wait()
    assert engine.asked == []
    speaks = False
    await filling
    assert engine.asked == ["Hello.", "Okay."]


async def test_a_cached_phrase_is_heard_without_asking_the_engine_again() -> None:
    engine = Engine()
    voice = CachedVoice(engine)
    await fill_cache(voice, ("Hello. How are you?",), "en", lambda: False)
    engine.asked.clear()
    assert [piece async for piece in voice.synthesize("How are you?")] == [b"How are you?"]
    await fill_cache(voice, ("Hello.",), "en", lambda: False)
    assert engine.asked == []


async def test_long_sentences_and_those_that_were_cut_short_are_not_kept() -> None:
    engine = Engine()
    voice = CachedVoice(engine)
    story = "Once upon a time there was a robot that remembered far more than it should."
    assert await said(voice, story) == story.encode()
    pieces = voice.synthesize("Good morning.")
    await anext(pieces)
    await pieces.aclose()
    assert not voice.is_cached(story)
    assert not voice.is_cached("Good morning.")
    assert await said(voice, "Good morning.") == b"Good morning."


async def test_it_remembers_the_newest_only() -> None:
    voice = CachedVoice(Engine())
    for number in range(MOST_CACHED + 1):
        await said(voice, f"{number}.")
    assert not voice.is_cached("0.")
    assert voice.is_cached("1.")
    assert voice.is_cached(f"{MOST_CACHED}.")


async def test_a_voice_that_fails_is_left_in_peace() -> None:
    engine = Engine(gone=True)
    await fill_cache(CachedVoice(engine), ("Hello.", "Okay."), "en", lambda: False)
    assert engine.asked == ["Hello."]


async def test_another_voice_is_heard_from_the_next_sentence_on_and_the_old_one_ends_with_its_own() -> None:
    old, new = Engine(), Engine()
    new.name = "another engine"
    voice = CachedVoice(old)
    assert await said(voice, "Okay.") == b"Okay." and voice.is_cached("Okay.")
    speaking = voice.synthesize("Hello there.")
    begun = await anext(speaking)
    await voice.switch(new)
    assert not old.closed and voice.name == "another engine" and not voice.is_cached("Okay.")
    assert begun + b"".join([piece async for piece in speaking]) == b"Hello there."
    assert old.closed and not voice.is_cached("Hello there.")  # which was the old voice's
    assert await said(voice, "Okay.") == b"Okay." and new.asked == ["Okay."] and not new.closed
    await voice.switch(Engine())
    assert new.closed


class MoodyEngine(Engine):
    """An engine that says in which mood it was asked to speak."""

    has_moods = True

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        self.asked.append(text)
        yield f"{text} ({mood.name})".encode()


async def in_mood(voice: CachedVoice, text: str, mood: Mood) -> bytes:
    return b"".join([piece async for piece in voice.synthesize(text, mood)])


async def test_each_mood_has_a_sound_of_its_own_and_the_profiles_is_the_usual_one() -> None:
    engine = MoodyEngine()
    voice = CachedVoice(engine)
    assert await said(voice, "Okay.") == b"Okay. (neutral)"
    assert await in_mood(voice, "Okay.", MOODS["sad"]) == b"Okay. (sad)"
    voice.mood = MOODS["calm"]
    assert await said(voice, "Okay.") == b"Okay. (calm)"
    assert await in_mood(voice, "Okay.", MOODS["sad"]) == b"Okay. (sad)"
    assert engine.asked == ["Okay."] * 3, "one that was said before is known"


async def test_a_voice_without_moods_speaks_as_it_can() -> None:
    assert await in_mood(CachedVoice(Engine()), "Hi", MOODS["sad"]) == b"Hi"
