"""A microphone and a loudspeaker that go away in the middle of a sentence, and come back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from reachy_mind.body.media import Media, unavailable
from reachy_mind.body.media.soundcard_microphone import SoundcardMicrophone
from reachy_mind.body.media.wav_devices import WavSpeaker
from reachy_mind.speech import flite
from reachy_mind.speech import speaker_output as playing
from reachy_mind.speech.delegate import MicrophoneState, SpeechDelegate
from reachy_mind.speech.events import RobotSpeech, SpeechEvent, UserSpeech
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.pipeline import SpeechPipeline
from reachy_mind.speech.transcriber import HostedTranscriber
from reachy_mind.speech.voice_cache import CachedVoice
from tests.fakes.pulse import MISSING, Pulse, installed
from tests.fakes.sound import Plays, Room
from tests.speech.conftest import needs_flite, said
from tests.waiting import until

pytestmark = [needs_flite, pytest.mark.process]
AGAIN_S = 3.0
ENOUGH_S = 40.0


class Partner(SpeechDelegate):
    """Answers everything alike, and notes what is told."""

    def __init__(self, media: Media, ears: HostedTranscriber) -> None:
        self.heard: list[str] = []
        self.told: list[str | SpeechEvent] = []
        self._changed = asyncio.Event()
        self.talk = SpeechPipeline(media, ears, CachedVoice(flite.voice()), self)

    def observed(self, event: SpeechEvent) -> None:
        self._note(event)

    def failed(self, reason: str) -> None:
        self._note(reason)

    def microphone_changed(self, state: MicrophoneState, reason: str) -> None:  # noqa: ARG002
        self._note(state)

    def _note(self, what: str | SpeechEvent) -> None:
        self.told.append(what)
        self._changed.set()

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        self.heard.append(heard.text)
        self._changed.set()
        yield Say("It is half past nine in the morning, and the sun is shining.")

    async def end_of_turn_probability(self, text: str) -> float:
        return 0.9 if text else 0.0

    async def until(self, fits: Callable[[], bool]) -> None:
        async with asyncio.timeout(ENOUGH_S):
            while not fits():
                self._changed.clear()
                await self._changed.wait()


@pytest.mark.skipif(not installed(), reason=MISSING)
async def test_a_microphone_unplugged_in_mid_sentence_is_lost_and_heard_again_when_it_is_back(
    ears: HostedTranscriber, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ears.warm()
    question = await said(flite.voice("rms"), "What time is it?")
    with Pulse(tmp_path / "pulse") as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        media = Media(
            "local",
            "a test",
            unavailable("camera", "a test", ""),
            lambda: SoundcardMicrophone(("pulse",)),
            lambda: WavSpeaker(None),
        )
        partner = Partner(media, ears)
        async with partner.talk:
            await partner.until(lambda: "open" in partner.told)
            await asyncio.to_thread(pulse.say, question)
            await partner.until(lambda: RobotSpeech(active=False) in partner.told)
            partner.told.clear()
            speaking = asyncio.create_task(asyncio.to_thread(pulse.say, question))
            await partner.until(lambda: UserSpeech(active=True) in partner.told)
            await asyncio.to_thread(pulse.unplug)
            await partner.until(lambda: "lost" in partner.told)
            await speaking
            await asyncio.to_thread(pulse.plug)
            await partner.until(lambda: "open" in partner.told)
            before = len(partner.heard)
            async with asyncio.timeout(ENOUGH_S):
                while len(partner.heard) == before:  # whoever is not heard at once says it again
                    await asyncio.to_thread(pulse.say, question)
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(AGAIN_S):
                            await partner.until(lambda: len(partner.heard) > before)
    assert len(partner.heard[-1].split()) <= 5, "half a sentence from before is not in it"


class Stuck(Plays):
    """A loudspeaker that takes what it is given and plays nothing; then one that is as new."""

    broken = True

    @property
    def position(self) -> int:
        return 0 if self.broken else super().position


async def test_a_loudspeaker_that_stops_playing_is_told_and_the_next_answer_is_heard(
    ears: HostedTranscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "STALL_TIMEOUT_S", 0.3)
    await ears.warm()
    question = await said(flite.voice("rms"), "What time is it?")
    async with Room(echo=0) as room:
        media = Media("none", "a test", unavailable("camera", "a test", ""), room.media.microphone, lambda: Stuck(room))
        partner = Partner(media, ears)
        monkeypatch.setattr(Stuck, "broken", True)
        async with partner.talk:
            await room.say(question)
            await partner.until(lambda: any("plays nothing" in str(told) for told in partner.told))
            await until(lambda: not partner.talk.speaking, ENOUGH_S)  # the sentence after it
            Stuck.broken = False
            before = len(room.played)
            await room.say(question)
            await partner.until(lambda: len(partner.heard) == 2)
            await until(lambda: len(room.played) - before >= 16000, ENOUGH_S)
