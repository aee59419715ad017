"""`reachy-mind sim`: the simulated robot by itself, for any client that speaks the robot's protocol."""

from __future__ import annotations

from typing import Annotated

import typer


def sim(
    port: Annotated[int, typer.Option(help="Port to listen on; the vendor's is 8000.")] = 8000,
    scene: Annotated[str | None, typer.Option(help="empty or table.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
) -> None:
    """Serve a simulated robot on 127.0.0.1 until Ctrl-C. It starts asleep, with its motors off."""
    import asyncio
    import contextlib
    import sys

    from reachy_mind import log
    from reachy_mind.cli.assets import ensure_description
    from reachy_mind.config import load
    from reachy_mind.loopback import listen
    from reachy_mind.mind import compiled_folder
    from reachy_mind.sim.daemon import Daemon, serve

    configuration = load(flags={"robot.scene": scene, "log.level": "debug" if debug else None})
    log.configure(configuration.settings.log.level, configuration.settings.log.format, configuration.secrets())
    listener = listen(port)
    description = asyncio.run(ensure_description(configuration))
    daemon = Daemon(description, configuration.settings.robot.scene, compiled_folder(configuration))
    print(f"eye: http://127.0.0.1:{listener.getsockname()[1]}/sim/v1/camera/stream", file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(daemon, listener, with_parent=False))
