"""What the simulated robot hears and says: sources in a room, noise, and its own loudspeaker's echo, block by block.

`Sound` has no clock of its own: `tick` makes the next twenty milliseconds, and the daemon calls it once per period of
the simulator's clock. The same calls with the same seed make the same sound, to the bit.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim import wav
from reachy_mind.sim.convolution import BLOCK, Convolver
from reachy_mind.sim.hearing import Hearing
from reachy_mind.sim.playback import Clip, Live
from reachy_mind.sim.room import RATE_HZ, SPEAKER, Place, Room, Samples
from reachy_mind.sim.tap import Tap

TAPE_S = 60
MOST_SOURCES = 16
STRIDE_M = 0.05
"""A sound that moves is heard from elsewhere when it has come this far: a new response takes a while to work out."""


@dataclass(frozen=True, slots=True)
class Acoustics:
    """The room, and what colours everything in it. Levels are in decibels of full scale, or relative."""

    room: Room = field(default_factory=Room)
    noise_db: float | None = -60.0
    """Background noise; None for none."""
    echo_db: float = 0.0
    """The robot's voice in its own microphones, straight from the loudspeaker at full volume, against what was played.

    An estimate, not measured on a robot: as loud as a person at one metre, eighteen centimetres away, with the body in
    between.
    """
    echo_delay_s: float = 0.03
    """What the sound card's buffers add to the way through the air. An estimate as well."""
    seed: int = 0


class Source:
    """A sound at a place."""

    def __init__(self, name: str, supply: Clip | Live, place: Place, gain: float, tail_seed: int) -> None:
        self.name, self.supply, self.place, self.gain = name, supply, place, gain
        self.whereabouts: Callable[[], Place | None] | None = None
        self.tail_seed = tail_seed
        self.power = 0.0
        self._convolver: Convolver | None = None
        self._ringing = 0

    def tune(self, room: Room) -> None:
        """Be heard from `place` in this room from the next block on."""
        taps = room.response(self.place, self.tail_seed)
        if self._convolver is None:
            self._convolver = Convolver(taps)
        else:
            self._convolver.retune(taps)

    def hear(self, now: int) -> Samples:
        """The next block at the microphones; `power` is that of the direct sound in it."""
        assert self._convolver is not None
        self._ringing = self._ringing + 1 if self.supply.over(now) else 0
        block = self.supply.take(now) * np.float32(self.gain)
        self.power = float(np.mean(np.square(block))) / self.place.distance**2
        return self._convolver(block)

    @property
    def silent(self) -> bool:
        """Over, its echo too."""
        assert self._convolver is not None
        return self._ringing > len(self._convolver)


