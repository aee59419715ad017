"""`NatsBus`: the bus of many nodes: NATS core, which keeps nothing. What is lost while it is away is in the store."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Self

from reachy_mind import log
from reachy_mind.errors import ConfigError, MissingExtra
from reachy_mind.fleet.control.bus import Handler, LocalBus

if TYPE_CHECKING:
    from nats.aio.msg import Msg

PREFIX: Final = "reachy-mind.fleet."
RECONNECT_S: Final = 1
CONNECT_TIMEOUT_S: Final = 5
HINT: Final = "nats://HOST:PORT"
_ADDRESS = re.compile(r"((nats|tls|wss?)://)?[^\s/]+/?$")

_log = log.get(__name__)


class NatsBus:
    """See `Bus`. `url`: nats://[USER:PASSWORD@]HOST:PORT, or several with commas.

    `wait_s`: how long to wait at the beginning for a server, which may also come later. Raises ConfigError.
    """

    def __init__(self, url: str, *, wait_s: float = CONNECT_TIMEOUT_S) -> None:
        try:
            from nats.aio.client import Client  # noqa: PLC0415 -- only where the extra is installed
        except ImportError:
            raise MissingExtra("a control plane of many nodes", "fleet") from None
        self._servers = [part.strip() for part in url.split(",")]
        if strange := [server for server in self._servers if not _ADDRESS.match(server)]:
            # It would be tried for ever: not shown, for it may have a password.
            raise ConfigError(
                f"the bus can't be used: address {self._servers.index(strange[0]) + 1} is none", hint=HINT
            )
        self._wait_s = wait_s
        self._client = Client()
        self._here = LocalBus()
        self._subscribed: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._connecting: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def connected(self) -> bool:
        return bool(self._client.is_connected)

    async def __aenter__(self) -> Self:
        self._connecting = asyncio.create_task(self._connect(), name="fleet bus")
        await asyncio.wait([self._connecting], timeout=self._wait_s)
        if not self._connecting.done():
            _log.warning("no NATS server answers: nodes look into the store until one does")
        elif self._connecting.exception() is not None:
            error = self._connecting.exception()
            raise ConfigError(f"the bus can't be used: {error}", hint=HINT) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        for task in (*self._tasks, self._connecting):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        await self._client.close()

    async def _connect(self) -> None:
        await self._client.connect(
            servers=self._servers,
            allow_reconnect=True,
            max_reconnect_attempts=-1,
            reconnect_time_wait=RECONNECT_S,
            connect_timeout=CONNECT_TIMEOUT_S,
            error_cb=self._on_error,
            disconnected_cb=self._on_disconnected,
            reconnected_cb=self._on_reconnected,
        )

    async def publish(self, subject: str, message: dict[str, Any]) -> None:
        with contextlib.suppress(Exception):  # the bus may lose messages
            await self._client.publish(PREFIX + subject, json.dumps(message).encode())

    @contextlib.contextmanager
    def subscribe(self, subject: str, handler: Handler) -> Iterator[None]:
        with self._here.subscribe(subject, handler):
            if subject not in self._subscribed:
                self._subscribed.add(subject)
                task = asyncio.create_task(self._subscribe(subject), name="fleet subscription")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            yield

    async def _subscribe(self, subject: str) -> None:
        async def pass_on(message: Msg) -> None:
            with contextlib.suppress(ValueError, RecursionError):  # somebody else's message
                content = json.loads(message.data)
                if isinstance(content, dict):
                    await self._here.publish(subject, content)

        if self._connecting is not None:
            await asyncio.shield(self._connecting)
        await self._client.subscribe(PREFIX + subject, cb=pass_on)

    @staticmethod
    async def _on_error(error: Exception) -> None:
        _log.warning("the bus reports an error", reason=str(error)[:200])

    async def _on_disconnected(self) -> None:
        if not self._closing:
            _log.warning("the bus is gone: nodes look into the store until it is back")

    @staticmethod
    async def _on_reconnected() -> None:
        _log.info("the bus is back")
