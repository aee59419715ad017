"""Prosody: whether a voice that has just fallen silent sounds as if it had finished.

`ProsodyListener` is the part of the speech pipeline that asks, at every pause, a model of melody and rhythm: Smart
Turn, which pipecat brings. It knows no words; turn-taking puts both together.
"""

from __future__ import annotations

import asyncio
import functools
from collections import deque

import numpy as np
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    StartFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.speech import audio_format
from reachy_mind.speech.frames import Prosody

HEARD_S = 8.0
"""What the model is given at most."""
LEAD_S = 0.5
"""Kept from before the VAD detects a voice, which began earlier."""
APART_S = 2.0
"""A voice after a longer silence has nothing to do with the one before."""
SILENCE_S = 0.13
"""Silence that is added: the model was made for pauses of a fifth of a second, and is asked sooner."""


class SmartTurn(LocalSmartTurnAnalyzerV3):
    """The model. It may be asked from several threads."""

    def finished(self, sound: np.ndarray) -> float:
        """How likely somebody has finished whose voice ends with this sound: 0 to 1. It takes 40 ms of a core."""
        silence = np.zeros(round(SILENCE_S * SAMPLE_RATE_HZ), np.float32)
        return float(self._predict_endpoint(np.concatenate([sound, silence]))["probability"])


@functools.cache
def smart_turn() -> SmartTurn:
    """The model, once in a process: it keeps nothing of what it heard."""
    return SmartTurn()


class ProsodyListener(FrameProcessor):
    """At every pause a frame `Prosody`, some hundredths of a second after the VAD detected it."""

    def __init__(self) -> None:
        super().__init__(name="prosody")
        self._audio: deque[bytes] = deque()
        self._bytes = 0
        self._unvoiced = 0
        """Bytes since the last voice."""
        self._speaking = False
        self._work: asyncio.Task[None] | None = None
        self._loading: asyncio.Task[None] | None = None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        match frame:
            case StartFrame():
                self._loading = self.create_task(_load(), "prosody model")
            case InputAudioRawFrame():
                self._keep(frame.audio)
            case VADUserStartedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                await self._drop()
                if self._unvoiced > _bytes(APART_S):
                    self._shorten(_bytes(LEAD_S))
                self._speaking, self._unvoiced = True, 0
            case VADUserStoppedSpeakingFrame() if direction is FrameDirection.DOWNSTREAM:
                self._speaking = False
                self._work = self.create_task(self._judge(b"".join(self._audio)), "prosody")

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._drop()
        if self._loading is not None:
            await self.cancel_task(self._loading)

    def _keep(self, audio: bytes) -> None:
        self._audio.append(audio)
        self._bytes += len(audio)
        self._unvoiced += 0 if self._speaking else len(audio)
        self._shorten(_bytes(HEARD_S))

    def _shorten(self, most: int) -> None:
        while self._bytes > most:
            self._bytes -= len(self._audio.popleft())

    async def _drop(self) -> None:
        if self._work is not None:
            work, self._work = self._work, None
            await self.cancel_task(work)

    async def _judge(self, pcm: bytes) -> None:
        finished = await asyncio.to_thread(_finished, pcm)
        await self.push_frame(Prosody(finished))


async def _load() -> None:
    """So that the first pause is judged as quickly as the others."""
    await asyncio.to_thread(_finished, bytes(audio_format.WIDTH))


def _finished(pcm: bytes) -> float:
    return smart_turn().finished(audio_format.to_floats(pcm))


def _bytes(seconds: float) -> int:
    return round(seconds * SAMPLE_RATE_HZ) * audio_format.WIDTH
