"""`reachy-mind sim`: the simulated robot by itself, for any client that speaks the robot's protocol; `sim record`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from reachy_mind.sim.video_file import VideoFile

app = typer.Typer(name="sim", invoke_without_command=True)

Port = Annotated[int, typer.Option("--port", "--fastapi-port", help="Port to listen on; the vendor's is 8000.")]
VENDOR_SCENES = {"minimal": "table"}
"""The vendor's names of scenes that are like ours."""


@app.callback()
def sim(
    context: typer.Context,
    port: Port = 8000,
    scene: Annotated[str | None, typer.Option(help="empty or table (minimal, for the vendor).")] = None,
    wake_up: Annotated[
        bool, typer.Option("--wake-up-on-start/--no-wake-up-on-start", help="Wake the robot; else it sleeps.")
    ] = True,
    headless: Annotated[  # noqa: ARG001 -- for programs that start the vendor's daemon
        bool, typer.Option("--headless", help="No window: there is none in any case.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
) -> None:
    """Serve a simulated robot on 127.0.0.1 until Ctrl-C. It wakes up at the start, as with the vendor's daemon."""
    if context.invoked_subcommand is not None:
        return
    import asyncio
    import contextlib
    import sys

    from reachy_mind import log
    from reachy_mind.access.loopback import listen
    from reachy_mind.cli.assets import ensure_description
    from reachy_mind.config.configuration import load
    from reachy_mind.models.robot_description import compiled_folder
    from reachy_mind.sim.daemon import SimulatedDaemon, serve

    configuration = load(
        flags={"robot.scene": VENDOR_SCENES.get(scene or "", scene), "log.level": "debug" if debug else None}
    )
    log.configure(configuration.settings.log.level, configuration.settings.log.format, configuration.secrets())
    listener = listen(port)
    description = asyncio.run(ensure_description(configuration))
    world = configuration.settings.robot.scene
    daemon = SimulatedDaemon(description, world, compiled_folder(configuration), wake_up=wake_up)
    print(f"eye: http://127.0.0.1:{listener.getsockname()[1]}/sim/v1/camera/stream", file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(daemon, listener, with_parent=False))


@app.command()
def record(
    file: Annotated[Path, typer.Argument(help="Where to: a name with .avi, .gif or .webp.")],
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="How long, in simulated time.")] = 10.0,
    fps: Annotated[float, typer.Option(min=1, max=25, help="Frames a second.")] = 12.5,
    view: Annotated[Literal["eye", "studio"], typer.Option(help="The robot's eye, or from outside.")] = "eye",
    port: Annotated[int, typer.Option(help="Where the simulator listens.")] = 8000,
    live: Annotated[
        bool,
        typer.Option("--live", help="Let time run instead of stepping it from frame to frame; an .avi has sound then."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Record what a running simulator's camera sees. Ctrl-C ends it early and keeps what there is."""
    import asyncio
    import contextlib

    import httpx

    from reachy_mind.errors import NotReady
    from reachy_mind.sim.video_file import VideoFile
    from reachy_mind.sim.video_recording import record_video

    url = f"http://127.0.0.1:{port}"
    with VideoFile(file, fps, sound=live) as film:
        try:
            with contextlib.suppress(KeyboardInterrupt):
                if live:
                    asyncio.run(_record_live(url, film, view, fps, seconds))
                else:
                    with httpx.Client(base_url=f"{url}/sim/v1", timeout=60) as simulator:
                        record_video(simulator, film, view=view, fps=fps, seconds=seconds)
        except (httpx.TransportError, OSError) as error:
            raise NotReady(
                f"no simulator answers on port {port}: {error}", hint="start one: reachy-mind sim"
            ) from error
    outcome = {"file": str(file), "frames": film.frames, "fps": fps, "bytes": file.stat().st_size if film.frames else 0}
    print(json.dumps(outcome) if as_json else f"{film.frames} frames in {file} ({outcome['bytes']} bytes)")


async def _record_live(url: str, film: VideoFile, view: str, fps: float, seconds: float) -> None:
    """Record while time runs, with the sound of the room where the format takes it."""
    import asyncio
    import contextlib

    import httpx

    from reachy_mind.sim.live_recording import LiveRecording, SoundTrack, camera_pictures

    async with contextlib.AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=f"{url}/sim/v1", timeout=60))
        sound = await stack.enter_async_context(SoundTrack(url)) if film.takes_sound else None
        await stack.enter_async_context(LiveRecording(camera_pictures(client, view), film, fps, sound))
        await asyncio.sleep(seconds)
