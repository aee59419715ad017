"""Protocols of the robot's media devices: `Camera`, `Microphone`, `Speaker`; and `Media`, one provider of all three.

`providers` chooses the provider; each has a module of its own. Audio is 16 kHz, 16 bits little-endian, mono, in both
directions. An unavailable device raises NotReady with the reason and a hint; a device that was lost raises LinkLost,
which is a NotReady too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol, Self

from reachy_mind.errors import NotReady

SAMPLE_RATE_HZ = 16000
BLOCK_SAMPLES = 320
BLOCK_BYTES = 2 * BLOCK_SAMPLES
"""Twenty milliseconds."""
MAX_QUEUED_S = 1.0
"""Playback buffer: `write` waits above this. Enough to bridge a stutter of ours, little enough for a quick flush."""
MAX_READER_LAG_S = 2.0
"""A microphone reader that lags further behind loses the oldest samples."""


class Camera(Protocol):
    """Use as `async with`."""

    @property
    def device(self) -> str:
        """A description of the device, once it is open."""

    async def frame(self) -> bytes:
        """Take a frame now, as JPEG."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


class Microphone(Protocol):
    """`async with` it, then `async for block in microphone`: blocks of 20 ms.

    A reader that lags more than two seconds loses the oldest.
    """

    @property
    def device(self) -> str:
        """A description of the device, once it is open."""

    lost: int
    """Samples lost so far."""
    position: int
    """Samples up to the end of the last block, lost ones included."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


class Speaker(Protocol):
    """Use as `async with`; on exit, samples not played yet are dropped."""

    @property
    def device(self) -> str:
        """A description of the device, once it is open."""

    @property
    def written(self) -> int:
        """Samples written since the start, less those that `flush` dropped."""

    @property
    def position(self) -> int:
        """Samples played since the start."""

    async def write(self, pcm: bytes) -> None:
        """Queue samples. Waits while more than a second is queued."""

    async def drained(self) -> None:
        """Wait until everything written has been played."""

    async def flush(self) -> int:
        """Stop playback now. Returns the number of queued samples that were dropped."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *_: object) -> None: ...


FrameObjects = Callable[[str], Awaitable[list[dict[str, Any]]]]
"""The objects visible in a simulated frame, by the digest of its JPEG. Raises NotReady for any other picture."""


@dataclass(frozen=True, slots=True)
class Media:
    """A provider of camera, microphone and speaker, and why it was chosen.

    `camera()`, `microphone()` and `speaker()` create a device that is not open yet, or raise NotReady.
    """

    provider: str
    """sim, direct, vendor, local, files, line, none, or the name of a plug-in."""
    reason: str
    camera: Callable[[], Camera]
    microphone: Callable[[], Microphone]
    speaker: Callable[[], Speaker]
    frame_objects: FrameObjects | None = field(default=None, kw_only=True)
    """Asks a simulated camera for what is in one of its frames; None: ask the simulator at the robot's address."""
    ahead_s: float | None = field(default=None, kw_only=True)
    """How far ahead of playback the answer is written; None: as usual. A network between needs more."""


def unavailable(what: str, reason: str, hint: str) -> Callable[[], NoReturn]:
    """A factory for a device that does not exist: it raises NotReady."""

    def refuse() -> NoReturn:
        raise NotReady(f"there is no {what}: {reason}", hint=hint)

    return refuse


def no_media(reason: str, hint: str) -> Media:
    """A provider without any device."""
    devices = [unavailable(what, reason, hint) for what in ("camera", "microphone", "loudspeaker")]
    return Media("none", reason, *devices)
