"""`GainControl`: automatic gain control (AGC): a person across the room is as loud to the ears as one near by.

WebRTC's adaptive gain rests on its own estimates of the level of speech and of noise, so that silence is not turned up
to speech. It never hears the robot's own voice, whose rest after echo cancellation it would turn up: meanwhile the gain
is held, and limited.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reachy_mind.body.media import BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.errors import MissingExtra
from reachy_mind.speech import audio_format

if TYPE_CHECKING:
    from livekit.rtc import AudioFrame

STEP = SAMPLE_RATE_HZ // 100
"""WebRTC takes blocks of ten milliseconds."""
MOST_WITH_OWN_VOICE = 2.0
"""Six decibels: somebody who interrupts from across the room is noticed, what is left of the echo is not."""
ROOM_ECHO_S = 0.3
"""The room still returns the robot's voice for this time after its end."""
GAIN_SMOOTHING = 0.2
"""Of the measured gain, by block of twenty milliseconds."""
MEASURABLE = 1e-5
"""Root of the mean square, -100 dB of full scale: below, there is no ratio to measure."""


class GainControl:
    """One for a microphone: it keeps what it has learnt of the people and the room."""

    def __init__(self) -> None:
        try:
            from livekit import rtc  # noqa: PLC0415
            from livekit.rtc.apm import AudioProcessingModule  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra("gain control", "speech") from error
        self._frame = rtc.AudioFrame
        self._processing = AudioProcessingModule(auto_gain_control=True)
        self._gain = 1.0
        self._applied = 1.0
        self._echoing = 0
        """Samples for which the room still returns the robot's voice."""

    @property
    def gain_db(self) -> float:
        """The gain in use."""
        return 20 * math.log10(self._applied)

    def levelled(self, heard: bytes, *, own_voice: bool) -> bytes:
        """What was heard, at an even level. `own_voice`: the robot speaks."""
        if own_voice:
            self._echoing = round(ROOM_ECHO_S * SAMPLE_RATE_HZ)
        elif self._echoing > 0:
            self._echoing -= len(heard) // 2
        else:
            return self._adapted(heard)
        return self._scaled(heard, min(self._gain, MOST_WITH_OWN_VOICE))

    def _adapted(self, heard: bytes) -> bytes:
        made = bytearray()
        for begin in range(0, len(heard), 2 * STEP):
            frame = self._block(heard[begin : begin + 2 * STEP])
            self._processing.process_stream(frame)
            made += bytes(frame.data)
        before, after = _level(heard), _level(made)
        if before > MEASURABLE and after > MEASURABLE:
            share = 1 - (1 - GAIN_SMOOTHING) ** (len(heard) / 2 / BLOCK_SAMPLES)
            self._gain += share * (after / before - self._gain)
        self._applied = self._gain
        return bytes(made)

    def _scaled(self, heard: bytes, gain: float) -> bytes:
        """With a gain that changes without a click."""
        sound = audio_format.to_floats(heard)
        ramp = np.linspace(self._applied, gain, len(sound), dtype=np.float32)
        self._applied = gain
        return audio_format.to_pcm(sound * ramp)

    def _block(self, pcm: bytes) -> AudioFrame:
        return self._frame(pcm, SAMPLE_RATE_HZ, 1, STEP)


def _level(pcm: bytes | bytearray) -> float:
    sound = audio_format.to_floats(bytes(pcm))
    return float(np.sqrt(np.mean(np.square(sound)))) if len(sound) else 0.0
