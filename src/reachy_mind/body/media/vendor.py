"""Media provider `vendor`: camera, microphone and speaker through the vendor's SDK. Not tried on a physical robot.

One process in the vendor's environment serves all three while at least one is open.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Self

from reachy_mind.body.address import Address
from reachy_mind.body.media import BLOCK_SAMPLES, Media
from reachy_mind.body.media.microphone_buffer import MicrophoneBuffer
from reachy_mind.body.media.remote_speaker import RemoteSpeaker
from reachy_mind.body.media.shared_resource import SharedResource
from reachy_mind.body.media.vendor_process import SOUND
from reachy_mind.body.media.vendor_sdk import SdkProcess
from reachy_mind.config.settings import Settings
from reachy_mind.errors import LinkLost, NotReady


class VendorCamera:
    """Use as `async with`."""

    device = "robot's camera, by the vendor's SDK"

    def __init__(self, shared: SharedResource[SdkProcess]) -> None:
        self._shared = shared
        self._process: SdkProcess | None = None

    async def frame(self) -> bytes:
        """Take a frame now, as JPEG."""
        if self._process is None:
            raise NotReady("the camera is not open", hint="use it within `async with`")
        return await self._process.look()

    async def __aenter__(self) -> Self:
        async with _entering(self._shared, "camera", "camera") as process:
            self._process = process
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None:
            self._process = None
            await self._shared.__aexit__()


class VendorMicrophone:
    """Use as `async with`, then `async for`. One at a time."""

    device = "robot's microphone, by the vendor's SDK"

    def __init__(self, shared: SharedResource[SdkProcess]) -> None:
        self._shared = shared
        self._process: SdkProcess | None = None
        self._buffer: MicrophoneBuffer | None = None
        self.lost = 0
        self.position = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the vendor's process is gone."""
        buffer = self._buffer
        if buffer is None:
            raise NotReady("the microphone is not open", hint="use it within `async with`")
        while True:
            missed, block = await buffer.take()
            self.lost += missed
            self.position += missed + BLOCK_SAMPLES
            yield block

    async def __aenter__(self) -> Self:
        async with _entering(self._shared, "sound", "microphone") as process:
            if process.buffer is not None:
                raise NotReady("the robot's microphone is open already", hint="one at a time")
            await process.send_message("listen", on=True)
            self._process = process
            self._buffer = process.buffer = MicrophoneBuffer("robot's microphone")
            self.lost = self.position = 0
        return self

    async def __aexit__(self, *_: object) -> None:
        process, self._process, self._buffer = self._process, None, None
        if process is not None:
            process.buffer = None
            with contextlib.suppress(LinkLost):
                await process.send_message("listen", on=False)
            await self._shared.__aexit__()


class VendorSpeaker(RemoteSpeaker):
    """Use as `async with`. One at a time. Positions are estimated by the clock: the SDK does not report them."""

    device = "robot's loudspeaker, by the vendor's SDK"

    def __init__(self, shared: SharedResource[SdkProcess]) -> None:
        super().__init__("robot's loudspeaker")
        self._shared = shared
        self._process: SdkProcess | None = None

    async def send(self, order: bytes | dict[str, str]) -> None:
        assert self._process is not None
        if isinstance(order, bytes):
            await self._process.send(SOUND, order)
        else:
            await self._process.send_message(order["type"])

    async def __aenter__(self) -> Self:
        async with _entering(self._shared, "sound", "loudspeaker") as process:
            if process.speaker is not None:
                raise NotReady("the robot's loudspeaker is open already", hint="one at a time")
            await process.send_message("begin")
            self._process, process.speaker = process, self
            self.progress.opened()
        return self

    async def __aexit__(self, *_: object) -> None:
        process = self._process
        if process is not None:
            with contextlib.suppress(LinkLost):
                await self.flush()
            self._process = process.speaker = None
            await self._shared.__aexit__()
        self.progress.closed()


@contextlib.asynccontextmanager
async def _entering(shared: SharedResource[SdkProcess], part: str, what: str) -> AsyncIterator[SdkProcess]:
    """Enter the shared process; left again when the body fails. Raises NotReady when the SDK has no such device."""
    process = await shared.__aenter__()
    try:
        if not process.has[part]:
            raise NotReady(f"there is no {what}: the vendor's SDK found none", hint="the daemon's log says why")
        yield process
    except BaseException:
        await shared.__aexit__()
        raise


def vendor(address: Address, settings: Settings, reason: str) -> Media:
    python = settings.media.vendor_python
    assert python is not None
    shared = SharedResource(lambda: SdkProcess(python, address, settings.robot.app_name))
    return Media(
        "vendor",
        reason,
        camera=lambda: VendorCamera(shared),
        microphone=lambda: VendorMicrophone(shared),
        speaker=lambda: VendorSpeaker(shared),
    )
