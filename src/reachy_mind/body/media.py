"""The robot's camera, microphone and loudspeaker, as far as they can be reached: today, those of our simulator.

Sound is 16 kHz, 16 bits little-endian, mono, in both directions.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Self

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.errors import InvalidParameter, LinkLost, NotReady

FRAME_TIMEOUT_S = 70.0
"""The first picture of a simulator waits until its drawing process has started."""
OPEN_TIMEOUT_S = 5.0
CLOSE_TIMEOUT_S = 0.5
"""Unread sound stands before the other side's goodbye; nobody wants to wait for that."""
SAMPLE_RATE_HZ = 16000
PART_BYTES = 3200
AHEAD_S = 1.0
"""How far ahead of the loudspeaker samples are handed over: enough for a stutter of ours, little for a flush."""


class SimulatedCamera:
    """The eye of our simulator. Use as `async with`."""

    def __init__(self, address: Address) -> None:
        # Plain HTTP on this machine, so no certificates: loading them would take longer than a picture.
        self._http = httpx.AsyncClient(base_url=address.http, timeout=FRAME_TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501

    async def frame(self) -> bytes:
        """What the robot sees now, as JPEG. Raises NotReady with what to do, LinkLost when nobody answers."""
        try:
            answer = await self._http.get(f"{protocol.SIM_PREFIX}/camera/frame.jpg")
        except httpx.HTTPError as error:
            raise LinkLost(f"the simulated camera does not answer: {error or type(error).__name__}") from error
        if answer.status_code == 503:
            told = answer.json()["detail"]
            raise NotReady(told["message"], hint=told["hint"])
        if answer.status_code != 200:
            raise LinkLost(f"the simulated camera answers {answer.status_code}", hint="see the log")
        return answer.content

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()


async def _open(address: Address, path: str, what: str) -> ClientConnection:
    uri = f"ws://{address}{protocol.SIM_AUDIO}/{path}"
    try:
        return await connect(
            uri, open_timeout=OPEN_TIMEOUT_S, close_timeout=CLOSE_TIMEOUT_S, compression=None, proxy=None
        )
    except (OSError, WebSocketException, TimeoutError) as error:
        raise LinkLost(f"the simulated {what} does not answer: {error or type(error).__name__}") from error


class SimulatedMicrophone:
    """What the robot of our simulator hears: `async with` it, then `async for block in microphone`.

    Blocks are twenty milliseconds. A reader that is more than two seconds late loses the oldest; `lost` counts those
    samples, and `position` the samples of the simulator's time up to the end of the last block, lost ones included.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._line: ClientConnection | None = None
        self.lost = 0
        self.position = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the simulator has gone."""
        if self._line is None:
            raise NotReady("the microphone is not open", hint="use it within `async with`")
        try:
            while True:
                frame = await self._line.recv()
                if isinstance(frame, bytes):
                    self.position += len(frame) // 2
                    yield frame
                    continue
                message = json.loads(frame)
                if message["type"] == "start":
                    self.position = message["sample"]
                elif message["type"] == "lost":
                    self.lost += message["samples"]
                    self.position += message["samples"]
        except ConnectionClosed as error:
            raise LinkLost(f"the simulated microphone has gone: {error}") from error

    async def __aenter__(self) -> Self:
        self._line = await _open(self._address, "microphone", "microphone")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._line is not None:
            await self._line.close()
            self._line = None


class SimulatedSpeaker:
    """The loudspeaker of our simulator's robot. Use as `async with`; what is not played at the end is not heard."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._line: ClientConnection | None = None
        self._listening: asyncio.Task[None] | None = None
        self._moved = asyncio.Event()
        self._flushes = self._dropped = 0
        self._gone = "it is not open"
        self.written = 0
        """Samples handed over since the start, less those forgotten by `flush`."""
        self.position = 0
        """Samples that have left the loudspeaker since the start."""

    async def write(self, pcm: bytes) -> None:
        """Play this after what was written before. Waits while more than a second is still to be played."""
        if len(pcm) % 2:
            raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="write 16-bit PCM, mono")
        for begin in range(0, len(pcm), PART_BYTES):
            await self._until(lambda: self.written - self.position <= AHEAD_S * SAMPLE_RATE_HZ)
            part = pcm[begin : begin + PART_BYTES]
            await self._send(part)
            self.written += len(part) // 2

    async def drained(self) -> None:
        """Wait until everything written has been played."""
        await self._until(lambda: self.position >= self.written)

    async def flush(self) -> int:
        """Fall silent now. The number of written samples that nobody will hear."""
        flushes, before = self._flushes, self._dropped
        await self._send(json.dumps({"type": "flush"}))
        await self._until(lambda: self._flushes > flushes)
        return self._dropped - before

    async def _send(self, frame: bytes | str) -> None:
        try:
            if self._line is None:
                raise self._lost()
            await self._line.send(frame)
        except ConnectionClosed:
            raise self._lost() from None

    def _lost(self) -> LinkLost:
        return LinkLost(f"the simulated loudspeaker can't be used: {self._gone or 'the line is closed'}")

    async def _until(self, fits: Callable[[], bool]) -> None:
        while not fits():
            if self._gone:
                raise self._lost()
            await self._moved.wait()

    async def _listen(self, line: ClientConnection) -> None:
        """Follows what the simulator says about the playback, until it has gone."""
        try:
            async for frame in line:
                self._take(json.loads(frame))
                self._wake()
            self._gone = "the simulator closed it"
        except ConnectionClosed as error:
            self._gone = str(error)
        self._wake()

    def _take(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "position":
                self.position = message["played"]
            case "flushed":
                self.position = message["played"]
                self.written -= message["dropped"]
                self._dropped += message["dropped"]
                self._flushes += 1
            case "error":
                self._gone = message["message"]

    def _wake(self) -> None:
        """Everybody who waits looks again; each gets an event of its own to wait for next."""
        self._moved.set()
        self._moved = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._line = await _open(self._address, "speaker", "loudspeaker")
        self._gone = ""
        self._listening = asyncio.create_task(self._listen(self._line), name="loudspeaker")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._line is not None and self._listening is not None:
            await self._line.close()
            await self._listening
        self._line = self._listening = None
        self._gone = "it is not open"
