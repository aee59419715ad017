"""`Eye`: a camera that is opened when somebody looks, and closed when nobody has for a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Self

from reachy_mind.body.media import Camera
from reachy_mind.errors import MindError

REST_S = 10.0
"""A camera that nobody looks through has no light on, and other programs may have it."""


class Eye:
    """Use as `async with`: nothing is open before the first `frame`, and nothing after the end."""

    def __init__(self, make: Callable[[], Camera]) -> None:
        self._make = make
        self._camera: Camera | None = None
        self._resting: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._looking = 0
        self._looked = 0.0
        self.trouble: MindError | None = None
        """Why the last look failed; None when it did not."""
        self.refusal: MindError | None = None
        """Why nobody may look; None when everybody may."""

    @property
    def open(self) -> bool:
        """Whether the device is in use just now."""
        return self._camera is not None

    async def shut(self, why: MindError) -> None:
        """Close the device; until `unshut`, every look raises `why`, one that is under way too."""
        self.refusal = why
        await self._close()

    def unshut(self) -> None:
        """It may be looked through again."""
        self.refusal = self.trouble = None

    async def frame(self) -> bytes:
        """What is seen now, as JPEG. Raises what the camera raises; the next look tries anew."""
        self._looking += 1
        try:
            camera = await self._opened()
            picture = await camera.frame()
        except MindError as error:
            self.trouble = error
            await self._close()
            if self.refusal is not None:
                raise self.refusal from error
            raise
        finally:
            self._looking -= 1
            self._looked = asyncio.get_running_loop().time()
        if self.refusal is not None:  # closed meanwhile: what was seen before that is not shown either
            raise self.refusal
        self.trouble = None
        return picture

    async def _opened(self) -> Camera:
        async with self._lock:
            if self.refusal is not None:
                raise self.refusal
            if self._camera is None:
                self._camera = await self._make().__aenter__()
                self._resting = asyncio.create_task(self._rest(), name="eye")
            return self._camera

    async def _rest(self) -> None:
        """Ends with the camera closed because nobody looks."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(REST_S)
            async with self._lock:
                camera = self._camera
                if camera is not None and not self._looking and clock() - self._looked >= REST_S:
                    self._camera = None
                    await camera.__aexit__(None, None, None)
                    return

    async def _close(self) -> None:
        async with self._lock:
            camera, self._camera = self._camera, None
            resting, self._resting = self._resting, None
            if resting is not None:
                resting.cancel()  # it waits for the lock, or for time to pass
                with contextlib.suppress(asyncio.CancelledError):
                    await resting
            if camera is not None:
                await camera.__aexit__(None, None, None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()
