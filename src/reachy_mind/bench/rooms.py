"""`Room`: where synthetic people talk with the robot, in the simulator or, faster, computed (`heard`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reachy_mind.bench.utterances import SpokenClip, ends
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.sim.room_acoustics import RoomAcoustics, SoundPlace
from reachy_mind.speech import audio_format

QUIET_DB = -60.0
DIRECTION, DISTANCE_M = 0.3, 1.0
BEFORE_S, AFTER_S = 0.5, 2.0
"""Silence around a clip that is computed."""


@dataclass(frozen=True)
class Room:
    """`noise_below_db`: how far the noise is below the voice; None in a quiet room."""

    name: str
    reverb_s: float
    noise_below_db: float | None = None

    def noise_db(self, pcm: bytes) -> float:
        return QUIET_DB if self.noise_below_db is None else loudness_db(pcm) - self.noise_below_db


ROOMS = (Room("clean", 0.35), Room("noise20", 0.35, 20.0), Room("reverb", 0.7), Room("noise10", 0.35, 10.0))


def heard(clip: SpokenClip, room: Room, seed: int) -> tuple[bytes, int]:
    """What the microphone gets of a clip, by the simulator's acoustics, and the sample at which the voice ends."""
    before = round(BEFORE_S * RATE_HZ)
    sound = np.pad(audio_format.to_floats(clip.pcm), (before, round(AFTER_S * RATE_HZ)))
    response = RoomAcoustics(reverb_s=room.reverb_s).response(SoundPlace.towards(DIRECTION, DISTANCE_M), seed)
    length = len(sound) + len(response)
    there = np.fft.irfft(np.fft.rfft(sound, length) * np.fft.rfft(response, length), length)[: len(sound)]
    noise = _rumble(len(there), seed) * 10 ** (room.noise_db(clip.pcm) / 20)
    return audio_format.to_pcm(np.asarray(there + noise, np.float32)), before + clip.last


def loudness_db(pcm: bytes) -> float:
    """Loudness of a voice while it speaks, in dB of full scale: pauses do not count."""
    sound = np.frombuffer(pcm, "<i2")
    first, last = ends(sound)
    spoken = sound[first : last + 1].astype(np.float64) / 32768
    blocks = spoken[: len(spoken) - len(spoken) % (RATE_HZ // 50)].reshape(-1, RATE_HZ // 50)
    power = np.mean(blocks**2, axis=1)
    loud = power[power > 0.01 * power.max()] if len(power) else power
    return 10 * float(np.log10(max(float(loud.mean()) if len(loud) else 0.0, 1e-9)))


def _rumble(samples: int, seed: int) -> np.ndarray:
    """Noise of a room, louder at low frequencies, with a power of 1."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(samples))
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.fft.rfftfreq(samples, 1 / RATE_HZ), 100.0)), samples)
    return np.asarray(noise / np.sqrt(np.mean(noise**2)))
