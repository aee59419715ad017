"""Serves MCP clients: attaches to the running mind, else this process becomes the mind that other clients attach to."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from reachy_mind.config.configuration import Configuration
    from reachy_mind.storage.owner import Owner


async def serve_http(configuration: Configuration, on_ready: Callable[[int], None]) -> None:
    """Serve over HTTP until SIGTERM. `on_ready` is called with the port."""
    with _until_sigterm():
        async with _own_mind(configuration) as running:
            on_ready(running.port)
            await asyncio.Event().wait()


async def serve_stdio(configuration: Configuration, server: str) -> None:
    """Serve over standard input and output until the client closes them."""
    from reachy_mind.cli.mcp_relay import McpRelay, StdioPipe, connect_mind
    from reachy_mind.errors import AlreadyRunning
    from reachy_mind.storage import owner

    pipe = StdioPipe()
    with _until_sigterm():
        async with contextlib.AsyncExitStack() as stack:

            async def connect() -> ClientConnection:
                running = await asyncio.to_thread(owner.find, configuration.home)
                if running is None:
                    try:
                        running = await stack.enter_async_context(_own_mind(configuration))
                    except AlreadyRunning:  # another client was faster
                        running = await asyncio.to_thread(owner.find, configuration.home)
                        if running is None:
                            raise
                return await connect_mind(running, server)

            async with McpRelay(connect, pipe.write) as relay:
                with contextlib.suppress(BrokenPipeError):
                    async for line in pipe.lines():
                        await relay.handle_line(line)


@contextlib.contextmanager
def _until_sigterm() -> Iterator[None]:
    """Cancel on SIGTERM, for an orderly shutdown: clients end their servers that way."""
    from reachy_mind.system.stop_signals import on_signal

    task = asyncio.current_task()
    assert task is not None
    on_signal(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        yield


@contextlib.asynccontextmanager
async def _own_mind(configuration: Configuration) -> AsyncIterator[Owner]:
    """Start the mind of this data folder with its page, where people confirm. Raises AlreadyRunning."""
    from reachy_mind.access.loopback import listen
    from reachy_mind.cli.connection import local_mind
    from reachy_mind.cli.run import listeners, put_to_sleep, wake
    from reachy_mind.errors import PortTaken
    from reachy_mind.server.app import Server
    from reachy_mind.storage.owner import Ownership

    with Ownership(configuration.home) as ownership:
        try:
            listener, lan_listener = listeners(configuration)
        except PortTaken:
            listener, lan_listener = listen(0), None
        async with local_mind(configuration, owner=True, thinks=False) as mind:
            server = Server(mind, lan_listener)
            serving = asyncio.create_task(server.serve(sockets=[listener]), name="server")
            try:
                announced = ownership.announce(listener.getsockname()[1])
                if mind.motion is not None:
                    await wake(mind)
                mind.announce()
                print(f"page: http://127.0.0.1:{announced.port}", file=sys.stderr)
                yield announced
            finally:
                try:
                    await server.drain()
                finally:  # as `run` does
                    await put_to_sleep(mind)
                    server.should_exit = True
                    await serving
