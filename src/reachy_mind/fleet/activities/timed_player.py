"""What `DeviceActivities` needs of a device: a loudspeaker that begins on time, a voice, moves where there is a body.

Sound is 16 kHz, 16 bits little-endian, mono. `at` is a time of `time.monotonic()`.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol

RATE: Final = 16000
SAMPLE_BYTES: Final = 2


class TimedPlayer(Protocol):
    """A loudspeaker. Two sounds may wait at once, the later one beginning when or after the other one ends."""

    async def play(self, pcm: bytes, *, at: float | None = None, kind: Literal["activity"] = "activity") -> None:
        """Returns when it was played or silenced; `at`: when its first sample leaves the loudspeaker."""
        ...

    async def silence(self, *kinds: Literal["activity"]) -> None:
        """Drop what is playing or waits."""
        ...


class SpokenTexts(Protocol):
    """The device's own voice. `name` changes when the same text would sound different."""

    @property
    def name(self) -> str: ...

    async def speech(self, text: str, language: str) -> bytes:
        """The sound of a text. Raises MindError."""
        ...


class TimedMoves(Protocol):
    """A robot's body."""

    async def play_move(self, name: str, *, at: float) -> None:
        """Begin a move at this time; returns when it has ended. Raises MindError."""
        ...

    async def stop_moves(self) -> None: ...
