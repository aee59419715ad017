"""`reachy-mind run`: wakes a robot and serves its page until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import signal
import socket
import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reachy_mind.config import Configuration
    from reachy_mind.mind import Mind
    from reachy_mind.owner import Ownership
    from reachy_mind.server.app import Server


def run(
    robot: Annotated[str | None, typer.Option(help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")] = None,
    brain: Annotated[str | None, typer.Option(help="auto, reflex, agents, claude or realtime.", metavar="NAME")] = None,
    profile: Annotated[str | None, typer.Option(help="Who to be: reachy-mind profile list.", metavar="NAME")] = None,
    port: Annotated[int | None, typer.Option(help="Port of our own server.")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Don't open the page.")] = False,
    lan: Annotated[
        bool, typer.Option("--lan", help="Serve this machine's network too: over TLS, with a token or a login.")
    ] = False,
    no_camera: Annotated[bool, typer.Option("--no-camera", help="Don't look through the robot's camera.")] = False,
    head_tracker: Annotated[
        str | None, typer.Option(help="What finds faces to follow: bundled, yolo, mediapipe or off.", metavar="NAME")
    ] = None,
    local_vision: Annotated[
        bool, typer.Option("--local-vision", help="Describe what it sees with a model on this machine.")
    ] = False,
    no_voice: Annotated[bool, typer.Option("--no-voice", help="Don't listen and don't speak.")] = False,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Forget conversations at the end.")] = False,
    no_idle: Annotated[bool, typer.Option("--no-idle", help="Hold still when there is nothing to do.")] = False,
    config: Annotated[Path | None, typer.Option(help="YAML file to read instead of the data folder's.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
) -> None:
    """Wake the robot (a simulated one unless told otherwise) and open its page. Ctrl-C ends it."""
    from reachy_mind import log
    from reachy_mind.config import load
    from reachy_mind.owner import Ownership

    flags: dict[str, Any] = {"robot.address": robot, "mind.brain": brain, "server.port": port}
    flags |= {"eyes.tracker": head_tracker}
    flags |= {"mind.profile": profile}
    flags |= {"log.level": "debug"} if debug else {}
    flags |= {"robot.idle": False} if no_idle else {}
    flags |= {"server.browser": False} if no_browser else {}
    flags |= {"server.host": "0.0.0.0"} if lan else {}  # noqa: S104 -- it is what was asked for
    flags |= {"eyes.camera": False} if no_camera else {}
    flags |= {"eyes.local_vision": True} if local_vision else {}
    configuration = load(config_file=config, flags=flags)
    settings = configuration.settings
    if profile is not None:
        from reachy_mind.profiles.catalogue import Profiles

        Profiles(configuration.home).usable(profile)  # a slip is told before anything starts
    log.configure(settings.log.level, settings.log.format, configuration.secrets())
    with Ownership(configuration.home) as ownership:
        asyncio.run(_until_stopped(configuration, ownership, memory=not no_memory, voice=not no_voice))


async def _until_stopped(configuration: Configuration, ownership: Ownership, *, memory: bool, voice: bool) -> None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        await _serve(configuration, ownership, memory=memory, voice=voice)
    except asyncio.CancelledError:
        print("\nbye", file=sys.stderr)


async def _serve(configuration: Configuration, ownership: Ownership, *, memory: bool, voice: bool) -> None:
    started = time.monotonic()
    from reachy_mind.cli.assets import ensure_description, ensure_face_detector
    from reachy_mind.errors import NotReady
    from reachy_mind.mind import Mind

    has_robot = configuration.settings.robot.address != "none"
    listener, far = listeners(configuration)
    if has_robot:
        await ensure_description(configuration)
        await ensure_face_detector(configuration)
    # The web framework takes a second to import: meanwhile the robot starts.
    importing = asyncio.create_task(asyncio.to_thread(importlib.import_module, "reachy_mind.server.app"))
    async with Mind(configuration, memory=memory).session() as mind:
        server = (await importing).Server(mind, far)
        serving = asyncio.create_task(server.serve(sockets=[listener]), name="server")
        try:
            ownership.announce(listener.getsockname()[1])
            if has_robot:
                await wake(mind)
                await _follow(mind)
            mind.announce()
            if voice:
                mind.speech.start()
            else:
                mind.speech.refuse("run was started with --no-voice", hint="start it without")
            await mind.thinking.decide()
            _say_ready(mind, server, time.monotonic() - started)
            if configuration.settings.server.browser and _has_screen():
                await asyncio.to_thread(webbrowser.open, _way_in(mind, server))
            await asyncio.shield(serving)  # a Ctrl-C is for us; the server ends below, in good order
            raise NotReady("the server ended by itself", hint="see the log; start it again")
        finally:
            try:
                await server.drain()
            finally:  # whatever became of that: a robot is not left standing
                await rest(mind)
                server.should_exit = True
                await serving


def listeners(configuration: Configuration) -> tuple[socket.socket, socket.socket | None]:
    """For this machine, and for its network if that is wanted. Raises PortTaken, ConfigError."""
    from reachy_mind.lan import listen_on
    from reachy_mind.loopback import is_loopback, listen

    server = configuration.settings.server
    return (listen(server.port), None) if is_loopback(server.host) else listen_on(server.host, server.port)


async def wake(mind: Mind) -> None:
    """One that may not be woken without asking stays asleep; and a command that comes meanwhile has its way."""
    from reachy_mind.tools.definition import ToolError

    try:
        await mind.act("robot.wake")
    except ToolError as error:
        if error.code not in ("PERMISSION_DENIED", "NOT_CONFIRMED", "CANCELLED"):
            raise
        print(f"the robot was not woken: {error.message}", file=sys.stderr)


async def _follow(mind: Mind) -> None:
    """People, from the start, where there is what that takes; else `eyes` in what is said then tells why not."""
    from reachy_mind.tools.definition import ToolError

    with contextlib.suppress(ToolError):
        await mind.act("robot.head_tracking", {"enabled": True})


async def rest(mind: Mind) -> None:
    """What we woke we put to sleep; our own simulator simply ends."""
    from reachy_mind.errors import MindError

    if mind.simulator is not None or mind.motion is None or mind.motion.status != "connected":
        return
    print("\nputting the robot to sleep (Ctrl-C again to skip)", file=sys.stderr)
    try:
        await mind.act("robot.lie_down")
    except MindError as error:
        print(f"error: {error.message}", file=sys.stderr)


def _has_screen() -> bool:
    """Without one, the browser that is found may be one that takes over the terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _page(mind: Mind) -> str:
    return f"http://127.0.0.1:{mind.configuration.settings.server.port}"


