"""`SoundMixer`: mixes what the simulated robot hears: sources in a room, noise, and the echo of its own loudspeaker.

It has no clock of its own: `tick` computes the next 20 ms, and the daemon calls it once per control period. The same
calls with the same seed give the same sound, bit by bit.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reachy_mind.body import wav
from reachy_mind.body.wav import RATE_HZ, Samples
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.audio_tap import AudioTap
from reachy_mind.sim.convolution import BLOCK, Convolver
from reachy_mind.sim.playback import LiveSound, SoundClip
from reachy_mind.sim.room_acoustics import SPEAKER, RoomAcoustics, SoundPlace
from reachy_mind.sim.sound_direction import SoundDirectionReport

TAPE_S = 60
MAX_SOURCES = 16
MIN_SOURCE_STEP_M = 0.05
"""A moving source gets a new impulse response after this distance, because computing one is slow."""


@dataclass(frozen=True, slots=True)
class Acoustics:
    """The room, noise and echo. Levels are in decibels of full scale, or relative."""

    room: RoomAcoustics = field(default_factory=RoomAcoustics)
    noise_db: float | None = -60.0
    """Background noise; None for none."""
    echo_db: float = 0.0
    """Level of the robot's voice in its own microphones, direct from the loudspeaker at full volume.

    An estimate, not measured on a robot: as loud as a person at one metre, eighteen centimetres away, with the body in
    between.
    """
    echo_delay_s: float = 0.03
    """Delay of the sound card's buffers, in addition to the travel time. An estimate as well."""
    seed: int = 0


class SoundSource:
    """A sound source at a place in the room."""

    def __init__(
        self, name: str, supply: SoundClip | LiveSound, place: SoundPlace, gain: float, tail_seed: int
    ) -> None:
        self.name, self.supply, self.place, self.gain = name, supply, place, gain
        self.position_of: Callable[[], SoundPlace | None] | None = None
        self.tail_seed = tail_seed
        self.power = 0.0
        self._convolver: Convolver | None = None
        self._ringing = 0

    def tune(self, room: RoomAcoustics) -> None:
        """Use the impulse response of `place` in this room from the next block on."""
        taps = room.response(self.place, self.tail_seed)
        if self._convolver is None:
            self._convolver = Convolver(taps)
        else:
            self._convolver.retune(taps)

    def render(self, now: int) -> Samples:
        """The next block at the microphones; `power` is that of the direct sound in it."""
        assert self._convolver is not None
        self._ringing = self._ringing + 1 if self.supply.over(now) else 0
        block = self.supply.take(now) * np.float32(self.gain)
        self.power = float(np.mean(np.square(block))) / self.place.distance**2
        return self._convolver(block)

    @property
    def silent(self) -> bool:
        """Whether the sound and its echo have ended."""
        assert self._convolver is not None
        return self._ringing > len(self._convolver)


