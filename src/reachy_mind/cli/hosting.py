"""The mind for MCP clients: the one that runs, else this process becomes it, and other clients attach to that."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from reachy_mind.config import Configuration
    from reachy_mind.owner import Owner


async def served(configuration: Configuration, told: Callable[[int], None]) -> None:
    """Over HTTP, until it is stopped; `told` is given the port."""
    with _stoppable():
        async with _becoming(configuration) as running:
            told(running.port)
            await asyncio.Event().wait()


async def piped(configuration: Configuration, server: str) -> None:
    """Over standard input and output, until the client closes them."""
    from reachy_mind import owner
    from reachy_mind.cli.relay import Pipe, Relay, dialled
    from reachy_mind.errors import AlreadyRunning

    pipe = Pipe()
    with _stoppable():
        async with contextlib.AsyncExitStack() as stack:

            async def dial() -> ClientConnection:
                running = await asyncio.to_thread(owner.find, configuration.home)
                if running is None:
                    try:
                        running = await stack.enter_async_context(_becoming(configuration))
                    except AlreadyRunning:  # another client was quicker
                        running = await asyncio.to_thread(owner.find, configuration.home)
                        if running is None:
                            raise
                return await dialled(running, server)

            async with Relay(dial, pipe.write) as relay:
                with contextlib.suppress(BrokenPipeError):
                    async for line in pipe.lines():
                        await relay.take(line)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """SIGTERM is how clients end their servers: in good order."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        yield


@contextlib.asynccontextmanager
async def _becoming(configuration: Configuration) -> AsyncIterator[Owner]:
    """The mind of this data folder, with its page for questions. Raises AlreadyRunning."""
    from reachy_mind.cli.attach import own
    from reachy_mind.cli.run import listeners, rest, wake
    from reachy_mind.errors import PortTaken
    from reachy_mind.loopback import listen
    from reachy_mind.owner import Ownership
    from reachy_mind.server.app import Server

    with Ownership(configuration.home) as ownership:
        try:
            listener, far = listeners(configuration)
        except PortTaken:
            listener, far = listen(0), None
        async with own(configuration, owner=True, thinks=False) as mind:
            server = Server(mind, far)
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
                    await rest(mind)
                    server.should_exit = True
                    await serving
