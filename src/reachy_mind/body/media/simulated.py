"""Media provider `sim`: camera, microphone and speaker of our simulator, under `/sim/v1`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Self

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.media import Media
from reachy_mind.body.media.remote_speaker import RemoteSpeaker
from reachy_mind.errors import LinkLost, NotReady

FRAME_TIMEOUT_S = 70.0
"""The first frame waits until the simulator's renderer process has started."""
FRAME_WAIT_S = 2.0
"""The simulator answers within this time, if only that the frame is not ready yet."""
ANSWER_TIMEOUT_S = FRAME_WAIT_S + 2.0
"""A simulator that does not answer within this time hangs."""
OPEN_TIMEOUT_S = 5.0
PING_S, PONG_TIMEOUT_S = 2.0, 4.0
"""A simulator that hangs does not answer pings; one whose time is paused does, though it sends no sound."""
CLOSE_TIMEOUT_S = 0.5
"""Unread audio comes before the peer's close frame; it is not worth waiting for."""


class SimulatedCamera:
    """The simulator's camera. Use as `async with`."""

    device = "simulated camera"

    def __init__(self, address: Address) -> None:
        # Plain HTTP on this machine: loading certificates would take longer than a frame.
        self._http = httpx.AsyncClient(base_url=address.http, timeout=ANSWER_TIMEOUT_S, verify=False, trust_env=False)  # noqa: S501

    async def frame(self) -> bytes:
        """Take a frame now, as JPEG. Raises NotReady with what to do, LinkLost without an answer."""
        give_up_at = asyncio.get_running_loop().time() + FRAME_TIMEOUT_S
        while (answer := await self._ask()).status_code == 202:
            if asyncio.get_running_loop().time() > give_up_at:
                raise LinkLost(f"the simulated camera gives no picture for {FRAME_TIMEOUT_S:g} s", hint="see the log")
        if answer.status_code == 503:
            detail = answer.json()["detail"]
            raise NotReady(detail["message"], hint=detail["hint"])
        if answer.status_code != 200:
            raise LinkLost(f"the simulated camera answers {answer.status_code}", hint="see the log")
        return answer.content

    async def _ask(self) -> httpx.Response:
        try:
            return await self._http.get(f"{protocol.SIM_PREFIX}/camera/frame.jpg", params={"wait": FRAME_WAIT_S})
        except httpx.HTTPError as error:
            raise LinkLost(
                f"the simulated camera does not answer: {str(error) or type(error).__name__}",
                hint="a simulator that hangs is started again; try again in some seconds",
            ) from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()


async def _open(address: Address, path: str, what: str) -> ClientConnection:
    uri = f"ws://{address}{protocol.SIM_AUDIO}/{path}"
    try:
        return await connect(
            uri,
            open_timeout=OPEN_TIMEOUT_S,
            close_timeout=CLOSE_TIMEOUT_S,
            ping_interval=PING_S,
            ping_timeout=PONG_TIMEOUT_S,
            compression=None,
            proxy=None,
        )
    except (OSError, WebSocketException, TimeoutError) as error:
        raise LinkLost(f"the simulated {what} does not answer: {str(error) or type(error).__name__}") from error


class SimulatedMicrophone:
    """The simulator's microphone: `async with` it, then `async for block in microphone`.

    Blocks are 20 ms. A reader that lags more than two seconds loses the oldest: `lost` counts those samples. `position`
    counts samples of the simulator's time up to the end of the last block, lost ones included.
    """

    device = "simulated microphone"

    def __init__(self, address: Address) -> None:
        self._address = address
        self._line: ClientConnection | None = None
        self.lost = 0
        self.position = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the simulator is gone."""
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


class SimulatedSpeaker(RemoteSpeaker):
    """The simulator's speaker. Use as `async with`; on exit, samples not played yet are dropped."""

    device = "simulated loudspeaker"

    def __init__(self, address: Address) -> None:
        super().__init__(self.device)
        self._address = address
        self._line: ClientConnection | None = None
        self._listening: asyncio.Task[None] | None = None

    async def send(self, order: bytes | dict[str, str]) -> None:
        assert self._line is not None
        try:
            await self._line.send(order if isinstance(order, bytes) else json.dumps(order))
        except ConnectionClosed as error:
            self.progress.lose(str(error))
            self.progress.check()

    async def _listen(self, line: ClientConnection) -> None:
        """Handle the simulator's playback messages until the connection ends."""
        try:
            async for frame in line:
                self.handle_message(json.loads(frame))
            self.progress.lose("the simulator closed it")
        except ConnectionClosed as error:
            self.progress.lose(str(error))

    async def __aenter__(self) -> Self:
        self._line = await _open(self._address, "speaker", "loudspeaker")
        self.progress.opened()
        self._listening = asyncio.create_task(self._listen(self._line), name="loudspeaker")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._line is not None and self._listening is not None:
            await self._line.close()
            await self._listening
        self._line = self._listening = None
        self.progress.closed()


def simulated(address: Address, reason: str) -> Media:
    return Media(
        "sim",
        reason,
        camera=lambda: SimulatedCamera(address),
        microphone=lambda: SimulatedMicrophone(address),
        speaker=lambda: SimulatedSpeaker(address),
    )
