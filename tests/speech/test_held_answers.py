"""Answers that are prepared while a person may still go on; the words are those of a test, the sound is real."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable

import pytest

from reachy_mind.speech import audio_format, flite, turn_taking
from reachy_mind.speech.delegate import SpeechDelegate
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.pipeline import SpeechPipeline
from reachy_mind.speech.transcriber import Transcript
from reachy_mind.speech.voice_cache import CachedVoice
from tests.fakes.sound import Room
from tests.speech.conftest import needs_flite, said
from tests.waiting import until

pytestmark = [needs_flite, pytest.mark.process]
ENOUGH_S = 40.0


class Ears:
    """Speech to text that a test decides: the words by the seconds of sound."""

    name, languages = "a test", ("en",)

    def __init__(self, words: Callable[[float], str]) -> None:
        self._words = words

    async def transcribe(self, pcm: bytes, **_: object) -> Transcript:
        seconds = audio_format.seconds(pcm)
        return Transcript(self._words(seconds), "en", seconds, 1.0)

    async def warm(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


class Partner(SpeechDelegate):
    """Answers everything, and is as sure as a test wants that the person has finished."""

    def __init__(self) -> None:
        self.sure, self.answer = 0.9, "All right."
        self.words: Callable[[float], str] = lambda seconds: "Nod"
        self.heard: list[Heard] = []
        self._came = asyncio.Event()
        self.room = Room()
        self.talk = SpeechPipeline(self.room.media, Ears(self._written), CachedVoice(flite.voice()), self)

    def _written(self, seconds: float) -> str:
        return self.words(seconds)

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        self.heard.append(heard)
        self._came.set()
        yield Say(self.answer)

    async def end_of_turn_probability(self, text: str) -> float:
        return self.sure if text else 0.0

    async def turns(self, count: int) -> None:
        async with asyncio.timeout(ENOUGH_S):
            while len(self.heard) < count:
                self._came.clear()
                await self._came.wait()

    async def until_played(self, seconds: float = 0.3) -> None:
        await until(lambda: len(self.room.played) >= seconds * 16000, ENOUGH_S)

    async def until_silent(self) -> None:
        await until(lambda: not self.talk.speaking, ENOUGH_S)


@pytest.fixture
async def partner(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Partner]:
    """With long silences, so that a busy machine is quick enough to speak in them."""
    monkeypatch.setattr(turn_taking, "MIDDLE_S", 2.5)
    monkeypatch.setattr(turn_taking, "LONG_S", 4.0)
    made = Partner()
    async with made.room, made.talk:
        yield made


async def test_an_answer_is_prepared_and_heard_when_the_turn_has_ended(partner):
    partner.sure = 0.5
    await partner.room.say(await said(flite.voice("rms"), "Nod your head."))
    await partner.turns(1)
    released = partner.heard[0].released
    assert released is not None and not released.is_set() and not len(partner.room.played)
    await partner.until_played()
    assert released.is_set() and len(partner.heard) == 1


async def test_who_goes_on_hears_nothing_of_the_answer_to_the_beginning(partner):
    voice = flite.voice("rms")
    beginning, rest = await said(voice, "Nod your head"), await said(voice, "and then wave with both antennas.")
    whole = audio_format.seconds(beginning) + 0.5 * audio_format.seconds(rest)
    partner.sure = 0.5
    partner.words = lambda seconds: "Nod and wave" if seconds > whole else "Nod"
    await partner.room.say(beginning)
    await partner.turns(1)
    await partner.room.say(rest)
    await partner.turns(2)
    await partner.until_played()
    begun, *_, last = partner.heard
    assert begun.released is not None and not begun.released.is_set()
    assert last.text == "Nod and wave" and last.continues and last.reply_heard is None


@pytest.mark.parametrize("murmur", ["Mhm.", "Ha ha ha!"])
async def test_a_murmur_gets_no_answer(partner, murmur):
    partner.words = lambda seconds: murmur
    await partner.room.say(await said(flite.voice("rms"), "Hmm."))
    await partner.room.say(bytes(2 * 16000 * 3))
    assert partner.heard == [] and not len(partner.room.played)


async def test_a_murmur_answers_a_question(partner):
    partner.answer = "Shall I nod?"
    await partner.room.say(await said(flite.voice("rms"), "Nod your head."))
    await partner.until_played()
    await partner.until_silent()
    partner.words = lambda seconds: "Mhm."
    await partner.room.say(bytes(2 * 16000 * 2))
    await partner.room.say(await said(flite.voice("rms"), "Hello."))
    await partner.turns(2)
    assert partner.heard[1].text == "Mhm."


async def test_sound_that_the_microphone_lost_is_counted(partner):
    await until(lambda: partner.talk.microphone == "open")
    assert partner.talk.lost_s == 0
    partner.room.lost = 8000
    await until(lambda: partner.talk.lost_s == 0.5)
