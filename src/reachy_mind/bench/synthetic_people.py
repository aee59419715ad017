"""Synthetic people: the voices of this machine, at several speeds and pitches.

`natural` are those that a listener might take for a person's, with a person's melody; `plain` are rule-based and
concatenated ones, a worst case for whoever listens to melody and words.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from functools import cache, partial

import numpy as np
import soxr

from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, espeak, flite, kokoro, piper
from reachy_mind.speech.voices import Voice

KOKORO_VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")
People = Mapping[str, Callable[[], Voice]]


class PitchedVoice:
    """A voice whose sound is resampled: a higher `pitch` is that of a smaller person. Its tempo stays that of `made`,
    which is given the speed to speak with."""

    def __init__(self, made: Callable[[float], Voice], pitch: float, speed: float = 1.0) -> None:
        self._voice, self._pitch = made(speed / pitch), pitch
        self.name, self.languages = f"{self._voice.name}, pitch {pitch:g}", self._voice.languages

    async def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:
        async for pcm in self._voice.synthesize(text):
            floats = audio_format.to_floats(pcm)
            raised = soxr.resample(floats, audio_format.RATE * self._pitch, audio_format.RATE)
            yield audio_format.to_pcm(np.asarray(raised, np.float32))

    async def warm(self) -> None:
        await self._voice.warm()

    async def aclose(self) -> None:
        await self._voice.aclose()


def natural(store: Store) -> People:
    """What turn-taking does was chosen with others: Joe at the usual speed and pitch, and slower, and flite's slt."""
    made: dict[str, Callable[[], Voice]] = {}
    if piper.available(store):
        joe = partial(piper.voice, store)
        made |= {
            "joe_fast": lambda: joe(1.15),
            "joe_high": lambda: PitchedVoice(joe, 1.2),
            "joe_low": lambda: PitchedVoice(joe, 0.88, 0.95),
        }
    if kokoro.available(store):
        engine = cache(partial(kokoro.voice, store))
        made |= {name: partial(_named, engine, name) for name in KOKORO_VOICES}
    return made


def _named(engine: Callable[[], kokoro.KokoroVoice], name: str) -> Voice:
    """One of the voices that share an engine."""
    return engine().named(name)


def plain() -> People:
    made: dict[str, Callable[[], Voice]] = {}
    if flite.available():
        made |= {
            "slt": flite.voice,
            "rms": lambda: flite.voice("rms"),
            "awb": lambda: flite.voice("awb"),
            "slt_fast": lambda: flite.voice("slt", 1.2),
            "rms_slow": lambda: flite.voice("rms", 0.85),
        }
    if espeak.available():
        made["espeak"] = espeak.voice
    return made


def speakers(store: Store) -> People:
    """The natural ones, else the plain ones."""
    return natural(store) or plain()
