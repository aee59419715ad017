"""The path: its steps in order, each timed, with a picture of the page where there is one to see."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Error as BrowserError

from reachy_mind import __version__
from tests.browser.browsing import Visit, launched
from tests.stranger import page_steps, terminal_steps
from tests.stranger.machine import Machine, StepFailed
from tests.stranger.report import Walked, keep, write

ROOT = Path(__file__).resolve().parents[2]
DESKTOP = {"width": 1280, "height": 780}
SLOW_SCREEN = (
    "const next = requestAnimationFrame; window.requestAnimationFrame = (draw) => setTimeout(() => next(draw), 500);"
)
"""Without a graphics card each picture of the figure takes a fifth of a second of a core."""


@dataclass(frozen=True)
class Step:
    """`key` names it on the command line, and its picture."""

    key: str
    name: str
    done: str
    take: Callable[[], Awaitable[str]]
    pictured: bool = True


class Walk:
    def __init__(self, here: Machine, wheel: Path, stack: AsyncExitStack, images: Path) -> None:
        self.here, self.wheel, self.stack, self.images = here, wheel, stack, images
        self._visit: Visit | None = None

    async def visit(self) -> Visit:
        if self._visit is None:
            browser = await self.stack.enter_async_context(launched())
            context = await browser.new_context(viewport=DESKTOP, reduced_motion="reduce")  # type: ignore[arg-type]
            await context.add_init_script(SLOW_SCREEN)
            context.set_default_timeout(page_steps.PATIENCE_MS)
            self._visit = Visit(context, await context.new_page(), self.here.page)
            await page_steps.open_page(self._visit)
        return self._visit

    def steps(self) -> list[Step]:
        here, at, page = self.here, terminal_steps, page_steps
        return [
            Step("install", "Install", f"`pip install 'reachy_mind-….whl[{at.EXTRAS}]'` in a new environment",
                 lambda: at.install(here, self.wheel), pictured=False),
            Step("run", "Run", "`reachy-mind run`, and open its page", self.run),
            Step("type", "Talk, typed", "on the page: \"hello, look left and nod\"",
                 lambda: self.on_page(lambda visit: page.talk(visit, "hello, look left and nod"))),
            Step("speak", "Talk, spoken", "`reachy-mind talk --input question.wav --output answer.wav`",
                 lambda: at.speak(here)),
            Step("model", "Get a model", "`reachy-mind models pull chat`, then a question",
                 lambda: at.get_model(here)),
            Step("personality", "Switch personality", "on the page: \"be a poet\", \"hello\", \"be yourself again\"",
                 lambda: self.on_page(page.switch)),
            Step("profile", "Write a profile with a tool",
                 "`profile new sea_captain`, a Python file with `@tool`, `profile trust`, `profile use`",
                 lambda: at.write_profile(here)),
            Step("mcp", "Connect an MCP client", "the MCP library's client on `reachy-mind mcp`: list, call",
                 lambda: at.connect_mcp(here), pictured=False),
            Step("tool", "Have a tool made", f"on the page: \"{page.REQUEST}\"",
                 lambda: self.on_page(lambda visit: page.make_tool(visit, here))),
            Step("correct", "Correct it by voice", "spoken: \"look to the left\" ... \"a bit further\"",
                 lambda: at.correct(here)),
            Step("drag", "Teach it by dragging", "on the page, Training: drag the head to the apple, twice",
                 lambda: self.on_page(lambda visit: page.teach(visit, here))),
            Step("learn", "Use what it learned", "`learn train`, `learn publish`, then ask for it",
                 lambda: self.on_page(lambda visit: page.learn(visit, here))),
            Step("fleet", "Join a device", "`fleet serve`, `fleet enroll`, `device enroll`, `device run`",
                 self.fleet),
        ]  # fmt: skip

    async def on_page(self, take: Callable[[Visit], Awaitable[str]]) -> str:
        visit = await self.visit()
        await visit.page.evaluate("location.hash = ''")
        return await take(visit)

    async def run(self) -> str:
        ready = await terminal_steps.start(self.here)
        await self.visit()
        return ready

    async def fleet(self) -> str:
        told, address = await terminal_steps.join_fleet(self.here)
        visit = await self.visit()
        await page_steps.see_fleet(visit.page, address)
        return told

    async def picture(self, step: Step) -> str:
        if not step.pictured or self._visit is None:
            return ""
        name = f"stranger-{step.key}.jpg"
        keep(await self._visit.page.screenshot(), self.images / name)
        return name


async def walk(arguments: argparse.Namespace) -> int:
    (wheel,) = [arguments.wheel.resolve()] if arguments.wheel else sorted((ROOT / "dist").glob("reachy_mind-*.whl"))
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="reachy-mind-stranger-"))
    here = Machine(folder.resolve())
    walked: list[Walked] = []
    images = arguments.report.parent / "images"
    try:
        async with AsyncExitStack() as stack:
            path = Walk(here, wheel, stack, images)
            for step in path.steps():
                walked.append(await taken(path, step, left_out=step.key in arguments.without))
                print(f"{step.key:12} {walked[-1].seconds or 0:6.0f} s  {walked[-1].result}", flush=True)
    finally:
        codes = here.end()
        if arguments.folder is None:
            shutil.rmtree(folder)
    notes = "" if not any(codes) else f"How the programs ended, at Ctrl-C: {codes}."
    write(arguments.report, walked, __version__, notes)
    return int(any(step.failed for step in walked))


async def taken(path: Walk, step: Step, *, left_out: bool) -> Walked:
    if left_out or (step.key == "install" and path.here.program.exists()):
        return Walked(step.name, step.done, None, "")
    began = time.monotonic()
    try:
        result, failed = await step.take(), False
    except (StepFailed, BrowserError, AssertionError, TimeoutError, OSError) as error:
        result, failed = str(error).splitlines()[0] if str(error) else repr(error), True
    seconds = time.monotonic() - began
    return Walked(step.name, step.done, seconds, result, await path.picture(step), failed)


def main() -> None:
    parser = argparse.ArgumentParser(prog="script/stranger", description="A newcomer's path, timed, with a report.")
    parser.add_argument("--wheel", type=Path, help="instead of the one in dist (make dist)")
    parser.add_argument("--folder", type=Path, help="a machine to keep; one that has the program installs nothing")
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "strangers-path.md")
    parser.add_argument(
        "--without", nargs="*", default=[], metavar="STEP", help="steps to leave out: model, learn, ..."
    )
    sys.exit(asyncio.run(walk(parser.parse_args())))
