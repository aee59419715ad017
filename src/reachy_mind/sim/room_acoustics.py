"""Room acoustics: the impulse response from a place in the room to the robot's microphones.

The room is a box with the robot's foot in the middle. Early echoes are mirror images of the source in the walls
(image-source method); noise that decays with the reverberation time stands for the later ones. A source of amplitude 1
is heard with amplitude 1 at one metre. The microphones are one point, at the raised head: a moving head shifts them by
centimetres, which `sound_direction` respects and loudness does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from reachy_mind.body.wav import RATE_HZ, Samples
from reachy_mind.errors import InvalidParameter

SPEED_OF_SOUND = 343.0
EAR = (0.0, 0.0, 0.27)
"""The microphone array on the raised head, in metres from the foot (from the vendor's description)."""
SPEAKER = (0.0, 0.0, 0.09)
"""The loudspeaker in the body, likewise."""
NEAREST_M = 0.1
MIRRORINGS = 3
KERNEL = 16
"""Taps of the fractional-delay filter."""


@dataclass(frozen=True, slots=True)
class SoundPlace:
    """Position of a sound, in metres from the robot's foot: x ahead, y left, z up."""

    x: float
    y: float
    z: float

    @classmethod
    def towards(cls, direction: float, distance: float, height: float = EAR[2]) -> SoundPlace:
        """`direction` in radians, 0 ahead of the foot and left positive; `distance` on the floor plan."""
        return cls(EAR[0] + distance * math.cos(direction), EAR[1] + distance * math.sin(direction), height)

    @property
    def distance(self) -> float:
        """Distance from the microphones, at least ten centimetres: nearer, the loudness would diverge."""
        return max(NEAREST_M, math.dist((self.x, self.y, self.z), EAR))


@dataclass(frozen=True, slots=True)
class RoomAcoustics:
    """`size` is length (ahead and behind), width and height; `reverb_s` the time an echo takes to fall by 60 dB."""

    size: tuple[float, float, float] = (6.0, 5.0, 2.6)
    reverb_s: float = 0.35
    foot_height: float = 0.8

    def check(self, place: SoundPlace) -> None:
        """Raises InvalidParameter for a place that is not in the room."""
        spot = self._in_box((place.x, place.y, place.z))
        if not all(0.0 < at < length for at, length in zip(spot, self.size, strict=True)):
            length, width, height = self.size
            raise InvalidParameter(
                f"a sound at x={place.x:.2f} y={place.y:.2f} z={place.z:.2f} is outside the room",
                hint=f"the robot is in the middle of {length:g} x {width:g} m, {height:g} m high, its foot "
                f"{self.foot_height:g} m above the floor; come nearer, or ask for a larger room",
            )

    @property
    def taps(self) -> int:
        """Length of the impulse response: the longest path across, plus the reverberation."""
        return round((self.reverb_s + 2 * math.dist((0, 0, 0), self.size) / SPEED_OF_SOUND) * RATE_HZ)

    def response(self, place: SoundPlace, seed: int, *, delay_s: float = 0.0) -> Samples:
        """The impulse response of a place, delayed by `delay_s` in addition to the travel time."""
        heard = np.zeros(self.taps + round(delay_s * RATE_HZ) + KERNEL)
        distances, gains = self._images(place)
        _add_clicks(heard, (distances / SPEED_OF_SOUND + delay_s) * RATE_HZ, gains)
        if self.reverb_s > 0:
            start = delay_s + place.distance / SPEED_OF_SOUND
            self._add_tail(heard, start, np.random.default_rng([seed, 1]))
        return heard.astype(np.float32)

    def _in_box(self, spot: tuple[float, float, float]) -> tuple[float, float, float]:
        length, width, _ = self.size
        return spot[0] + length / 2, spot[1] + width / 2, spot[2] + self.foot_height

    @property
    def _absorbed(self) -> float:
        """Share of energy absorbed at a wall (Eyring's formula)."""
        if self.reverb_s <= 0:
            return 1.0
        a, b, c = self.size
        surface = 2 * (a * b + b * c + a * c)
        return 1 - math.exp(-0.161 * a * b * c / (surface * self.reverb_s))

    def _images(self, place: SoundPlace) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Path lengths and gains of the direct sound (first) and its mirror images."""
        if self.reverb_s <= 0:
            return np.array([place.distance]), np.array([1 / place.distance])
        source, ear = self._in_box((place.x, place.y, place.z)), np.array(self._in_box(EAR))
        axes = []
        for at, length in zip(source, self.size, strict=True):
            # Number of reflections, and position of the image: mirrored for odd numbers, shifted for even ones.
            met = range(-MIRRORINGS, MIRRORINGS + 1)
            axes.append([(abs(m), m * length + (at if m % 2 == 0 else length - at)) for m in met])
        bounce = math.sqrt(1 - self._absorbed)
        images = [(sum(m for m, _ in image), [at for _, at in image]) for image in product(*axes)]
        images = sorted((image for image in images if image[0] <= MIRRORINGS), key=lambda image: image[0])
        ways = np.maximum(NEAREST_M, np.linalg.norm(np.array([at for _, at in images]) - ear, axis=1))
        return ways, bounce ** np.array([m for m, _ in images]) / ways

    def _add_tail(self, heard: NDArray[np.float64], start_s: float, rng: np.random.Generator) -> None:
        """Add the diffuse tail after the mirror images, with the level given by the room's absorption."""
        a, b, c = self.size
        surface, absorbed = 2 * (a * b + b * c + a * c), self._absorbed
        energy = (
            16 * math.pi * (1 - absorbed) / (surface * absorbed)
        )  # of the whole tail; the direct sound's is 1 at 1 m
        decay = 6 * math.log(10) / self.reverb_s
        first = round((start_s + MIRRORINGS * min(self.size) / SPEED_OF_SOUND) * RATE_HZ)
        since = np.arange(first, len(heard)) / RATE_HZ - start_s
        power = energy * decay / RATE_HZ * np.exp(-decay * since)
        fade = np.minimum(1.0, np.arange(len(since)) / (0.01 * RATE_HZ))
        heard[first:] += fade * np.sqrt(power) * rng.standard_normal(len(since))


def _add_clicks(heard: NDArray[np.float64], times: NDArray[np.float64], gains: NDArray[np.float64]) -> None:
    """Add band-limited clicks at fractional sample times; samples outside `heard` are dropped."""
    whole = np.floor(times).astype(int)
    around = np.arange(-KERNEL // 2 + 1, KERNEL // 2 + 1)
    offset = around - (times - whole)[:, None]
    shape = np.sinc(offset) * np.cos(np.pi * offset / (KERNEL + 2)) ** 2
    index = whole[:, None] + around
    inside = (index >= 0) & (index < len(heard))
    np.add.at(heard, index[inside], (gains[:, None] * shape)[inside])
