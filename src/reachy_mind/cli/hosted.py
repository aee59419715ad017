"""The mind as an app of the robot's daemon: `serve` of `reachy-mind run`, at that daemon, until an event is set.

The daemon starts and stops it, and takes the robot back afterwards: to its zero position, later to sleep. So the robot
is woken only if it sleeps, and is not put to sleep at the end: the daemon waits 20 s for an app, then kills it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reachy_mind.body.address import Address
    from reachy_mind.body.protocol import DaemonStatus
    from reachy_mind.config.configuration import Configuration

STOP_CHECK_S = 0.1


def run_hosted(robot: Any, stop_event: threading.Event, port: int) -> None:
    """Serve the page at `port`, until `stop_event` is set. `robot`: the vendor's object, or None. Raises MindError."""
    asyncio.run(_until_set(stop_event, _serve_hosted(robot, port)))


async def _until_set(stop_event: threading.Event, serving: Any) -> None:
    """Await `serving`; cancel it once the event is set, which may happen in another thread or a signal handler."""
    from reachy_mind.cancellation import cancel_and_wait

    task = asyncio.create_task(serving, name="hosted mind")
    try:
        while not (task.done() or stop_event.is_set()):
            await asyncio.wait([task], timeout=STOP_CHECK_S)
    finally:
        await cancel_and_wait(task)


async def _serve_hosted(robot: Any, port: int) -> None:
    from reachy_mind.body.daemon import DaemonClient
    from reachy_mind.body.launching_daemon import address_of, launching_daemon
    from reachy_mind.cli.run import serve
    from reachy_mind.config.configuration import load
    from reachy_mind.config.logs import configure_logs
    from reachy_mind.storage.owner import Ownership

    address = address_of(robot)
    if address is None:
        address = await asyncio.to_thread(launching_daemon)
    async with contextlib.aclosing(DaemonClient(address, app_name=load().settings.robot.app_name)) as daemon:
        configuration = configuration_for(address, port, await daemon.check())
    configure_logs(configuration, "mind")
    with Ownership(configuration.home) as ownership:
        await serve(configuration, ownership, memory=True, voice=True, hosted=True)


def configuration_for(address: Address, port: int, status: DaemonStatus) -> Configuration:
    """The user's configuration, with what the daemon determines: its address, the page's port, the way to its media.

    The page of a wireless robot is for the network, unless the user set `server.host`.
    """
    from reachy_mind.config.configuration import load

    flags: dict[str, Any] = {"robot.address": str(address), "server.port": port, "server.browser": False}
    own = load(flags=flags)
    if status.wireless_version and "server.host" not in own.origins:
        flags["server.host"] = "0.0.0.0"  # noqa: S104 -- over TLS, and with a login
    if own.settings.media.vendor_python is None and not status.no_media and importlib.util.find_spec("reachy_mini"):
        flags["media.vendor_python"] = sys.executable
    return load(flags=flags)
