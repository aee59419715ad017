"""The agent's control socket: how other programs of this user ask how it is, and press its buttons. JSON lines.

    {"do": "status"}                                  how the agent is
    {"do": "press", "button": "red", "press": "long"} returns when the press is over
    {"do": "light"}                                   what the light has shown, and when

An answer is an object too; `{"error": {"code", "message", "hint"}}` when it could not be done.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final, Self

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import BadAnswer, InvalidParameter, MindError, NotReady
from reachy_mind.storage.files import make_folder

NAME: Final = "agent.sock"
MAX_LINE_BYTES: Final = 4096
MAX_ANSWER_BYTES: Final = 1 << 20
MAX_CLIENTS: Final = 8

Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class ControlSocket:
    """Use as `async with`. `answer` is given each request; its MindErrors are answered. Raises NotReady."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        self._folder, self._answer = folder, answer
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Self:
        try:
            listener = await asyncio.to_thread(_listen, self._folder)
        except OSError as error:
            raise NotReady(f"{self._folder / NAME} can't be made: {error.strerror or error}") from error
        self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=MAX_LINE_BYTES)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            await cancel_and_wait(task)
        await self._server.wait_closed()
        (self._folder / NAME).unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            if len(self._tasks) <= MAX_CLIENTS:
                await self._converse(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # it went away, or the agent ends
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                line = b"too long"
            if not line:
                return
            try:
                request = json.loads(line)
                if not isinstance(request, dict):
                    raise TypeError
                answer = await self._answer(request)
            except (ValueError, TypeError, RecursionError):
                answer = {"error": InvalidParameter("not a JSON object in a line").as_dict()}
            except MindError as error:
                answer = {"error": error.as_dict()}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
            if line == b"too long":
                return


async def ask_agent(folder: Path, request: dict[str, Any], *, timeout: float = 30.0) -> dict[str, Any]:
    """Ask the agent that uses this folder. Raises NotReady when none runs, BadAnswer, and what it answers."""
    try:
        async with asyncio.timeout(timeout):
            with _reachable(folder) as path:
                reader, writer = await asyncio.open_unix_connection(path, limit=MAX_ANSWER_BYTES)
            try:
                writer.write(json.dumps(request).encode() + b"\n")
                answer = json.loads(await reader.readline())
            finally:
                writer.close()
    except (OSError, TimeoutError) as error:
        raise NotReady("no device agent runs here, or it does not answer", hint="reachy-mind device run") from error
    except ValueError as error:
        raise BadAnswer("the device agent ended while it was asked", hint="see its log") from error
    if not isinstance(answer, dict):
        raise BadAnswer("what answers there is no device agent")
    if (told := answer.get("error")) is not None:
        failed = MindError(told["message"], hint=told["hint"])
        failed.code = told["code"]
        raise failed
    return answer


@contextlib.contextmanager
def _reachable(folder: Path) -> Iterator[str]:
    """A name of the socket that fits: addresses of sockets have at most 107 bytes."""
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}/{NAME}"
    finally:
        os.close(handle)


def _listen(folder: Path) -> socket.socket:
    make_folder(folder)
    (folder / NAME).unlink(missing_ok=True)  # of an agent that was killed; one that runs has the store's lock
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _reachable(folder) as path:
            listener.bind(path)
            Path(path).chmod(0o600)  # nobody can connect before it listens
        listener.listen(MAX_CLIENTS)
    except OSError:
        listener.close()
        raise
    return listener
