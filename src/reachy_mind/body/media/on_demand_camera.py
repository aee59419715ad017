"""`OnDemandCamera`: opens the camera with the first frame and closes it after an idle timeout."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Self

from reachy_mind.body.media import Camera
from reachy_mind.errors import MindError

IDLE_CLOSE_S = 10.0
"""Idle timeout: an unused camera should have its light off and be free for other programs."""


class OnDemandCamera:
    """Use as `async with`. The device opens with the first `frame` and is closed on exit."""

    def __init__(self, make: Callable[[], Camera]) -> None:
        self._make = make
        self._camera: Camera | None = None
        self._idle_task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._closing: asyncio.Task[None] | None = None
        self._readers = 0
        self._last_frame_at = 0.0
        self.last_error: MindError | None = None
        """Why the last frame failed; None when it did not."""
        self.disabled_reason: MindError | None = None
        """Why the camera is disabled; None when it is enabled."""

    @property
    def open(self) -> bool:
        """Whether the device is open now."""
        return self._camera is not None

    async def disable(self, reason: MindError) -> None:
        """Close the device. Until `enable`, every frame raises `reason`, also one already under way."""
        self.disabled_reason = reason
        await self._close()

    def enable(self) -> None:
        """Allow frames again after `disable`."""
        self.disabled_reason = self.last_error = None

    async def frame(self) -> bytes:
        """Take a frame now, as JPEG. Raises what the camera raises; the next call opens it again."""
        self._readers += 1
        try:
            if self._closing is not None:
                await asyncio.wait([self._closing])
            camera = await self._opened()
            picture = await camera.frame()
        except MindError as error:
            self.last_error = error
            # Not awaited: a device that hangs takes its time to close, and the caller should know at once.
            self._closing = asyncio.create_task(self._close(), name="camera close")
            if self.disabled_reason is not None:
                raise self.disabled_reason from error
            raise
        finally:
            self._readers -= 1
            self._last_frame_at = asyncio.get_running_loop().time()
        if self.disabled_reason is not None:  # disabled meanwhile: this frame must not be shown either
            raise self.disabled_reason
        self.last_error = None
        return picture

    async def _opened(self) -> Camera:
        async with self._lock:
            if self.disabled_reason is not None:
                raise self.disabled_reason
            if self._camera is None:
                self._camera = await self._make().__aenter__()
                self._idle_task = asyncio.create_task(self._close_when_idle(), name="eye")
            return self._camera

    async def _close_when_idle(self) -> None:
        """Close the camera after the idle timeout."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(IDLE_CLOSE_S)
            async with self._lock:
                camera = self._camera
                if camera is not None and not self._readers and clock() - self._last_frame_at >= IDLE_CLOSE_S:
                    self._camera = None
                    await camera.__aexit__(None, None, None)
                    return

    async def _close(self) -> None:
        async with self._lock:
            camera, self._camera = self._camera, None
            idle_task, self._idle_task = self._idle_task, None
            if idle_task is not None:
                idle_task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await idle_task
            if camera is not None:
                await camera.__aexit__(None, None, None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._closing is not None:
            await asyncio.wait([self._closing])
        await self._close()
