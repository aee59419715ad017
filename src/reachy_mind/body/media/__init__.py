"""The robot's camera, microphone and loudspeaker, whoever provides them.

`choice` says who does and why; each provider has a module of its own. Sound is 16 kHz, 16 bits little-endian, mono, in
both directions. Whatever can't be had raises NotReady with the reason and a hint; what was there and has gone raises
LinkLost, which is a NotReady too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Literal, NoReturn, Protocol, Self

from reachy_mind.errors import NotReady

Provider = Literal["sim", "direct", "vendor", "local", "files", "line", "none"]

SAMPLE_RATE_HZ = 16000
BLOCK_SAMPLES = 320
BLOCK_BYTES = 2 * BLOCK_SAMPLES
"""Twenty milliseconds."""
AHEAD_S = 1.0
"""How far ahead of the loudspeaker samples are handed over: enough for a stutter of ours, little for a flush."""
LATE_S = 2.0
"""How late a reader of the microphone may be before the oldest sound is lost."""


class Camera(Protocol):
    """Use as `async with`."""

    @property
    def device(self) -> str:
        """What it is, in words, once it is open."""

    async def frame(self) -> bytes:
        """What is seen now, as JPEG."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


class Microphone(Protocol):
    """`async with` it, then `async for block in microphone`: blocks of 20 ms.

    A reader that is more than two seconds late loses the oldest.
    """

    @property
    def device(self) -> str:
        """What it is, in words, once it is open."""

    lost: int
    """Samples that were lost."""
    position: int
    """Samples up to the end of the last block, lost ones included."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


class Speaker(Protocol):
    """Use as `async with`; what is not played at the end is not heard."""

    @property
    def device(self) -> str:
        """What it is, in words, once it is open."""

    @property
    def written(self) -> int:
        """Samples handed over since the start, less those forgotten by `flush`."""

    @property
    def position(self) -> int:
        """Samples that have left the loudspeaker since the start."""

    async def write(self, pcm: bytes) -> None:
        """Play this after what was written before. Waits while more than a second is still to be played."""

    async def drained(self) -> None:
        """Wait until everything written has been played."""

    async def flush(self) -> int:
        """Fall silent now. The number of written samples that nobody will hear."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Media:
    """Who provides camera, microphone and loudspeaker, and why it is them.

    `camera()`, `microphone()` and `speaker()` make one that is not open yet; each raises NotReady where there is none.
    """

    provider: Provider
    reason: str
    camera: Callable[[], Camera]
    microphone: Callable[[], Microphone]
    speaker: Callable[[], Speaker]


def missing(what: str, reason: str, hint: str) -> Callable[[], NoReturn]:
    """In the place of a device that is not there."""

    def refuse() -> NoReturn:
        raise NotReady(f"there is no {what}: {reason}", hint=hint)

    return refuse


def nothing(reason: str, hint: str) -> Media:
    """No media at all."""
    devices = [missing(what, reason, hint) for what in ("camera", "microphone", "loudspeaker")]
    return Media("none", reason, *devices)
