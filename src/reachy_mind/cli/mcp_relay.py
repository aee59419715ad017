"""`McpRelay`: relays JSON-RPC lines between an MCP client on stdio and the mind's WebSocket.

When the mind ends, pending requests are answered with an error. The next line reconnects, and repeats the client's
`initialize` handshake for the new mind.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError, NotReady

if TYPE_CHECKING:
    from reachy_mind.storage.owner import Owner

LONGEST_LINE = 120_000
"""The mind's server accepts no longer frames."""
LARGEST_ANSWER = 64 << 20
PARSE_ERROR, INVALID_REQUEST, MIND_UNREACHABLE = -32700, -32600, -32000

Connect = Callable[[], Awaitable[ClientConnection]]
Write = Callable[[str], Awaitable[None]]


async def connect_mind(running: Owner, server: str) -> ClientConnection:
    """Connect to the running mind. Raises NotReady."""
    url = f"ws://127.0.0.1:{running.port}/mcp/stdio/{server}"
    headers = {"Authorization": f"Bearer {running.token}"}
    try:
        return await connect(
            url, additional_headers=headers, proxy=None, compression=None, max_size=LARGEST_ANSWER, ping_interval=None
        )
    except (OSError, InvalidHandshake, ConnectionClosed) as error:
        raise NotReady(
            f"the mind (process {running.pid}) does not take MCP clients: {error}",
            hint="it may be starting or stopping, or lack the extra: pip install 'reachy-mind[mcp]'",
        ) from error


class McpRelay:
    """Use as `async with`. `open_connection` connects to a mind, `write` sends one line to the client."""

    def __init__(self, open_connection: Connect, write: Write) -> None:
        self._open_connection, self._write = open_connection, write
        self._socket: ClientConnection | None = None
        self._reading: asyncio.Task[None] | None = None
        self._initialize: dict[str, Any] | None = None
        self._initialized = False
        self._pending: dict[str | int, None] = {}

    async def __aenter__(self) -> McpRelay:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reading is not None:
            await cancel_and_wait(self._reading)
        if self._socket is not None:
            await self._socket.close()

    async def handle_line(self, line: str) -> None:
        """Relay one line of the client."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            await self._fail(None, PARSE_ERROR, "this line is no JSON")
            return
        if not isinstance(message, dict):
            await self._fail(None, INVALID_REQUEST, "a message is a JSON object")
            return
        request_id, asks = message.get("id"), "method" in message
        wants_answer = asks and isinstance(request_id, str | int)
        if len(line) > LONGEST_LINE:
            await self._fail(
                request_id if wants_answer else None, INVALID_REQUEST, f"longer than {LONGEST_LINE} characters"
            )
            return
        try:
            if self._socket is None:
                await self._reconnect(initialize=message.get("method") != "initialize")
            assert self._socket is not None
            if isinstance(request_id, str | int):
                self._pending[request_id] = None
            await self._socket.send(line)
        except (MindError, ConnectionClosed) as error:
            if isinstance(request_id, str | int):
                self._pending.pop(request_id, None)
                hint = f" ({error.hint})" if isinstance(error, MindError) and error.hint else ""
                await self._fail(request_id, MIND_UNREACHABLE, f"the robot's mind can't be reached: {error}{hint}")
            return
        if message.get("method") == "initialize":
            self._initialize, self._initialized = message, False
        elif message.get("method") == "notifications/initialized":
            self._initialized = True

    async def _reconnect(self, *, initialize: bool) -> None:
        socket = await self._open_connection()
        if initialize and self._initialize is not None:
            await socket.send(json.dumps(self._initialize))
            await socket.recv()  # not relayed: the client has its answer already
            if self._initialized:
                await socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        if self._reading is not None:
            await cancel_and_wait(self._reading)
        self._socket = socket
        self._reading = asyncio.create_task(self._read(socket), name="mcp relay")

    async def _read(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                if "method" not in message:
                    self._pending.pop(message.get("id"), None)
                await self._write(str(text))
        self._socket = None
        for request_id in list(self._pending):
            await self._fail(request_id, MIND_UNREACHABLE, "the robot's mind has ended; ask again")
        self._pending.clear()

    async def _fail(self, request_id: Any, code: int, why: str) -> None:
        error = {"code": code, "message": why}
        await self._write(json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}))


class StdioPipe:
    """Standard input and output reserved for messages: other prints of this process go to stderr."""

    def __init__(self) -> None:
        self._stdin, self._stdout = os.dup(0), os.dup(1)
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        self._writing = asyncio.Lock()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(64)

    async def lines(self) -> AsyncIterator[str]:
        """Lines of the client, until it closes its end."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            with (
                os.fdopen(self._stdin, encoding="utf-8", errors="replace", newline="\n") as file,
                contextlib.suppress(RuntimeError),  # the loop has ended meanwhile
            ):
                for line in file:
                    asyncio.run_coroutine_threadsafe(self._lines.put(line.strip()), loop).result()
                asyncio.run_coroutine_threadsafe(self._lines.put(None), loop).result()

        # A daemon thread, not of a pool: a blocking read can't be interrupted, and must not delay the exit.
        threading.Thread(target=read, name="stdin", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            if line:
                yield line

    async def write(self, line: str) -> None:
        """Raises BrokenPipeError once the client has gone."""
        async with self._writing:
            await asyncio.to_thread(_write_all, self._stdout, line.encode() + b"\n")


def _write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]