def _way_in(mind: Mind, server: Server) -> str:
    """Where a browser of this machine begins: where a token is required, it logs in first."""
    settings = mind.configuration.settings.server
    return server.house.logins.invite(settings.port).urls[-1] if settings.require_token else _page(mind)


def _say_ready(mind: Mind, server: Server, took_s: float) -> None:
    """One block that says where everything is."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from reachy_mind import __version__

    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    table.add_row("page", f"[bold]{_page(mind)}[/bold]")
    places = server.house.logins.places(mind.configuration.settings.server.port)[:-1]
    if places:
        table.add_row("network", escape(" ".join(places)))
        table.add_row("authority", escape(f"{server.house.certificate.authority_file}, SHA-256 {_short(server)}"))
    table.add_row("robot", escape(_robot(mind)))
    table.add_row("brain", escape(mind.thinking.line))
    table.add_row("profile", escape(mind.profile.title))
    table.add_row("data", escape(str(mind.configuration.home.folder)))
    table.add_row("talk", "on the page, or: reachy-mind chat")
    table.add_row("voice", escape(_voice(mind)))
    table.add_row("eyes", escape(_eyes(mind)))
    table.add_row("end", "Ctrl-C")
    console = Console(stderr=True, highlight=False)
    console.print(f"\n[bold]Reachy Mind {__version__}[/bold]")
    console.print(table)
    if mind.interrupted:
        console.print(f"  [yellow]cut short last time:[/yellow] {escape(', '.join(mind.interrupted))}")
    _show_ways_in(mind, server, others=bool(places))
    console.print(f"\nready in {took_s:.1f} s")


def _show_ways_in(mind: Mind, server: Server, *, others: bool) -> None:
    """A login for a phone, and for a browser here where one is needed."""
    from reachy_mind.cli.token import show_link

    settings = mind.configuration.settings.server
    if others:
        show_link(server.house.logins.invite(settings.port).urls[0])
    if settings.require_token:
        show_link(_way_in(mind, server))


def _short(server: Server) -> str:
    return server.house.certificate.fingerprint()[:23] + "…"


def _voice(mind: Mind) -> str:
    """Whether it will listen; what there is not can be told at once, without loading anything."""
    from reachy_mind.errors import MindError
    from reachy_mind.speech import choice

    if mind.speech.state == "closed":
        return f"off: {mind.speech.trouble.message}"
    try:
        mind.media.microphone()
        ears, mouth = mind.speech.ears(), mind.speech.mouth()
        word = choice.wake_word(mind.configuration)
    except MindError as error:
        return f"off: {error.message} ({error.hint})"
    how = {"always": "speak to it", "name": "call it Reachy", "push": "microphone off until switched on"}
    calling = f"say '{word.name.replace('_', ' ')}'" if word else how[mind.configuration.settings.speech.wake]
    return f"{calling} ({ears.name}, {mouth.name}), in a moment"


def _eyes(mind: Mind) -> str:
    """Whether it looks at people, and if not, why."""
    from reachy_mind.errors import MindError

    try:
        mind.eye()
        detector = mind.sight.detector()
        mind.body()
    except MindError as error:
        return f"it follows nobody: {error.message} ({error.hint})"
    follows = mind.sight.described()["following"]
    return f"it looks at people ({detector.name})" if follows else "it follows nobody until it is told to"


def _robot(mind: Mind) -> str:
    from reachy_mind.errors import MindError

    try:
        state = mind.robot()
    except MindError as error:
        return error.message
    kind = "simulated" if state["simulated"] else f"at {state['address']}, daemon {state['version']}"
    return f"{state['robot']}, {kind}, motors {state['motor_mode']}"
