"""`RealtimeListener`: voice activity and transcripts of a Realtime server, for a spoken conversation.

It implements `RemoteListener`. While the conversation lasts, it keeps a connection open: a lost one is reopened, with
exponential backoff between retries.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import Resampler
from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.brains.realtime.connection import RATE_HZ, RealtimeConnection
from reachy_mind.brains.realtime.connections import RealtimeConnections
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.speech.remote_listener import ListenerNotice

FIRST_RETRY_S, LONGEST_RETRY_S = 1.0, 30.0

_log = log.get(__name__)


class RealtimeListener:
    """Use as `async with`."""

    def __init__(self, connections: RealtimeConnections, conversation: str) -> None:
        self._connections, self._conversation = connections, conversation
        self._rate = Resampler(SAMPLE_RATE_HZ, RATE_HZ)
        self._task: asyncio.Task[None] | None = None
        self._followed: RealtimeConnection | None = None

    async def __aenter__(self) -> Self:
        self._connections.pinned.add(self._conversation)
        self._task = asyncio.create_task(self._keep_connected(), name="attention")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._connections.pinned.discard(self._conversation)
        if self._task is not None:
            await cancel_and_wait(self._task)

    @property
    def present(self) -> bool:
        return self._connections.get(self._conversation) is not None

    def hear(self, pcm: bytes) -> None:
        connection = self._connections.get(self._conversation)
        if connection is not None:
            connection.append_audio(self._rate.feed(pcm))

    async def notice(self) -> ListenerNotice:
        if self._followed is not None and self._connections.get(self._conversation) is not self._followed:
            self._followed = None
            return ListenerNotice("gone")
        self._followed = await self._connections.wait_for(self._conversation)
        return await self._followed.notices.get()

    async def _keep_connected(self) -> None:
        retry_s, logged = FIRST_RETRY_S, ""
        while True:
            try:
                connection = await self._connections.open(self._conversation)
            except BrainUnavailable as error:
                if error.message != logged:
                    logged = error.message
                    _log.warning("falling back to local speech", reason=error.message, hint=error.hint)
                with contextlib.suppress(TimeoutError):  # a turn may connect before the retry
                    async with asyncio.timeout(retry_s):
                        await self._connections.wait_for(self._conversation)
                retry_s = min(2 * retry_s, LONGEST_RETRY_S)
                continue
            retry_s, logged = FIRST_RETRY_S, ""
            await connection.closed.wait()
            _log.info("the connection to the Realtime server ended", reason=connection.reason)
