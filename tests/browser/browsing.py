"""A real browser on the page of a real mind: what a person sees, and everything that went wrong while they looked."""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
from axe_playwright_python.async_playwright import Axe
from PIL import Image
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    async_playwright,
    expect,
)

from reachy_mind.access.loopback import listen
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.server.app import Server
from tests.conftest import MODELS
from tests.fakes.minds import Run, running
from tests.server.served import Socket, socket

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
in_chromium = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium: `chromium` or `google-chrome` in the PATH"),
    pytest.mark.asyncio(loop_scope="module"),
]
"""The marks of a module of these tests."""

PATIENCE_MS = 30_000
DESKTOP = {"width": 1024, "height": 640}
PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 640}
LYING_PHONE = {"width": 844, "height": 390}
SERVER_GONE = r"ERR_CONNECTION_|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_SOCKET|WebSocket connection to"
"""What a browser says of a server that has gone."""

TELL_VIOLATIONS = """
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  console.error(`policy: ${violatedDirective} ${blockedURI}`));
"""
SPARING = """
localStorage.getItem("eye") ?? localStorage.setItem("eye", "folded");
const next = requestAnimationFrame;
window.requestAnimationFrame = (draw) => setTimeout(() => next(draw), 700);
"""
"""Without a graphics card each picture of the figure takes a fifth of a second of a core: a slow screen, no camera."""
DISARMED_AT_FIRST = """
window.cards = [];
new MutationObserver((changes) => {
  for (const change of changes)
    for (const node of change.addedNodes)
      if (node.matches?.(".question")) window.cards.push(node.querySelector(".yes").disabled);
}).observe(document, { childList: true, subtree: true });
"""
"""Notes of every card, the moment it appears, whether its yes could not be pressed."""


def watched(
    home: Path, *arguments: str, voice: bool = False, **settings: str
) -> contextlib.AbstractContextManager[Run]:
    """A mind for a page: it opens none itself, and its robot holds still unless something is asked of it."""
    return running(home, "--no-browser", "--no-idle", *arguments, voice=voice, **settings)


class Served:
    """A mind in this process, whose server can be ended."""

    def __init__(self, mind: Mind) -> None:
        listener = listen(0)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._server = Server(mind)
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))

    async def end(self) -> None:
        self._server.should_exit = True
        await self._task


@contextlib.asynccontextmanager
async def served(home: Path) -> AsyncIterator[Served]:
    """Without a robot, for pages that need none."""
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags = {"mind.brain": "reflex", "robot.address": "none", "speech.voice": "flite"}
    async with Mind(load(flags=flags, environ=environ, folder=home)).session() as mind:
        one = Served(mind)
        try:
            yield one
        finally:
            await one.end()


@contextlib.asynccontextmanager
async def launched(*flags: str) -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *flags])
        yield browser
        await browser.close()


