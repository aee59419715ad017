"""`RealtimeConnections`: the pool of connections, one per conversation, opened on demand and reopened when lost."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from urllib.parse import urlsplit

from reachy_mind import log
from reachy_mind.access.loopback import is_loopback
from reachy_mind.brains.realtime import session
from reachy_mind.brains.realtime.connection import RealtimeConnection
from reachy_mind.config.configuration import Configuration

OPENAI = "api.openai.com"
HANDSHAKE_TIMEOUT_S = 8.0
MOST_CONNECTIONS = 4
"""At the same time; the least recently used one is closed, unless a listener has pinned it."""

_log = log.get(__name__)


class RealtimeConnections:
    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration.settings
        self._connections: dict[str, RealtimeConnection] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.pinned: set[str] = set()
        self._opened = asyncio.Event()

    def get(self, conversation: str) -> RealtimeConnection | None:
        """The open connection of a conversation, if any."""
        connection = self._connections.get(conversation)
        return connection if connection is not None and not connection.closed.is_set() else None

    async def wait_for(self, conversation: str) -> RealtimeConnection:
        """Wait until the conversation has an open connection."""
        while (connection := self.get(conversation)) is None:
            await self._opened.wait()
        return connection

    async def open(self, conversation: str, voice: str = "") -> RealtimeConnection:
        """The open connection, or a new one, also for a new voice after it has spoken. Raises BrainUnavailable."""
        async with self._locks[conversation]:
            connection = self.get(conversation)
            if connection is not None and voice and connection.spoke and connection.session.get("voice") != voice:
                _log.info("reconnecting for another voice", voice=voice)
                connection = None
            if connection is None:
                await self._close(conversation)
                connection = await self._open()
            self._connections.pop(conversation, None)
            self._connections[conversation] = connection  # least recently used first
            self._opened.set()
            self._opened = asyncio.Event()
        await self._evict()
        return connection

    async def _open(self) -> RealtimeConnection:
        realtime = self._settings.realtime
        address = urlsplit(realtime.url)
        key = realtime.api_key
        if key is None and address.hostname == OPENAI and address.scheme == "wss":
            key = self._settings.openai.api_key
        connection = await RealtimeConnection.open(
            realtime.url,
            realtime.model,
            key.get_secret_value() if key else "",
            use_proxy=not is_loopback(address.hostname),
            timeout_s=min(HANDSHAKE_TIMEOUT_S, realtime.timeout_s),
        )
        session.update(connection, {"voice": realtime.voice}, session.audio_input(self._settings))
        _log.info("connected to a Realtime server", host=address.hostname, model=realtime.model)
        return connection

    async def _evict(self) -> None:
        quiet = [each for each in self._connections if each not in self.pinned]
        for conversation in quiet[: max(0, len(self._connections) - MOST_CONNECTIONS)]:
            await self._close(conversation)
            self._locks.pop(conversation, None)

    async def _close(self, conversation: str) -> None:
        connection = self._connections.pop(conversation, None)
        if connection is not None:
            await connection.aclose()

    async def aclose(self) -> None:
        for conversation in list(self._connections):
            await self._close(conversation)
