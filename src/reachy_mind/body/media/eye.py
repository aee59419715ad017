"""`Eye`: a camera that is opened when somebody first looks, and opened again after it went."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self

from reachy_mind.body.media import Camera
from reachy_mind.errors import MindError


class Eye:
    """Use as `async with`: nothing happens before the first `frame`, so that no camera's light is on for nothing."""

    def __init__(self, make: Callable[[], Camera]) -> None:
        self._make = make
        self._camera: Camera | None = None
        self._lock = asyncio.Lock()
        self.trouble: MindError | None = None
        """Why the last look failed; None when it did not."""

    async def frame(self) -> bytes:
        """What is seen now, as JPEG. Raises what the camera raises; the next look tries anew."""
        try:
            camera = await self._opened()
            picture = await camera.frame()
        except MindError as error:
            self.trouble = error
            await self._close()
            raise
        self.trouble = None
        return picture

    async def _opened(self) -> Camera:
        async with self._lock:
            if self._camera is None:
                self._camera = await self._make().__aenter__()
            return self._camera

    async def _close(self) -> None:
        async with self._lock:
            camera, self._camera = self._camera, None
            if camera is not None:
                await camera.__aexit__(None, None, None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()
