"""The connection of a command to a mind: the one that is running (remote), else one in this process (local)."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from reachy_mind.config.configuration import Configuration
    from reachy_mind.mind import Mind
    from reachy_mind.storage.owner import Owner

Json = dict[str, Any]
REQUEST_TIMEOUT_S = 900.0
"""A move lasts ten minutes at most."""


class LocalConnection:
    """A mind in this process."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind

    async def request(self, method: str, route: str, content: Json | None = None) -> Json:
        """One call of the REST API, through the server's own app without a network. Raises RemoteError."""
        import httpx

        from reachy_mind.client import parse_response
        from reachy_mind.server.app import AsgiApp

        transport = httpx.ASGITransport(AsgiApp(self.mind, in_process=True))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", timeout=REQUEST_TIMEOUT_S
        ) as http:
            return parse_response(await http.request(method, f"/api/v1/{route}", json=content))


class RemoteConnection:
    """The mind that is running in another process of the same user."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    async def request(self, method: str, route: str, content: Json | None = None) -> Json:
        """One call of the REST API. Raises RemoteError, and NotReady when the mind does not answer."""
        from reachy_mind.client import Client

        return await Client(self._owner).ask(method, route, content, timeout=REQUEST_TIMEOUT_S)

    @contextlib.asynccontextmanager
    async def socket(self, route: str) -> AsyncIterator[ClientConnection]:
        """A WebSocket of the API. Raises NotReady when the mind does not answer, or ends."""
        from websockets.asyncio.client import connect as connect_socket
        from websockets.exceptions import ConnectionClosed, InvalidHandshake

        from reachy_mind.errors import NotReady

        url = f"ws://127.0.0.1:{self._owner.port}/api/v1/{route}"
        headers = {"Authorization": f"Bearer {self._owner.token}"}
        try:
            # Without compression: sound does not shrink, and this is the loopback interface.
            async with connect_socket(url, additional_headers=headers, proxy=None, compression=None) as socket:
                yield socket
        except (OSError, InvalidHandshake, ConnectionClosed) as error:
            raise NotReady(
                f"the mind (process {self._owner.pid}) does not answer: {error}",
                hint="it may be starting or stopping: try again",
            ) from error


@contextlib.asynccontextmanager
async def connect(
    configuration: Configuration, *, robot: str | None = None, owner: bool = False, thinks: bool = True
) -> AsyncIterator[LocalConnection | RemoteConnection]:
    """To the mind that is running, else to one in this process; `owner` and `thinks` are options of that `Mind`.

    `robot`: the one that was named on the command line. Raises AlreadyRunning when the running mind has another.
    """
    from reachy_mind.storage.owner import find

    running = find(configuration.home)
    if running is None:
        async with local_mind(configuration, owner=owner, thinks=thinks) as mind:
            yield LocalConnection(mind)
        return
    if robot is not None:
        await require_same_robot(running, robot)
    yield RemoteConnection(running)


@contextlib.asynccontextmanager
async def local_mind(configuration: Configuration, *, owner: bool = False, thinks: bool = True) -> AsyncIterator[Mind]:
    """A mind in this process, its robot description downloaded if need be; `owner` and `thinks` as in `Mind`."""
    from reachy_mind.cli.assets import ensure_description
    from reachy_mind.mind import Mind

    if configuration.settings.robot.address != "none":
        await ensure_description(configuration)
    async with Mind(configuration, owner=owner, thinks=thinks).session() as mind:
        yield mind


async def require_same_robot(running: Owner, robot: str) -> None:
    """Never move the robot of a running mind when another one was named. Raises AlreadyRunning."""
    from reachy_mind.body.address import Address
    from reachy_mind.client import Client, RemoteError
    from reachy_mind.errors import AlreadyRunning

    try:
        state = await Client(running).ask("GET", "robot/state")
    except RemoteError as error:
        if error.code != "NOT_READY":
            raise
        has, same = "without a robot", robot == "none"
    else:
        has = f"with the robot at {state['address']}"
        same = state["simulated"] if robot == "sim" else str(Address.parse(robot)) == state["address"]
    if not same:
        raise AlreadyRunning(
            f"a mind is running {has}, not {robot}", hint="leave out --robot to use it, or stop it first"
        )
