"""`Sounds`: sound files uploaded by clients, played by the robot's loudspeaker, alone or with a move.

One plays at a time, as on the robot; streams to the loudspeaker are mixed with it. Only WAV is supported: the vendor's
daemon has a media framework for other formats.
"""

from __future__ import annotations

import asyncio

import numpy as np

from reachy_mind.body.wav import RATE_HZ, Samples
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.playback import LiveSound, read_clip
from reachy_mind.sim.robot import RobotMove
from reachy_mind.sim.sound_mixer import SoundMixer

MAX_SAMPLES = 900 * RATE_HZ
"""Total of all files: a quarter of an hour."""


class Sounds:
    """Kept in memory only. Beyond the limit the oldest files are dropped."""

    def __init__(self, sound: SoundMixer) -> None:
        self._sound = sound
        self._files: dict[str, Samples] = {}
        self._playing: tuple[str, LiveSound] | None = None

    def names(self) -> list[str]:
        return sorted(self._files)

    async def keep(self, name: str, content: bytes) -> None:
        """Raises InvalidParameter for a file that can't be read."""
        samples = await asyncio.to_thread(read_clip, content)
        self._files.pop(name, None)
        self._files[name] = samples
        while sum(map(len, self._files.values())) > MAX_SAMPLES:
            del self._files[next(iter(self._files))]

    def forget(self, name: str) -> None:
        """Raises KeyError for an unknown name."""
        del self._files[name]

    def play(self, name: str) -> None:
        """Raises InvalidParameter for an unknown name."""
        if name not in self._files:
            there = ", ".join(self.names()) or "none"
            raise InvalidParameter(
                f"no sound {name!r}: the simulator has only those that were uploaded", hint=f"uploaded: {there}"
            )
        self.start(name, self._files[name])

    def start(self, title: str, samples: Samples) -> None:
        """Play samples now; ends the previous sound."""
        self.stop()
        self._playing = title, self._sound.play(samples)

    def stop(self, title: str | None = None) -> None:
        """Stop the sound; with a title, only that sound."""
        if self._playing is not None and title in (None, self._playing[0]):
            self._playing[1].flush()
            self._playing = None

    def accompany(self, move: RobotMove, samples: Samples | None, after_s: float = 0.0) -> None:
        """Play a move's sound after `after_s` seconds. It stops when the move ends early."""
        if samples is None:
            return
        silence = np.zeros(round(after_s * RATE_HZ), dtype=np.float32)
        title = str(move.uuid)
        self.start(title, np.concatenate([silence, samples]))

        def over(done: asyncio.Future[str | None]) -> None:
            if done.cancelled() or done.result() is not None:
                self.stop(title)

        move.done.add_done_callback(over)
