"""`Relay`: the lines of an MCP client that started us, to and from the mind, which speaks the protocol itself.

When the mind goes away, what was asked of it is answered with an error, and the next line finds a mind anew: the
greeting of an older client is said again for it.
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

from reachy_mind.ending import ended
from reachy_mind.errors import MindError, NotReady

if TYPE_CHECKING:
    from reachy_mind.owner import Owner

LONGEST_LINE = 120_000
"""The mind's server takes no longer frames."""
LARGEST_ANSWER = 64 << 20
PARSE_ERROR, INVALID_REQUEST, GONE = -32700, -32600, -32000

Dial = Callable[[], Awaitable[ClientConnection]]
Write = Callable[[str], Awaitable[None]]


async def dialled(running: Owner, server: str) -> ClientConnection:
    """A connection to the mind that runs. Raises NotReady."""
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


class Relay:
    """Use as an async context manager. `dial` finds the mind, `write` is one line to the client."""

    def __init__(self, dial: Dial, write: Write) -> None:
        self._dial, self._write = dial, write
        self._socket: ClientConnection | None = None
        self._reading: asyncio.Task[None] | None = None
        self._greeting: dict[str, Any] | None = None
        self._greeted = False
        self._waiting: dict[str | int, None] = {}

    async def __aenter__(self) -> Relay:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reading is not None:
            await ended(self._reading)
        if self._socket is not None:
            await self._socket.close()

    async def take(self, line: str) -> None:
        """One line of the client."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            await self._fail(None, PARSE_ERROR, "this line is no JSON")
            return
        if not isinstance(message, dict):
            await self._fail(None, INVALID_REQUEST, "a message is a JSON object")
            return
        number, asks = message.get("id"), "method" in message
        wants_answer = asks and isinstance(number, str | int)
        if len(line) > LONGEST_LINE:
            await self._fail(
                number if wants_answer else None, INVALID_REQUEST, f"longer than {LONGEST_LINE} characters"
            )
            return
        try:
            if self._socket is None:
                await self._find(greet=message.get("method") != "initialize")
            assert self._socket is not None
            if isinstance(number, str | int):
                self._waiting[number] = None
            await self._socket.send(line)
        except (MindError, ConnectionClosed) as error:
            if isinstance(number, str | int):
                self._waiting.pop(number, None)
                hint = f" ({error.hint})" if isinstance(error, MindError) and error.hint else ""
                await self._fail(number, GONE, f"the robot's mind can't be reached: {error}{hint}")
            return
        if message.get("method") == "initialize":
            self._greeting, self._greeted = message, False
        elif message.get("method") == "notifications/initialized":
            self._greeted = True

    async def _find(self, *, greet: bool) -> None:
        socket = await self._dial()
        if greet and self._greeting is not None:
            await socket.send(json.dumps(self._greeting))
            await socket.recv()  # the client has had such an answer
            if self._greeted:
                await socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        if self._reading is not None:
            await ended(self._reading)
        self._socket = socket
        self._reading = asyncio.create_task(self._read(socket), name="mcp relay")

    async def _read(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                message = json.loads(text)
                if "method" not in message:
                    self._waiting.pop(message.get("id"), None)
                await self._write(str(text))
        self._socket = None
        for number in list(self._waiting):
            await self._fail(number, GONE, "the robot's mind has ended; ask again")
        self._waiting.clear()

    async def _fail(self, number: Any, code: int, why: str) -> None:
        error = {"code": code, "message": why}
        await self._write(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}))


class Pipe:
    """Our standard input and output, for messages alone: whatever else is printed here goes to stderr."""

    def __init__(self) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        self._writing = asyncio.Lock()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(64)

    async def lines(self) -> AsyncIterator[str]:
        """Until the client has closed it."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            with (
                os.fdopen(self._in, encoding="utf-8", errors="replace", newline="\n") as file,
                contextlib.suppress(RuntimeError),  # the loop has ended meanwhile
            ):
                for line in file:
                    asyncio.run_coroutine_threadsafe(self._lines.put(line.strip()), loop).result()
                asyncio.run_coroutine_threadsafe(self._lines.put(None), loop).result()

        # A thread of no pool: nobody waits for it at the end, since reading can't be interrupted.
        threading.Thread(target=read, name="stdin", daemon=True).start()
        while (line := await self._lines.get()) is not None:
            if line:
                yield line

    async def write(self, line: str) -> None:
        """Raises BrokenPipeError once the client has gone."""
        async with self._writing:
            await asyncio.to_thread(_whole, self._out, line.encode() + b"\n")


def _whole(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]
