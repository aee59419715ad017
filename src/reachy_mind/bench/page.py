"""Load time and memory of the web page, in a real Chromium with software rendering.

Ours: from navigation to a rendered robot, five times with an empty cache; then one page left open while the robot
moves, with its draw calls, received states, rendered frames, and the memory growth of page and server. Reference: the
same browser and server with an empty page, and a plain client that reads the same stream.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import connect

from reachy_mind.access.loopback import listen
from reachy_mind.bench import Figures
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.mind import Mind
from reachy_mind.server.app import Server
from reachy_mind.storage.home import Home

SECONDS = 30.0
LOADS = 5
WARM_UP_S = 5.0
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --use-angle=swiftshader --enable-unsafe-swiftshader"
)
WATCH = """
const look = () => { if (document.querySelector("SIGN")) window.seen_ms ??= performance.now(); };
new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
document.addEventListener("DOMContentLoaded", look);
"""


async def measure(configuration: Configuration, seconds: float) -> Figures:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        program = None
    if program is None:
        raise NotReady("this benchmark needs Chromium and playwright", hint="make setup installs both")
    with tempfile.TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
        models = configuration.settings.models.model_copy(update={"folder": configuration.models_folder})
        settings = configuration.settings.model_copy(update={"models": models})
        async with (
            Mind(Configuration(settings, Home(Path(folder)), configuration.origins)).session() as mind,
            async_playwright() as playwright,
        ):
            server, listener = Server(mind), listen(0)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            browser = await playwright.chromium.launch(executable_path=program, args=FLAGS.split())
            try:
                await mind.act("robot.wake")
                return await _figures(mind, browser, f"127.0.0.1:{listener.getsockname()[1]}", seconds)
            finally:
                await browser.close()
                server.should_exit = True
                await serving


async def _figures(mind: Mind, browser: Any, place: str, seconds: float) -> Figures:
    await _opened(browser, f"http://{place}/", "html[data-ready]")  # fill the browser's own caches
    loads = [await _opened(browser, f"http://{place}/", "html[data-ready]") for _ in range(LOADS)]
    bare = [await _opened(browser, f"http://{place}/healthz", "html body") for _ in range(LOADS)]
    lasting = await _left_open(mind, browser, place, seconds)
    plain = await _read_states(place, min(seconds, 10.0))
    ours = {"ready_p50_ms": _p50(loads), "ready_max_ms": round(max(loads) * 1000, 1)} | lasting
    reference = {"ready_p50_ms": _p50(bare), "states_per_s": round(plain, 2)}
    ratio = {name: round(ours[name] / reference[name], 2) for name in reference}
    return Figures(ours, reference, ratio)


def _p50(times: list[float]) -> float:
    return round(statistics.median(times) * 1000, 1)


async def _opened(browser: Any, address: str, sign: str) -> float:
    """Seconds until the selector `sign` matches, with an empty cache, by the page's own clock."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(WATCH.replace("SIGN", sign))
    await page.goto(address)
    await page.wait_for_selector(sign, state="attached", timeout=60_000)
    took: float = await page.evaluate("window.seen_ms")
    await context.close()
    return took / 1000


async def _left_open(mind: Mind, browser: Any, place: str, seconds: float) -> dict[str, float]:
    page = await (await browser.new_context()).new_page()
    await page.goto(f"http://{place}/")
    await page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
    moving = asyncio.create_task(_keep_moving(mind))
    probe = await page.context.new_cdp_session(page)
    await asyncio.sleep(WARM_UP_S)
    before, began = await _weighed(page, probe), time.monotonic()
    await asyncio.sleep(seconds)
    after, took = await _weighed(page, probe), time.monotonic() - began
    moving.cancel()
    await asyncio.gather(moving, return_exceptions=True)
    return {
        "draw_calls": after["calls"],
        "triangles": after["triangles"],
        "states_per_s": round((after["states"] - before["states"]) / took, 2),
        "frames_per_s": round((after["frames"] - before["frames"]) / took, 2),
        "page_heap_mb": round(after["heap"] / 1e6, 2),
        "page_heap_growth_mb": round((after["heap"] - before["heap"]) / 1e6, 2),
        "page_nodes_growth": after["nodes"] - before["nodes"],
        "server_growth_mb": round((after["server"] - before["server"]) / 1e6, 2),
        "seconds": round(took, 1),
    }


async def _keep_moving(mind: Mind) -> None:
    while True:
        for yaw in (20, -20):
            try:
                await mind.act("robot.look", {"yaw": yaw, "duration": 1.5})
            except MindError:
                await asyncio.sleep(1.0)


async def _weighed(page: Any, probe: Any) -> dict[str, float]:
    """Counters of the page, and memory of page and server after garbage collection."""
    await probe.send("HeapProfiler.enable")
    await probe.send("HeapProfiler.collectGarbage")
    await probe.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in (await probe.send("Performance.getMetrics"))["metrics"]}
    cost: dict[str, float] = await page.evaluate("import('/web/app.js').then((page) => page.cost())")
    memory = {
        "heap": metrics["JSHeapUsedSize"],
        "nodes": metrics["Nodes"],
        "server": psutil.Process().memory_info().rss,
    }
    return cost | memory


async def _read_states(place: str, seconds: float) -> float:
    async with connect(f"ws://{place}/api/v1/ws/robot?hz=30", proxy=None) as live:
        count, began = 0, time.monotonic()
        while time.monotonic() - began < seconds:
            count += json.loads(await live.recv())["type"] == "state"
        return count / (time.monotonic() - began)
