"""`Sounds`: sound files that clients give the daemon, played by the robot's loudspeaker, alone or beside a move.

One plays at a time, as on the robot; what a program streams to the loudspeaker itself is mixed with it. WAV alone can
be read: the vendor's daemon has a media framework for the rest.
"""

from __future__ import annotations

import asyncio

import numpy as np

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim import wav
from reachy_mind.sim.playback import Live
from reachy_mind.sim.robot import Move
from reachy_mind.sim.room import RATE_HZ, Samples
from reachy_mind.sim.sound import Sound

MOST_SAMPLES = 900 * RATE_HZ
"""Of all files together: a quarter of an hour."""


class Sounds:
    """Kept in memory: a simulator that starts has none. When there is too much, the oldest file is forgotten."""

    def __init__(self, sound: Sound) -> None:
        self._sound = sound
        self._files: dict[str, Samples] = {}
        self._playing: tuple[str, Live] | None = None

    def names(self) -> list[str]:
        return sorted(self._files)

    async def keep(self, name: str, content: bytes) -> None:
        """Raises InvalidParameter for what is no WAV file."""
        samples = await asyncio.to_thread(wav.read, content)
        self._files.pop(name, None)
        self._files[name] = samples
        while sum(map(len, self._files.values())) > MOST_SAMPLES:
            del self._files[next(iter(self._files))]

    def forget(self, name: str) -> None:
        """Raises KeyError when there is none."""
        del self._files[name]

    def play(self, name: str) -> None:
        """Raises InvalidParameter when no such file was given."""
        if name not in self._files:
            there = ", ".join(self.names()) or "none"
            raise InvalidParameter(
                f"no sound {name!r}: the simulator has only those that were uploaded", hint=f"uploaded: {there}"
            )
        self.start(name, self._files[name])

    def start(self, title: str, samples: Samples) -> None:
        """Play this now; what played before ends."""
        self.stop()
        self._playing = title, self._sound.play(samples)

    def stop(self, title: str | None = None) -> None:
        """Silence; with a title, only if that is what plays."""
        if self._playing is not None and title in (None, self._playing[0]):
            self._playing[1].flush()
            self._playing = None

    def accompany(self, move: Move, samples: Samples | None, after_s: float = 0.0) -> None:
        """Play a move's sound from `after_s` seconds on. It ends with a move that is ended early."""
        if samples is None:
            return
        silence = np.zeros(round(after_s * RATE_HZ), dtype=np.float32)
        title = str(move.uuid)
        self.start(title, np.concatenate([silence, samples]))

        def over(done: asyncio.Future[str | None]) -> None:
            if done.cancelled() or done.result() is not None:
                self.stop(title)

        move.done.add_done_callback(over)
