"""`reachy-mind run`: wakes a robot and serves its page until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import signal
import socket
import sys
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.mind import Mind
    from reachy_mind.server.app import Server
    from reachy_mind.storage.owner import Ownership


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
    from reachy_mind.config.configuration import load
    from reachy_mind.config.logs import configure_logs
    from reachy_mind.storage.owner import Ownership

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
    if profile is not None:
        from reachy_mind.profiles.catalogue import Profiles

        Profiles(configuration.home).usable(profile)  # raises before anything starts
    configure_logs(configuration, "mind")
    with Ownership(configuration.home) as ownership:
        asyncio.run(_until_stopped(configuration, ownership, memory=not no_memory, voice=not no_voice))


async def _until_stopped(configuration: Configuration, ownership: Ownership, *, memory: bool, voice: bool) -> None:
    from reachy_mind.system.stop_signals import on_signal

    task = asyncio.current_task()
    assert task is not None
    on_signal(signal.SIGTERM, task.cancel)
    try:
        await serve(configuration, ownership, memory=memory, voice=voice)
    except asyncio.CancelledError:
        print("\nbye", file=sys.stderr)


async def serve(
    configuration: Configuration, ownership: Ownership, *, memory: bool, voice: bool, hosted: bool = False
) -> None:
    """Run the mind and its server until this is cancelled. `hosted`: the robot's daemon started us, as one of its apps.

    Raises PortTaken, LinkLost, RobotBusy, or another MindError.
    """
    started = time.monotonic()
    from reachy_mind.cli.assets import ensure_description, ensure_face_detector
    from reachy_mind.errors import NotReady
    from reachy_mind.home_assistant.service import home_assistant
    from reachy_mind.mind import Mind
    from reachy_mind.system.desktop import has_screen

    has_robot = configuration.settings.robot.address != "none"
    listener, lan_listener = listeners(configuration)
    if has_robot:
        await ensure_description(configuration)
        await ensure_face_detector(configuration)
    # The web framework takes a second to import: do it while the robot starts.
    importing = asyncio.create_task(asyncio.to_thread(importlib.import_module, "reachy_mind.server.app"))
    async with Mind(configuration, memory=memory).session() as mind:
        server = (await importing).Server(mind, lan_listener)
        serving = asyncio.create_task(server.serve(sockets=[listener]), name="server")
        try:
            ownership.announce(listener.getsockname()[1])
            if has_robot:
                if not (hosted and mind.robot()["motor_mode"] == "enabled"):
                    await wake(mind)
                await _start_head_tracking(mind)
            mind.announce()
            if voice:
                start_speech(mind)
            else:
                mind.speech.refuse("run was started with --no-voice", hint="start it without")
            await mind.thinking.decide()
            async with home_assistant(mind) as served:
                _print_ready(mind, server, time.monotonic() - started, served)
                if configuration.settings.server.browser and has_screen():
                    await asyncio.to_thread(webbrowser.open, _login_url(mind, server))
                await asyncio.shield(serving)  # Ctrl-C cancels us, not the server, which is shut down below
            raise NotReady("the server ended by itself", hint="see the log; start it again")
        finally:
            try:
                await server.drain()
            finally:  # even if that fails, the robot is put to sleep
                if not hosted:  # the daemon does what it wants with the robot
                    await put_to_sleep(mind)
                server.should_exit = True
                await serving


def listeners(configuration: Configuration) -> tuple[socket.socket, socket.socket | None]:
    """The listening sockets for this machine and, if configured, for its network. Raises PortTaken, ConfigError."""
    from reachy_mind.access.lan import listen_on
    from reachy_mind.access.loopback import is_loopback, listen

    server = configuration.settings.server
    return (listen(server.port), None) if is_loopback(server.host) else listen_on(server.host, server.port)


async def wake(mind: Mind) -> None:
    """Wake the robot. It stays asleep if permissions deny it, or if another command interrupts."""
    from reachy_mind.tools.definition import ToolError

    try:
        await mind.act("robot.wake")
    except ToolError as error:
        if error.code not in ("PERMISSION_DENIED", "NOT_CONFIRMED", "CANCELLED"):
            raise
        print(f"the robot was not woken: {error.message}", file=sys.stderr)


def start_speech(mind: Mind) -> None:
    """Open the spoken conversation; its microphone stays closed where a rule asks or forbids."""
    from reachy_mind.tools.acts import LISTEN

    listening = mind.toolbox.decisions.acts((LISTEN,))
    may_listen = mind.toolbox.decisions.free(LISTEN)
    if not may_listen:
        print(f"the microphone stays closed: {listening.tier.label}: {listening.reason}", file=sys.stderr)
    mind.speech.start(microphone_off=not may_listen)


async def _start_head_tracking(mind: Mind) -> None:
    """Start head tracking, if it is available; otherwise the row `eyes` of the summary says why not."""
    from reachy_mind.tools.definition import ToolError

    with contextlib.suppress(ToolError):
        await mind.act("robot.head_tracking", {"enabled": True})


async def put_to_sleep(mind: Mind) -> None:
    """Put a real robot to sleep; our own simulator simply ends."""
    from reachy_mind.errors import MindError

    if mind.simulator is not None or mind.motion is None or mind.motion.status != "connected":
        return
    print("\nputting the robot to sleep (Ctrl-C again to skip)", file=sys.stderr)
    try:
        await mind.act("robot.lie_down")
    except MindError as error:
        print(f"error: {error.message}", file=sys.stderr)


def _page_url(mind: Mind) -> str:
    return f"http://127.0.0.1:{mind.configuration.settings.server.port}"


def _login_url(mind: Mind, server: Server) -> str:
    """The URL for a browser on this machine: a login link where a token is required, else the page."""
    settings = mind.configuration.settings.server
    return server.app.logins.issue(settings.port).urls[-1] if settings.require_token else _page_url(mind)


def _print_ready(mind: Mind, server: Server, took_s: float, served: list[str]) -> None:
    """Print the summary: addresses, robot, brain, voice, eyes."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from reachy_mind import __version__

    table = Table(box=None, show_header=False, padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    table.add_row("page", f"[bold]{_page_url(mind)}[/bold]")
    places = server.app.logins.urls(mind.configuration.settings.server.port)[:-1]
    if places:
        table.add_row("network", escape(" ".join(places)))
        table.add_row(
            "authority", escape(f"{server.app.certificate.authority_file}, SHA-256 {_short_fingerprint(server)}")
        )
    table.add_row("robot", escape(_robot(mind)))
    table.add_row("brain", escape(mind.thinking.line))
    if missing := _missing_model(mind):
        table.add_row("model", escape(missing))
    table.add_row("profile", escape(mind.profile.title))
    table.add_row("data", escape(str(mind.configuration.home.folder)))
    table.add_row("talk", "on the page, or: reachy-mind chat")
    table.add_row("voice", escape(_voice(mind)))
    if offered := _offered_voice(mind):
        table.add_row("", escape(offered))
    table.add_row("eyes", escape(_eyes(mind)))
    for line in served:
        table.add_row("home", escape(line))
    table.add_row("end", "Ctrl-C")
    console = Console(stderr=True, highlight=False)
    console.print(f"\n[bold]Reachy Mind {__version__}[/bold]")
    console.print(table)
    if mind.interrupted:
        console.print(f"  [yellow]cut short last time:[/yellow] {escape(', '.join(mind.interrupted))}")
    _print_logins(mind, server, on_network=bool(places))
    console.print(f"\nready in {took_s:.1f} s")


def _print_logins(mind: Mind, server: Server, *, on_network: bool) -> None:
    """Print a login link for the network, and one for this machine where a token is required."""
    from reachy_mind.cli.token import show_link

    settings = mind.configuration.settings.server
    if on_network:
        show_link(server.app.logins.issue(settings.port).urls[0])
    if settings.require_token:
        show_link(_login_url(mind, server))


def _short_fingerprint(server: Server) -> str:
    return server.app.certificate.fingerprint()[:23] + "…"


def _missing_model(mind: Mind) -> str:
    """How to get a language model, when there is none to think with; else empty."""
    from reachy_mind.models.fitness import recommendation
    from reachy_mind.models.machine import Machine

    if not mind.thinking.lacks_model:
        return ""
    found = recommendation(Machine.here(mind.configuration.models_folder))
    if found.model is None:
        return found.why
    asset = found.model.asset
    how = f"none yet: click on the page, or: reachy-mind models pull {asset.name}"
    size = f"{asset.size / 1e9:.1f} GB, {asset.licence}"
    return f"{how} ({size})" + (f"; first: {found.obstacle}" if found.obstacle else "")


def _voice(mind: Mind) -> str:
    """Whether it will listen, and how; what is missing is known without loading a model."""
    from reachy_mind.errors import MindError
    from reachy_mind.speech import engines

    if mind.speech.state == "closed":
        return f"off: {mind.speech.trouble.message}"
    try:
        mind.media.microphone()
        ears, mouth = mind.speech.ears(), mind.speech.mouth()
        engines.wake_word(mind.configuration)  # raises where it is not there
        mind.speech.keywords()
    except MindError as error:
        return f"off: {error.message} ({error.hint})"
    settings = mind.configuration.settings.speech
    word = settings.wake_word.replace("_", " ")
    how = {"always": "speak to it", "name": "call it Reachy", "push": "microphone off until switched on"}
    calling = f"say '{word}'" if settings.wake == "word" else how[settings.wake]
    better = engines.better_ears(mind.configuration)
    return f"{calling} ({ears.name}, {mouth.name}), in a moment" + (f"; {better}" if better else "")


def _offered_voice(mind: Mind) -> str:
    """How to get a natural voice, where there is none; else empty."""
    from reachy_mind.speech.voice_offer import voice_offer

    return "" if mind.speech.state == "closed" else voice_offer(mind.configuration, mind.pulls.store).line()


def _eyes(mind: Mind) -> str:
    """Whether head tracking is on, and if not, why."""
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
