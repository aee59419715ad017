"""`TrialVoice`: the voice of a trial. It speaks for as long as the words take, and hears what the scenario says."""

from __future__ import annotations

import asyncio

from reachy_mind.body.media.wav_devices import WavMicrophone, WavSpeaker
from reachy_mind.errors import NotReady
from reachy_mind.workshop.trial.record import RecordedSound, RecordedWords, TrialRecord

LETTERS_PER_S = 14.0
PAUSE_S = 0.3
"""From the call to the first sound, and after the last."""


def speaking_time(text: str, speed: float | None = None) -> float:
    """Seconds to say a text at the usual speed of the voices; `speed` 2 is twice as fast."""
    return PAUSE_S + len(text) / (LETTERS_PER_S * (speed or 1.0))


class TrialVoice:
    """Keeps the protocol `VoiceAccess`. One voice: a second text waits for the end of the first."""

    def __init__(self, record: TrialRecord) -> None:
        self._record = record
        self._lock = asyncio.Lock()
        self._on = True
        self._heard: list[tuple[float, str]] = []

    def hear(self, words: str) -> None:
        """Somebody says this now: the next `listen` that is under way then, or begins within a second, returns it."""
        self._heard.append((asyncio.get_running_loop().time(), words))

    async def speak(self, text: str, *, voice: str = "", speed: float | None = None) -> str | None:  # noqa: ARG002
        """Take as long as the words do. None: it was heard to the end."""
        async with self._lock:
            seconds = speaking_time(text, speed)
            self._record.words.append(RecordedWords(self._record.now(), text, seconds))
            await asyncio.sleep(seconds)
        return None

    async def listen(self, seconds: float) -> str:
        """What was said in that time; empty when nothing was, or the microphone is off."""
        since = asyncio.get_running_loop().time() - 1.0
        await asyncio.sleep(seconds)
        heard = [words for at, words in self._heard if at >= since]
        self._heard.clear()
        return " ".join(heard) if self._on else ""

    async def switch_microphone(self, *, on: bool) -> str:
        self._on = on
        return "open" if on else "off"

    async def speaker(self) -> WavSpeaker:
        """A loudspeaker that plays into nothing, at the usual speed."""
        self._record.sounds.append(RecordedSound(self._record.now(), "samples"))
        return WavSpeaker(None)

    async def microphone(self) -> WavMicrophone:
        """A microphone in a silent room."""
        if not self._on:
            raise NotReady("the microphone is off", hint="set_microphone")
        return WavMicrophone("of silence", iter(()), 0.0)