class SoundMixer:
    """All sound sources and the loudspeaker. `foot_height`: height of the robot's foot above the floor."""

    def __init__(self, foot_height: float = 0.8) -> None:
        self.now = 0
        self.microphone = AudioTap()
        self.speaker = AudioTap()
        self.voices: list[LiveSound] = []
        self.microphone_tape: deque[bytes] = deque(maxlen=TAPE_S * RATE_HZ // BLOCK)
        self.speaker_tape: deque[bytes] = deque(maxlen=TAPE_S * RATE_HZ // BLOCK)
        self.sources: dict[str, SoundSource] = {}
        self.volume = self.microphone_volume = 100
        """Percent of full scale, of loudspeaker and microphone."""
        self._number = 0
        self._first = Acoustics(RoomAcoustics(foot_height=foot_height))
        self.acoustics = self._first
        self._start()

    def _start(self) -> None:
        seed = self.acoustics.seed
        self.hearing = SoundDirectionReport(seed)
        self._rng = np.random.default_rng([seed, 0])
        self._noise = Convolver(_rumble())
        self._echo = Convolver(self._echo_taps())

    def reset(self) -> None:
        """Reset to the start, except for the time and the listeners."""
        for source in list(self.sources.values()):
            self.remove(source)
        for voice in self.voices:
            voice.flush()
        self.volume = self.microphone_volume = 100
        self._number, self.acoustics = 0, self._first
        self._start()

    def set_acoustics(self, acoustics: Acoustics) -> None:
        """Change room, noise or echo. A new seed restarts noise and direction."""
        for source in self.sources.values():
            acoustics.room.check(source.place)
        anew = acoustics.seed != self.acoustics.seed
        self.acoustics = acoustics
        for source in self.sources.values():
            source.tune(acoustics.room)
        if anew:
            self._start()
        else:
            self._echo.retune(self._echo_taps())

    def follow(
        self, supply: SoundClip | LiveSound, position_of: Callable[[], SoundPlace | None], gain_db: float = 0.0
    ) -> SoundSource:
        """As `add`, for a moving source; None from `position_of` ends it."""
        place = position_of()
        if place is None:
            raise InvalidParameter("there is nobody to make this sound")
        source = self.add(supply, place, gain_db)
        source.position_of = position_of
        return source

    def _update_position(self, source: SoundSource) -> None:
        """Update a moving source. Outside of the room it stays where it left."""
        assert source.position_of is not None
        place = source.position_of()
        if place is None:
            self.remove(source)
        elif (
            math.dist((place.x, place.y, place.z), (source.place.x, source.place.y, source.place.z)) > MIN_SOURCE_STEP_M
        ):
            with contextlib.suppress(InvalidParameter):
                self.move(source, place)

    def add(self, supply: SoundClip | LiveSound, place: SoundPlace, gain_db: float = 0.0) -> SoundSource:
        """Add a source. Raises InvalidParameter for a place outside of the room, or too many sources."""
        self.acoustics.room.check(place)
        if len(self.sources) >= MAX_SOURCES:
            raise InvalidParameter(f"{MAX_SOURCES} sounds are there already", hint="remove one, or wait for its end")
        self._number += 1
        source = SoundSource(f"sound-{self._number}", supply, place, _amplitude(gain_db), self._number)
        source.tail_seed += 1000 * self.acoustics.seed
        source.tune(self.acoustics.room)
        self.sources[source.name] = source
        return source

    def move(self, source: SoundSource, place: SoundPlace, gain_db: float | None = None) -> None:
        """Change the place of a source, or its gain."""
        self.acoustics.room.check(place)
        if gain_db is not None:
            source.gain = _amplitude(gain_db)
        if place != source.place:
            source.place = place
            source.tune(self.acoustics.room)

    def remove(self, source: SoundSource) -> None:
        """Remove a source at once. Its stream is ended."""
        del self.sources[source.name]
        if isinstance(source.supply, LiveSound):
            source.supply.end()
            source.supply.flush()

    def play(self, samples: Samples) -> LiveSound:
        """Play samples through the loudspeaker, from the next block on."""
        voice = LiveSound()
        voice.feed(samples)
        voice.end()
        self.voices.append(voice)
        return voice

    def tick(self, head: Callable[[], Sequence[float]]) -> None:
        """Compute the next block: play, hear, record and broadcast it."""
        for source in [source for source in self.sources.values() if source.position_of is not None]:
            self._update_position(source)
        said = self._mix_speaker()
        heard = self._echo(said)
        noise_db = self.acoustics.noise_db
        noise = 0.0 if noise_db is None else _amplitude(noise_db)
        if noise:
            heard = heard + self._noise(self._rng.standard_normal(BLOCK, dtype=np.float32)) * np.float32(noise)
        for source in list(self.sources.values()):
            heard = heard + source.render(self.now)
            if source.silent:
                del self.sources[source.name]
        heard = heard * np.float32(self.microphone_volume / 100)
        powers = [(source.place, source.power) for source in self.sources.values()]
        self.hearing.listen(powers, noise**2, head())
        self.now += BLOCK
        for block, tap, tape in (
            (heard, self.microphone, self.microphone_tape),
            (said, self.speaker, self.speaker_tape),
        ):
            pcm = wav.to_pcm(block)
            tape.append(pcm)
            tap.offer(pcm)

    def _mix_speaker(self) -> Samples:
        total = np.zeros(BLOCK, dtype=np.float32)
        for voice in self.voices:
            total += voice.take(self.now)
        self.voices = [voice for voice in self.voices if not voice.over(self.now)]
        return np.clip(total, -1, 1) * np.float32(self.volume / 100)

    def _echo_taps(self) -> Samples:
        place, acoustics = SoundPlace(*SPEAKER), self.acoustics
        taps = acoustics.room.response(place, acoustics.seed, delay_s=acoustics.echo_delay_s)
        return taps * np.float32(_amplitude(acoustics.echo_db) * place.distance)


def _amplitude(decibels: float) -> float:
    return float(10 ** (decibels / 20))


def _rumble() -> Samples:
    """A filter that turns white noise into room noise: falling with frequency, same total power."""
    frequency = np.fft.rfftfreq(BLOCK, 1 / RATE_HZ)
    shape = 1 / np.sqrt(np.maximum(frequency, 100.0))
    taps = np.roll(np.fft.irfft(shape), BLOCK // 2) * np.hanning(BLOCK)
    return np.asarray(taps / np.linalg.norm(taps), dtype=np.float32)
