"""`Watch`: the one who takes pictures from a camera, for everybody who wants some.

Pictures are taken while somebody waits for one or is interested, at the pace of the most interested. When nobody is,
none are, and the camera closes by itself. Each is made pixels once, in a thread, and only when somebody looks at it.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Self

from reachy_mind import log
from reachy_mind.ending import ended
from reachy_mind.errors import HardwareError, MindError
from reachy_mind.eyes import pictures
from reachy_mind.eyes.pictures import Picture

SLOWEST_HZ = 0.1
RETRY_S = 1.0
"""How long nobody who is only interested asks a camera again that failed."""

Pace = Callable[[], float]
"""How many pictures a second are wanted just now."""
Clock = Callable[[float, float], float]
"""When a picture was taken, given when it was asked for and when it was there."""

_log = log.get(__name__)


class Shot:
    """One picture as the camera gave it, and its pixels, once somebody wants them."""

    def __init__(self, jpeg: bytes, taken_at: float) -> None:
        self.jpeg, self.taken_at = jpeg, taken_at
        self._decoding: asyncio.Task[Picture] | None = None

    async def picture(self) -> Picture:
        """Raises HardwareError when it is no picture."""
        if self._decoding is None:
            decoding = asyncio.to_thread(pictures.from_camera, self.jpeg, self.taken_at)
            self._decoding = asyncio.create_task(decoding, name="decoding")
        return await asyncio.shield(self._decoding)


class Watch:
    """Use as `async with`. `look` is the camera: JPEG, or a MindError."""

    def __init__(self, look: Callable[[], Awaitable[bytes]], taken: Clock = lambda asked, _: asked) -> None:
        self._look, self._taken = look, taken
        self.latest: Shot | None = None
        self.count = 0
        """Pictures taken so far."""
        self._paces: list[Pace] = []
        self._waiting: list[tuple[float, asyncio.Future[Shot]]] = []
        self._changed = asyncio.Event()
        self._hurry = False
        self._task: asyncio.Task[None] | None = None

    async def next(self, after: float) -> Shot:
        """A picture that was taken later than this monotonic time, when it is due. Raises what the camera raises."""
        if self.latest is not None and self.latest.taken_at > after:
            return self.latest
        wish: asyncio.Future[Shot] = asyncio.get_running_loop().create_future()
        self._waiting.append((after, wish))
        self._changed.set()
        return await wish

    async def now(self, age_s: float = 0.0) -> Shot:
        """One that is taken from now on, or was at most `age_s` ago, without waiting until one is due. Raises what the
        camera raises."""
        after = time.monotonic() - age_s
        self._hurry = self._hurry or self.latest is None or self.latest.taken_at <= after
        return await self.next(after)

    @contextlib.contextmanager
    def interested(self, pace: Pace) -> Iterator[None]:
        """Somebody who wants that many pictures a second, for the time of a `with`."""
        self._paces.append(pace)
        self._changed.set()
        try:
            yield
        finally:
            self._paces.remove(pace)

    def forget(self) -> None:
        """What was seen is no longer to be had."""
        self.latest = None

    def wanted(self) -> bool:
        """Whether anybody wants pictures."""
        return bool(self._paces) or any(not wish.done() for _, wish in self._waiting)

    async def _run(self) -> None:
        last = -math.inf
        while True:
            while not self.wanted():
                self._changed.clear()
                await self._changed.wait()
            await self._due(last)
            if not self.wanted():
                continue
            self._hurry, last = False, time.monotonic()
            try:
                self._hand_over(Shot(await self._look(), self._taken(last, time.monotonic())))
            except MindError as error:
                self._fail(error)
                last = time.monotonic() + RETRY_S
            except Exception as error:  # noqa: BLE001 -- whoever waits is told, whatever it was
                _log.exception("the camera failed")
                self._fail(HardwareError(f"the camera failed: {error or type(error).__name__}", hint="see the log"))
                last = time.monotonic() + RETRY_S

    async def _due(self, last: float) -> None:
        """Until the next picture should be taken: who keeps no pace does not wait."""
        while self._paces and not self._hurry:
            pace = max(wanted() for wanted in self._paces)
            left = last + 1 / max(pace, SLOWEST_HZ) - time.monotonic()
            if left <= 0:
                return
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()

    def _hand_over(self, shot: Shot) -> None:
        self.latest = shot
        self.count += 1
        due = [wish for after, wish in self._waiting if shot.taken_at > after]
        self._waiting = [(after, wish) for after, wish in self._waiting if shot.taken_at <= after]
        for wish in due:
            if not wish.done():
                wish.set_result(shot)

    def _fail(self, error: MindError) -> None:
        waiting, self._waiting = self._waiting, []
        for _, wish in waiting:
            if not wish.done():
                wish.set_exception(error)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="watch")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await ended(self._task)
        for waiting in self._waiting:
            waiting[1].cancel()
