"""`FrameSource`: one camera shared by several consumers, at the highest frame rate any of them subscribes to.

It takes frames only while a consumer waits for one or is subscribed; otherwise the camera closes by itself. Each frame
is decoded at most once, in a thread, and only on demand.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import HardwareError, MindError
from reachy_mind.eyes import pictures
from reachy_mind.eyes.pictures import Picture

MIN_RATE_HZ = 0.1
RETRY_S = 1.0
"""Delay after a camera failure before frames are taken for subscribers again."""

FrameRate = Callable[[], float]
"""Returns the frame rate in Hz that is needed now."""
CaptureTime = Callable[[float, float], float]
"""Capture time of a frame, from the times of its request and its arrival."""

_log = log.get(__name__)


class CameraFrame:
    """One JPEG frame of the camera, decoded on demand."""

    def __init__(self, jpeg: bytes, taken_at: float) -> None:
        self.jpeg, self.taken_at = jpeg, taken_at
        self._decoding: asyncio.Task[Picture] | None = None

    async def picture(self) -> Picture:
        """The decoded picture. Raises HardwareError when the data is not a picture."""
        if self._decoding is None:
            decoding = asyncio.to_thread(pictures.from_camera, self.jpeg, self.taken_at)
            self._decoding = asyncio.create_task(decoding, name="decoding")
        return await asyncio.shield(self._decoding)


class FrameSource:
    """Use as `async with`. `look` takes a JPEG frame from the camera or raises a MindError."""

    def __init__(self, look: Callable[[], Awaitable[bytes]], taken: CaptureTime = lambda asked, _: asked) -> None:
        self._look, self._taken = look, taken
        self.latest: CameraFrame | None = None
        self.count = 0
        """Frames taken so far."""
        self._rates: list[FrameRate] = []
        self._waiting: list[tuple[float, asyncio.Future[CameraFrame]]] = []
        self._changed = asyncio.Event()
        self._urgent = False
        self._task: asyncio.Task[None] | None = None

    async def next(self, after: float) -> CameraFrame:
        """Wait for a frame taken after this monotonic time, at the subscribed rate. Raises what the camera raises."""
        if self.latest is not None and self.latest.taken_at > after:
            return self.latest
        waiter: asyncio.Future[CameraFrame] = asyncio.get_running_loop().create_future()
        self._waiting.append((after, waiter))
        self._changed.set()
        return await waiter

    async def now(self, age_s: float = 0.0) -> CameraFrame:
        """A frame at most `age_s` old, else a new one, taken at once. Raises what the camera raises."""
        after = time.monotonic() - age_s
        self._urgent = self._urgent or self.latest is None or self.latest.taken_at <= after
        return await self.next(after)

    @contextlib.contextmanager
    def subscribe(self, rate: FrameRate) -> Iterator[None]:
        """Request frames at this rate for the duration of a `with`."""
        self._rates.append(rate)
        self._changed.set()
        try:
            yield
        finally:
            self._rates.remove(rate)

    def hurry(self) -> None:
        """Ask the subscribers for their rate again: it has become higher."""
        self._changed.set()

    def forget(self) -> None:
        """Drop the latest frame."""
        self.latest = None

    def has_demand(self) -> bool:
        """Whether a consumer waits for a frame or is subscribed."""
        return bool(self._rates) or any(not waiter.done() for _, waiter in self._waiting)

    async def _run(self) -> None:
        last = -math.inf
        while True:
            while not self.has_demand():
                self._changed.clear()
                await self._changed.wait()
            await self._wait_until_due(last)
            if not self.has_demand():
                continue
            self._urgent, last = False, time.monotonic()
            try:
                self._deliver(CameraFrame(await self._look(), self._taken(last, time.monotonic())))
            except MindError as error:
                self._fail(error)
                last = time.monotonic() + RETRY_S
            except Exception as error:  # noqa: BLE001 -- every consumer that waits gets the error
                _log.exception("the camera failed")
                self._fail(
                    HardwareError(f"the camera failed: {str(error) or type(error).__name__}", hint="see the log")
                )
                last = time.monotonic() + RETRY_S

    async def _wait_until_due(self, last: float) -> None:
        """Wait until the next frame is due by the highest rate. Returns at once without subscribers."""
        while self._rates and not self._urgent:
            rate_hz = max(rate() for rate in self._rates)
            left = last + 1 / max(rate_hz, MIN_RATE_HZ) - time.monotonic()
            if left <= 0:
                return
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()

    def _deliver(self, frame: CameraFrame) -> None:
        self.latest = frame
        self.count += 1
        due = [waiter for after, waiter in self._waiting if frame.taken_at > after]
        self._waiting = [(after, waiter) for after, waiter in self._waiting if frame.taken_at <= after]
        for waiter in due:
            if not waiter.done():
                waiter.set_result(frame)

    def _fail(self, error: MindError) -> None:
        waiting, self._waiting = self._waiting, []
        for _, waiter in waiting:
            if not waiter.done():
                waiter.set_exception(error)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="watch")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await cancel_and_wait(self._task)
        for waiting in self._waiting:
            waiting[1].cancel()
