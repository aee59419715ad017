"""`LiveRecording`: records a video while time runs, with the sound of the room; `SoundTrack` is that sound.

Pictures come from wherever the caller says. A picture that is late is replaced by the one before, and missing sound by
silence, so that both last as long as what happened.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Self

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from reachy_mind.body import protocol
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import HardwareError
from reachy_mind.sim.avi_file import SOUND_HZ
from reachy_mind.sim.video_file import VideoFile

MAX_LATE_SOUND_S = 0.3
"""Sound that has not come by then is taken for silence."""


class SoundTrack:
    """What is heard in the simulated room, robot and people. Use as `async with`; `take` returns what has come."""

    def __init__(self, simulator: str) -> None:
        self._uri = f"{simulator.replace('http', 'ws', 1)}{protocol.SIM_AUDIO}/microphone"
        self._heard = bytearray()
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            line = await stack.enter_async_context(connect(self._uri, compression=None, proxy=None))
            stack.push_async_callback(cancel_and_wait, asyncio.create_task(self._listen(line), name="sound track"))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _listen(self, line: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in line:
                if isinstance(frame, bytes):
                    self._heard += frame
                elif (message := json.loads(frame))["type"] == "lost":
                    self._heard += bytes(2 * message["samples"])

    def take(self, samples: int) -> bytes:
        """At most so many samples; fewer when no more have come."""
        taken = bytes(self._heard[: 2 * samples])
        del self._heard[: len(taken)]
        return taken


class LiveRecording:
    """Fills a video for the duration of an `async with`. `pictures` gives a JPEG; all have one size."""

    def __init__(
        self, pictures: Callable[[], Awaitable[bytes]], video: VideoFile, fps: float, sound: SoundTrack | None = None
    ) -> None:
        self._pictures, self._video, self._fps, self._sound = pictures, video, fps, sound
        self._samples = 0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        picture = await self._pictures()  # what can't be recorded at all is known at once
        self._task = asyncio.create_task(self._record(picture), name="recording")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        assert self._task is not None
        if kind is None:
            await cancel_and_wait(self._task)
        else:  # the first error is the one to tell
            with contextlib.suppress(Exception):
                await cancel_and_wait(self._task)

    async def _record(self, picture: bytes) -> None:
        if self._sound is not None:
            self._sound.take(1 << 30)  # from before the first frame
        start, frame = time.monotonic(), 0
        while True:
            self._video.add(picture)
            frame += 1
            wait = start + frame / self._fps - time.monotonic()
            if wait > -1 / self._fps:  # else it is late, and the picture is shown once more
                await asyncio.sleep(max(0.0, wait))
                picture = await self._pictures()
            self._add_sound(time.monotonic() - start)

    def _add_sound(self, elapsed_s: float) -> None:
        if self._sound is None:
            return
        due = round(elapsed_s * SOUND_HZ) - self._samples
        pcm = self._sound.take(due)
        silent = due - len(pcm) // 2 - round(MAX_LATE_SOUND_S * SOUND_HZ)
        pcm += bytes(2 * max(0, silent))
        self._samples += len(pcm) // 2
        self._video.add_sound(pcm)


def camera_pictures(client: httpx.AsyncClient, view: str) -> Callable[[], Awaitable[bytes]]:
    """Pictures of a simulator's camera; `client` is based at its `/sim/v1`. They raise HardwareError."""

    async def picture() -> bytes:
        answer = await client.get("/camera/frame.jpg", params={"view": view})
        if answer.is_error:
            raise HardwareError(f"the simulator says {answer.status_code}: {answer.text[:300]}")
        return answer.content

    return picture