class Sound:
    """All that sounds around the robot, and its loudspeaker. The robot's foot stands so high above the floor."""

    def __init__(self, foot_height: float = 0.8) -> None:
        self.now = 0
        self.microphone = Tap()
        self.speaker = Tap()
        self.voices: list[Live] = []
        self.microphone_tape: deque[bytes] = deque(maxlen=TAPE_S * RATE_HZ // BLOCK)
        self.speaker_tape: deque[bytes] = deque(maxlen=TAPE_S * RATE_HZ // BLOCK)
        self.sources: dict[str, Source] = {}
        self.volume = self.microphone_volume = 100
        """Percent of full scale, played and heard."""
        self._number = 0
        self._first = Acoustics(Room(foot_height=foot_height))
        self.acoustics = self._first
        self._start()

    def _start(self) -> None:
        seed = self.acoustics.seed
        self.hearing = Hearing(seed)
        self._rng = np.random.default_rng([seed, 0])
        self._noise = Convolver(_rumble())
        self._echo = Convolver(self._echo_taps())

    def reset(self) -> None:
        """As freshly started, but for the time, which goes on, and whoever listens."""
        for source in list(self.sources.values()):
            self.remove(source)
        for voice in self.voices:
            voice.flush()
        self.volume = self.microphone_volume = 100
        self._number, self.acoustics = 0, self._first
        self._start()

    def arrange(self, acoustics: Acoustics) -> None:
        """Another room, noise or echo. A new seed starts noise and direction afresh."""
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

    def follow(self, supply: Clip | Live, whereabouts: Callable[[], Place | None], gain_db: float = 0.0) -> Source:
        """As `add`, for a sound that moves by itself; None from `whereabouts` ends it."""
        place = whereabouts()
        if place is None:
            raise InvalidParameter("there is nobody to make this sound")
        source = self.add(supply, place, gain_db)
        source.whereabouts = whereabouts
        return source

    def _keep_up(self, source: Source) -> None:
        """With a sound that moves. Out of the room it is heard from where it left."""
        assert source.whereabouts is not None
        place = source.whereabouts()
        if place is None:
            self.remove(source)
        elif math.dist((place.x, place.y, place.z), (source.place.x, source.place.y, source.place.z)) > STRIDE_M:
            with contextlib.suppress(InvalidParameter):
                self.move(source, place)

    def add(self, supply: Clip | Live, place: Place, gain_db: float = 0.0) -> Source:
        """Let something sound at a place. Raises InvalidParameter when it is outside, or when there is too much."""
        self.acoustics.room.check(place)
        if len(self.sources) >= MOST_SOURCES:
            raise InvalidParameter(f"{MOST_SOURCES} sounds are there already", hint="remove one, or wait for its end")
        self._number += 1
        source = Source(f"sound-{self._number}", supply, place, _amplitude(gain_db), self._number)
        source.tail_seed += 1000 * self.acoustics.seed
        source.tune(self.acoustics.room)
        self.sources[source.name] = source
        return source

    def move(self, source: Source, place: Place, gain_db: float | None = None) -> None:
        """Let it sound from elsewhere, or as loud as that."""
        self.acoustics.room.check(place)
        if gain_db is not None:
            source.gain = _amplitude(gain_db)
        if place != source.place:
            source.place = place
            source.tune(self.acoustics.room)

    def remove(self, source: Source) -> None:
        """Silence it at once. Who still streams into it is heard no more."""
        del self.sources[source.name]
        if isinstance(source.supply, Live):
            source.supply.end()
            source.supply.flush()

    def play(self, samples: Samples) -> Live:
        """Through the loudspeaker, from the next block on."""
        voice = Live()
        voice.feed(samples)
        voice.end()
        self.voices.append(voice)
        return voice

    def tick(self, head: Callable[[], Sequence[float]]) -> None:
        """The next block: played, heard, recorded, and given to whoever listens."""
        for source in [source for source in self.sources.values() if source.whereabouts is not None]:
            self._keep_up(source)
        said = self._said()
        heard = self._echo(said)
        noise_db = self.acoustics.noise_db
        noise = 0.0 if noise_db is None else _amplitude(noise_db)
        if noise:
            heard = heard + self._noise(self._rng.standard_normal(BLOCK, dtype=np.float32)) * np.float32(noise)
        for source in list(self.sources.values()):
            heard = heard + source.hear(self.now)
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

    def _said(self) -> Samples:
        total = np.zeros(BLOCK, dtype=np.float32)
        for voice in self.voices:
            total += voice.take(self.now)
        self.voices = [voice for voice in self.voices if not voice.over(self.now)]
        return np.clip(total, -1, 1) * np.float32(self.volume / 100)

    def _echo_taps(self) -> Samples:
        place, acoustics = Place(*SPEAKER), self.acoustics
        taps = acoustics.room.response(place, acoustics.seed, delay_s=acoustics.echo_delay_s)
        return taps * np.float32(_amplitude(acoustics.echo_db) * place.distance)


def _amplitude(decibels: float) -> float:
    return float(10 ** (decibels / 20))


def _rumble() -> Samples:
    """A filter that makes white noise sound like a room: less of it the higher it is, as loud as before."""
    frequency = np.fft.rfftfreq(BLOCK, 1 / RATE_HZ)
    shape = 1 / np.sqrt(np.maximum(frequency, 100.0))
    taps = np.roll(np.fft.irfft(shape), BLOCK // 2) * np.hanning(BLOCK)
    return np.asarray(taps / np.linalg.norm(taps), dtype=np.float32)
