"""`Room`: the simulated room while somebody measures: what is said in it, when, and what its robot's loudspeaker plays.

All times are samples of the simulator's own clock: a late program of ours shows as lateness and as nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any, Self

import httpx
import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from reachy_mind.body import protocol
from reachy_mind.ending import ended
from reachy_mind.sim import wav

RATE_HZ = 16_000
LOUD = 60
"""A sample of the loudspeaker that can be heard."""
APART = RATE_HZ * 3 // 50
"""Silence before what counts as a beginning."""
SOON_S = 0.25
"""From being told to say something to the first sample: time to send it."""
POLL_S = 0.05


class Room:
    """Use as `async with`."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self._http = httpx.AsyncClient(base_url=f"{self._base}{protocol.SIM_AUDIO}", timeout=30)
        self._stack = contextlib.AsyncExitStack()
        self._played: list[np.ndarray] = []
        self._start = self.now = 0
        """`now` is the sample up to which the loudspeaker was heard."""

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._http)
            uri = f"{self._base.replace('http', 'ws')}{protocol.SIM_AUDIO}/speaker/capture"
            line = await stack.enter_async_context(connect(uri, compression=None, proxy=None))
            recording = asyncio.create_task(self._record(line), name="capture")
            stack.push_async_callback(ended, recording)
            self._stack = stack.pop_all()
        await self.until(lambda: self.now > 0, 5)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _record(self, line: Any) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in line:
                if isinstance(frame, bytes):
                    self._take(np.frombuffer(frame, "<i2"))
                    continue
                message = json.loads(frame)
                if message["type"] == "start":
                    self._start = self.now = message["sample"]
                elif message["type"] == "lost":
                    self._take(np.zeros(message["samples"], dtype=np.int16))

    def _take(self, block: np.ndarray) -> None:
        self._played.append(block)
        self.now += len(block)

    def forget(self) -> None:
        """What was played before now is not asked for any more."""
        self._played, self._start = [], self.now

    async def arrange(self, **wish: Any) -> None:
        """Reverberation, noise and so on, as `PUT /sim/v1/audio/room` takes them."""
        (await self._http.put("/room", json=wish)).raise_for_status()

    async def volume(self, percent: int) -> None:
        (await self._http.put("/speaker", json={"volume": percent})).raise_for_status()

    async def say(self, pcm: bytes, *, after: int = 0, **where: Any) -> int:
        """Let it be heard; the sample at which it begins, so many after the earliest there can be."""
        at = self.now + round(SOON_S * RATE_HZ) + after
        place = {"direction": 0.3, "distance": 1.0, **where, "at_s": at / RATE_HZ}
        (await self._http.post("/sources", params=place, content=wav.write(pcm))).raise_for_status()
        return at

    async def hush(self) -> None:
        """Everybody but the robot is silent."""
        (await self._http.delete("/sources")).raise_for_status()

    async def reach(self, sample: int) -> None:
        """Wait for a moment of the simulator's clock."""
        await self.until(lambda: self.now >= sample, 60 + (sample - self.now) / RATE_HZ)

    async def until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, for no longer than this; whether it is."""
        end = asyncio.get_running_loop().time() + seconds
        while not true():
            if asyncio.get_running_loop().time() > end:
                return False
            await asyncio.sleep(POLL_S)
        return True

    def played(self, begin: int, end: int | None = None) -> np.ndarray:
        """What the loudspeaker played between two samples."""
        if not self._played:
            return np.zeros(0, dtype=np.int16)
        whole = np.concatenate(self._played)
        self._played = [whole]
        return whole[max(0, begin - self._start) : None if end is None else max(0, end - self._start)]

    def loud(self, begin: int, end: int | None = None) -> np.ndarray:
        """The samples between two at which the loudspeaker could be heard."""
        base = max(begin, self._start)
        return np.asarray(np.flatnonzero(np.abs(self.played(begin, end).astype(np.int32)) > LOUD) + base)

    def began(self, after: int) -> int | None:
        """When the loudspeaker began to play, after this moment: not what went on from before it."""
        loud = self.loud(after - APART)
        begins = loud[(loud >= after) & (np.diff(loud, prepend=after - 2 * APART) >= APART)]
        return int(begins[0]) if len(begins) else None

    def silent(self, seconds: float) -> bool:
        """Whether it has been silent for so long."""
        return not len(self.loud(self.now - round(seconds * RATE_HZ)))
