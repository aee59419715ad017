"""Voice activity detection (VAD): `VoiceActivity` finds out, on this machine, when somebody speaks."""

from __future__ import annotations

import copy
import functools
from typing import Protocol

import numpy as np
from pipecat.audio.vad.silero import SileroOnnxModel, SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams, VADState
from pipecat.frames.frames import Frame, InputAudioRawFrame
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

VAD_PARAMS = VADParams(confidence=0.6, start_secs=0.04, stop_secs=0.07, min_volume=0.2)
"""A voice is detected within its first syllable: while the robot speaks, that only pauses playback. Even the shortest
pause ends a voice: transcription starts there, and its time overlaps with the wait for the end of the turn. In a room
(reverberation 0.35 s, noise at 20 dB) a voice is detected after 71 ms, 132 ms at the 95th percentile, and its end after
156 and 222 ms; noise alone was never taken for a voice."""

STILL_SPEECH = 0.35
"""The probability above which a voice that was detected goes on. In a room it often falls below the one above in
mid-word; what was said then would not be heard."""


class RemoteVad(Protocol):
    """Voice activity detection on a server."""

    @property
    def listens(self) -> bool:
        """Whether the server listens now; the local VAD then rests."""


@functools.cache
def _silero() -> SileroOnnxModel:
    """The weights, once in a process: they take ten megabytes, which many conversations would each load again."""
    loaded: SileroOnnxModel = SileroVADAnalyzer()._model
    return loaded


class SharedSilero(SileroVADAnalyzer):
    """Silero with a state of its own and the weights of all others in this process."""

    def __init__(self, params: VADParams) -> None:
        VADAnalyzer.__init__(self, params=params)
        self._model = copy.copy(_silero())
        self._model.reset_states()
        self._windows_since_reset = self._low_confidence_windows = 0

    def voice_confidence(self, buffer: bytes) -> float:
        likely = float(np.max(super().voice_confidence(buffer)))
        speaking = self._vad_state in (VADState.SPEAKING, VADState.STOPPING)
        return max(likely, self._params.confidence) if speaking and likely >= STILL_SPEECH else likely


class VoiceActivity(VADProcessor):
    """The local VAD (Silero). It rests while `remote` listens."""

    def __init__(self, remote: RemoteVad | None = None) -> None:
        super().__init__(vad_analyzer=SharedSilero(VAD_PARAMS))
        self._remote = remote

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        if isinstance(frame, InputAudioRawFrame) and self._remote is not None and self._remote.listens:
            await FrameProcessor.process_frame(self, frame, direction)
            await self.push_frame(frame, direction)
            return
        await super().process_frame(frame, direction)
