"""Latency of the API under load: 100 requests a second to routes without a model, and 100 idle WebSocket viewers.

Meanwhile a conversation moves a simulated robot; the lateness of its 100 Hz loop is measured too. The clients are a
process of their own (`load_generator`), and the time of a request counts from when it was due. Reference: the same
clients and a bare FastAPI app that answers the same routes with a constant.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from reachy_mind.access.loopback import listen
from reachy_mind.bench import Figures
from reachy_mind.bench.load_generator import ROUTES
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.mind import Mind
from reachy_mind.server.app import Server
from reachy_mind.storage.home import Home

SECONDS = 20.0
VIEWERS = 100
SAID = ("look left", "what time is it?", "nod twice", "look right", "how are you?", "wave", "look up")


async def measure(configuration: Configuration, seconds: float) -> Figures:
    async with _bare() as place:
        reference = await _called(place, seconds, viewers=0)
    with tempfile.TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
        models = configuration.settings.models.model_copy(update={"folder": configuration.models_folder})
        settings = configuration.settings.model_copy(update={"models": models})
        async with (
            Mind(Configuration(settings, Home(Path(folder)), configuration.origins)).session() as mind,
            _serving(Server(mind)) as place,
        ):
            await mind.act("robot.wake")
            talking = asyncio.create_task(_talk(mind), name="talk")
            assert mind.motion is not None
            await mind.motion.lateness(clear=True)
            try:
                ours = await _called(place, seconds, viewers=VIEWERS)
                late = await mind.motion.lateness()
            finally:
                await cancel_and_wait(talking)
    moved = {f"motion_{name}": late[name] for name in ("p50_ms", "p99_ms", "max_ms", "ticks", "skipped")}
    told = {name: reference[name] for name in ("p50_ms", "p95_ms", "p99_ms")}
    ratio = {name: round(ours[name] / told[name], 2) for name in told}
    return Figures(ours | moved, told, ratio)


async def _talk(mind: Mind) -> None:
    while True:
        for said in SAID:
            with contextlib.suppress(MindError):
                await mind.ask(said, conversation="bench")
            await asyncio.sleep(0.5)


async def _called(place: str, seconds: float, *, viewers: int) -> dict[str, float]:
    argv = [sys.executable, "-m", "reachy_mind.bench.load_generator", place, str(seconds), str(viewers)]
    process = await asyncio.create_subprocess_exec(*argv, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    if process.returncode:
        raise NotReady(f"the load generator ended with {process.returncode}", hint="see above")
    figures: dict[str, float] = json.loads(out)
    return figures


@contextlib.asynccontextmanager
async def _serving(server: uvicorn.Server) -> AsyncIterator[str]:
    listener = listen(0)
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="server")
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving


@contextlib.asynccontextmanager
async def _bare() -> AsyncIterator[str]:
    app = FastAPI()

    async def constant() -> dict[str, Any]:
        return {"status": "ok", "some": list(range(100))}

    for method, path in ROUTES:
        app.add_api_route(path.partition("?")[0], constant, methods=[method])

    class Bare(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Any:
            yield

    async with _serving(Bare(uvicorn.Config(app, log_config=None))) as place:
        yield place