class Visit:
    """The page as one person has it open. `wrong` is what a developer would find in the console, and worse."""

    def __init__(self, context: BrowserContext, page: Page, url: str) -> None:
        self.context, self.page, self.url = context, page, url
        self.wrong: list[str] = []
        self._forgiven: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.wrong.append(f"uncaught: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._reach(request.url))
        page.on("websocket", lambda line: self._reach(line.url))
        page.on("requestfailed", lambda request: self._fail(request.url, request.failure or ""))

    def forgive(self, *patterns: str) -> None:
        """What a test provokes on purpose is no fault of the page."""
        self._forgiven += patterns

    @property
    def faults(self) -> list[str]:
        return [told for told in self.wrong if not any(re.search(pattern, told) for pattern in self._forgiven)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(f"console: {message.text} ({message.location.get('url', '')})")

    async def _dialog(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    def _reach(self, url: str) -> None:
        there = urlsplit(url)
        if there.scheme not in ("blob", "data") and there.netloc != urlsplit(self.url).netloc:
            self.wrong.append(f"another host: {url}")

    def _fail(self, url: str, why: str) -> None:
        if "ERR_ABORTED" not in why:  # what the page itself did not wait for any more
            self.wrong.append(f"failed: {url} {why}")

    # What a person does

    async def open(self, path: str = "") -> None:
        await self.page.goto(self.url + path)

    async def arrive(self) -> None:
        """Opens the page and waits until the robot is there."""
        await self.open()
        await expect(self.page.locator("html")).to_have_attribute("data-ready", "ready")
        await expect(self.chip).to_have_text("Simulated robot")

    async def say(self, text: str) -> Locator:
        """Types and sends; the turn that begins."""
        before = await self.turns.count()
        await self.box.fill(text)
        await self.box.press("Enter")
        await expect(self.turns).to_have_count(before + 1)
        return self.turns.nth(before)

    async def hear(self, text: str) -> Locator:
        """Says it and waits for the end of the answer."""
        turn = await self.say(text)
        await self.answered(turn)
        return turn

    async def answered(self, turn: Locator) -> None:
        await expect(turn.locator(".reply:not(.waiting)")).to_be_visible()

    # What a person sees

    @property
    def box(self) -> Locator:
        return self.page.locator("#say")

    @property
    def chip(self) -> Locator:
        return self.page.locator("#connection .words")

    @property
    def banner(self) -> Locator:
        return self.page.locator("#banner")

    @property
    def stop(self) -> Locator:
        return self.page.locator("#stop")

    @property
    def turns(self) -> Locator:
        return self.page.locator(".turn")

    @property
    def cards(self) -> Locator:
        return self.page.locator(".question")

    @property
    def toasts(self) -> Locator:
        return self.page.locator(".toast")

    async def hits(self, selector: str) -> bool:
        """Whether a click at its centre would reach it: it is in the window, and nothing lies over it."""
        return bool(
            await self.page.locator(selector).evaluate(
                """(element) => {
                  const { left, top, width, height } = element.getBoundingClientRect();
                  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
                }"""
            )
        )

    async def figure(self) -> np.ndarray:
        """Pixels of the middle of the stage, where the robot is and nothing else."""
        box = await self.page.locator("#canvas").bounding_box()
        assert box is not None
        middle = {
            "x": box["x"] + 0.3 * box["width"],
            "y": box["y"] + 0.2 * box["height"],
            "width": 0.4 * box["width"],
            "height": 0.6 * box["height"],
        }
        shot = await self.page.screenshot(clip=middle)  # type: ignore[arg-type]
        return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=float)

    async def axe(self, within: str | None = None, only: str = "") -> list[str]:
        """What keeps people out, by axe-core: violations that are serious or critical. `only` one of its rules."""
        how = {"resultTypes": ["violations"]} | ({"runOnly": [only]} if only else {})
        found = (await Axe().run(self.page, within, how)).response["violations"]
        return [
            f"{each['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]


class Robot:
    """What the robot really does, past the page."""

    def __init__(self, url: str) -> None:
        self._place = urlsplit(url).netloc
        # The server closes idle connections after some seconds: one kept for the next request may close under it.
        limits = httpx.Limits(max_keepalive_connections=0)
        self.http = httpx.AsyncClient(base_url=f"{url}/api/v1", trust_env=False, timeout=60, limits=limits)

    async def post(self, route: str, **content: object) -> dict[str, object]:
        answer = await self.http.post(f"/{route}", json=content)
        answer.raise_for_status()
        told: dict[str, object] = answer.json()
        return told

    async def yaw(self) -> float:
        return float((await self.http.get("/robot/state")).json()["pose"]["yaw"])

    async def look_ahead(self) -> None:
        await self.post("robot/look", yaw=0, duration=0.5)

    async def done(self, tool: str) -> int:
        """How often a tool was called and did what it should."""
        answer = await self.http.get("/audit", params={"tool": tool, "status": "ok"})
        return int(answer.json()["total"])

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[list[list[float]]]:
        """Every pose it reports meanwhile: x y z roll pitch yaw body_yaw and the antennas, in metres and degrees."""
        seen: list[list[float]] = []

        async def watch(live: Socket) -> None:
            while True:
                pose = (await live.until("state"))["pose"]
                seen.append([*pose[:3], *np.degrees(pose[3:])])

        async with socket(self._place, "robot", "?hz=30") as live:
            watching = asyncio.create_task(watch(live))
            try:
                yield seen
            finally:
                watching.cancel()
                await asyncio.wait([watching])

    async def moves(self) -> None:
        """Waits until it is under way."""
        async with socket(self._place, "robot", "?hz=30") as live:
            await live.until("state", busy=True)

    async def stands_still(self) -> bool:
        """Whether nothing moves it, now and later, and it comes to rest."""
        async with socket(self._place, "robot", "?hz=30") as live:
            seen = [await live.until("state") for _ in range(45)]
        spread = np.ptp([report["pose"] for report in seen[-15:]], axis=0)
        return not any(report["busy"] for report in seen) and bool(spread.max() < 0.02)
