"""`SimulatedRoom`: plays speech in the simulated room at given times, and records the robot's loudspeaker.

All times are samples of the simulator's own clock, so that delays of this process do not distort the figures.
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

from reachy_mind.body import protocol, wav
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.cancellation import cancel_and_wait

AUDIBLE = 60
"""Smallest audible sample of the loudspeaker."""
ONSET_SILENCE = RATE_HZ * 3 // 50
"""Samples of silence required before an onset."""
LEAD_TIME_S = 0.25
"""From the request to the first sample: time to send it."""
POLL_S = 0.05


class SimulatedRoom:
    """Use as `async with`."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self._http = httpx.AsyncClient(base_url=f"{self._base}{protocol.SIM_AUDIO}", timeout=30)
        self._stack = contextlib.AsyncExitStack()
        self._recording: asyncio.Task[None] | None = None
        self._played: list[np.ndarray] = []
        self._start = self.now = 0
        """`now` is the last recorded sample of the loudspeaker."""

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._http)
            uri = f"{self._base.replace('http', 'ws')}{protocol.SIM_AUDIO}/speaker/capture"
            line = await stack.enter_async_context(connect(uri, compression=None, proxy=None))
            self._recording = recording = asyncio.create_task(self._record(line), name="capture")
            stack.push_async_callback(cancel_and_wait, recording)
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

    @property
    def lost(self) -> bool:
        """Whether the simulator has ended the recording."""
        return self._recording is not None and self._recording.done()

    def forget(self) -> None:
        """Drop the recording so far."""
        self._played, self._start = [], self.now

    async def arrange(self, **wish: Any) -> None:
        """Set reverberation, noise and so on, as `PUT /sim/v1/audio/room` does."""
        (await self._http.put("/room", json=wish)).raise_for_status()

    async def volume(self, percent: int) -> None:
        (await self._http.put("/speaker", json={"volume": percent})).raise_for_status()

    async def say(self, pcm: bytes, *, after: int = 0, **where: Any) -> int:
        """Play a clip; returns the sample at which it starts."""
        at = self.now + round(LEAD_TIME_S * RATE_HZ) + after
        place = {"direction": 0.3, "distance": 1.0, **where, "at_s": at / RATE_HZ}
        (await self._http.post("/sources", params=place, content=wav.write(pcm))).raise_for_status()
        return at

    async def hush(self) -> None:
        """Stop all sounds but the robot's."""
        (await self._http.delete("/sources")).raise_for_status()

    async def reach(self, sample: int) -> None:
        """Wait for a sample of the simulator's clock."""
        await self.until(lambda: self.now >= sample, 60 + (sample - self.now) / RATE_HZ)

    async def until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition with a timeout; returns whether it holds."""
        end = asyncio.get_running_loop().time() + seconds
        while not true():
            if asyncio.get_running_loop().time() > end:
                return False
            await asyncio.sleep(POLL_S)
        return True

    def played(self, begin: int, end: int | None = None) -> np.ndarray:
        """The recording between two samples."""
        if not self._played:
            return np.zeros(0, dtype=np.int16)
        whole = np.concatenate(self._played)
        self._played = [whole]
        return whole[max(0, begin - self._start) : None if end is None else max(0, end - self._start)]

    def loud(self, begin: int, end: int | None = None) -> np.ndarray:
        """The audible samples between two samples."""
        base = max(begin, self._start)
        return np.asarray(np.flatnonzero(np.abs(self.played(begin, end).astype(np.int32)) > AUDIBLE) + base)

    def began(self, after: int) -> int | None:
        """The first onset of the loudspeaker after a sample; sound that continues from before does not count."""
        loud = self.loud(after - ONSET_SILENCE)
        begins = loud[(loud >= after) & (np.diff(loud, prepend=after - 2 * ONSET_SILENCE) >= ONSET_SILENCE)]
        return int(begins[0]) if len(begins) else None

    def silent(self, seconds: float) -> bool:
        """Whether the loudspeaker was silent for `seconds`."""
        return not len(self.loud(self.now - round(seconds * RATE_HZ)))
