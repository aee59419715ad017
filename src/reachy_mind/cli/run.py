"""`reachy-mind run`: wakes a robot and shows it live until Ctrl-C."""

from __future__ import annotations

import asyncio
import importlib
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from reachy_mind.config import Configuration
    from reachy_mind.mind import Mind
    from reachy_mind.owner import Ownership

REFRESH_S = 0.1
PLAIN_REFRESH_S = 5.0


def run(
    robot: Annotated[str | None, typer.Option(help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")] = None,
    port: Annotated[int | None, typer.Option(help="Port of our own server.")] = None,
    no_idle: Annotated[bool, typer.Option("--no-idle", help="Hold still when there is nothing to do.")] = False,
    config: Annotated[Path | None, typer.Option(help="YAML file to read instead of the data folder's.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
) -> None:
    """Wake the robot (a simulated one unless told otherwise) and show what it does. Ctrl-C ends it."""
    from reachy_mind import log
    from reachy_mind.config import load
    from reachy_mind.owner import Ownership

    flags: dict[str, Any] = {"robot.address": robot, "server.port": port, "log.level": "debug" if debug else None}
    flags["robot.idle"] = False if no_idle else None
    configuration = load(config_file=config, flags=flags)
    settings = configuration.settings
    log.configure(settings.log.level, settings.log.format, configuration.secrets())
    with Ownership(configuration.home) as ownership:
        asyncio.run(_until_stopped(configuration, ownership))


async def _until_stopped(configuration: Configuration, ownership: Ownership) -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await _serve(configuration, ownership)
    except asyncio.CancelledError:
        print("\nbye", file=sys.stderr)


async def _serve(configuration: Configuration, ownership: Ownership) -> None:
    started = time.monotonic()
    from reachy_mind.cli.assets import ensure_description
    from reachy_mind.loopback import listen
    from reachy_mind.mind import Mind

    has_robot = configuration.settings.robot.address != "none"
    listener = listen(configuration.settings.server.port)
    if has_robot:
        await ensure_description(configuration)
    # The web framework takes a second to import: meanwhile the robot starts.
    importing = asyncio.create_task(asyncio.to_thread(importlib.import_module, "reachy_mind.server.app"))
    async with Mind(configuration).session() as mind:
        server = (await importing).Server(mind)
        serving = asyncio.create_task(server.serve(sockets=[listener]), name="server")
        try:
            ownership.announce(listener.getsockname()[1])
            if has_robot:
                await _wake(mind)
            mind.announce()
            _say_ready(mind, time.monotonic() - started)
            await _show(mind)
        finally:
            await _rest(mind)
            server.should_exit = True
            await serving


async def _wake(mind: Mind) -> None:
    """One that may not be woken without asking stays asleep; and a command that comes meanwhile has its way."""
    from reachy_mind.tools.definition import ToolError

    try:
        await mind.act("robot.wake")
    except ToolError as error:
        if error.code not in ("PERMISSION_DENIED", "NOT_CONFIRMED", "CANCELLED"):
            raise
        print(f"the robot was not woken: {error.message}", file=sys.stderr)


async def _rest(mind: Mind) -> None:
    """What we woke we put to sleep; our own simulator simply ends."""
    from reachy_mind.errors import MindError

    if mind.simulator is not None or mind.motion is None or mind.motion.status != "connected":
        return
    print("\nputting the robot to sleep (Ctrl-C again to skip)", file=sys.stderr)
    try:
        await mind.act("robot.lie_down")
    except MindError as error:
        print(f"error: {error.message}", file=sys.stderr)


def _say_ready(mind: Mind, took_s: float) -> None:
    configuration = mind.configuration
    print(f"ready in {took_s:.1f} s", file=sys.stderr)
    print(f"server:       http://127.0.0.1:{configuration.settings.server.port}/docs", file=sys.stderr)
    if mind.simulator is not None:
        base = f"http://127.0.0.1:{mind.simulator.port}/sim/v1/camera/stream"
        print(f"its eye:      {base}\nfrom outside: {base}?view=studio", file=sys.stderr)


async def _show(mind: Mind) -> None:
    """The live view: a panel in a terminal, a line now and then elsewhere."""
    if not sys.stdout.isatty():
        while True:
            print(_line(mind), flush=True)
            await asyncio.sleep(PLAIN_REFRESH_S)
    from rich.live import Live

    with Live(_panel(mind), refresh_per_second=1 / REFRESH_S) as live:
        while True:
            await asyncio.sleep(REFRESH_S)
            live.update(_panel(mind))


def _state(mind: Mind) -> dict[str, Any] | str:
    from reachy_mind.errors import MindError

    try:
        return mind.robot()
    except MindError as error:
        return error.message


def _line(mind: Mind) -> str:
    state = _state(mind)
    if isinstance(state, str):
        return state
    pose = state["pose"]
    head = f"yaw {pose['yaw']:.1f} pitch {pose['pitch']:.1f} roll {pose['roll']:.1f}"
    return f"{state['robot']}: {state['link']}, motors {state['motor_mode']}, head {head}, body {pose['body_yaw']:.1f}"


def _panel(mind: Mind) -> RenderableType:
    from rich.panel import Panel
    from rich.table import Table

    state = _state(mind)
    if isinstance(state, str):
        return Panel(state, title="Reachy Mind", border_style="red", width=64)
    pose = state["pose"]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("motors", str(state["motor_mode"]))
    table.add_row("head", f"yaw {pose['yaw']:6.1f}°  pitch {pose['pitch']:6.1f}°  roll {pose['roll']:6.1f}°")
    table.add_row("", f"x {pose['x_mm']:8.1f}   y {pose['y_mm']:10.1f}   z {pose['z_mm']:9.1f}  mm")
    table.add_row("body", f"yaw {pose['body_yaw']:6.1f}°")
    table.add_row("antennas", f"left {pose['antenna_left']:5.1f}°  right {pose['antenna_right']:6.1f}°")
    kind = "simulated" if state["simulated"] else "real"
    title = f"{state['robot']} ({kind}, daemon {state['version']})"
    return Panel(table, title=title, subtitle="Ctrl-C ends it", border_style="green", width=64)
