"""`reachy-mind demo`: a demonstration that the robot performs and narrates itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.demo.catalogue import Demo
    from reachy_mind.demo.record import DemoLine, DemoRecord
    from reachy_mind.demo.stage import Approve, Stage
    from reachy_mind.events import ConfirmationAsked
    from reachy_mind.mind import Mind
    from reachy_mind.storage.home import Home
    from reachy_mind.storage.owner import Ownership

PREFIXES = {"person": "you:    ", "robot": "robot:  ", "tool": "        > ", "note": "        ", "figure": "        = "}


def demo(
    number: Annotated[int | None, typer.Argument(help="Which one: see --list.", metavar="[1|2|3]")] = None,
    listed: Annotated[bool, typer.Option("--list", help="The demonstrations, and what each shows.")] = False,
    robot: Annotated[str, typer.Option(help="sim or HOST[:PORT] of a robot.", metavar="WHERE")] = "sim",
    no_voice: Annotated[bool, typer.Option("--no-voice", help="Explain in text only.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Don't wait until the explanations were heard or read.")] = False,
    record: Annotated[
        Path | None, typer.Option(help="Film it: a name with .avi (with sound), .webp or .gif.", metavar="FILE")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep what it makes and learns in your data folder; else it is gone after.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="You say yes now to what it will ask you.")] = False,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Don't open the page.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show debug logs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
) -> None:
    """Watch the robot show what it can do, in a few minutes. Ctrl-C ends it."""
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.demo.catalogue import DEMOS
    from reachy_mind.demo.catalogue import demo as find
    from reachy_mind.errors import InvalidParameter

    if listed:
        _print_list(as_json=as_json)
        return
    if number is None:
        raise InvalidParameter("which demonstration?", hint=f"reachy-mind demo 1 to {len(DEMOS)}; --list tells them")
    chosen = find(number)
    configuration = load(flags={"robot.address": robot})
    log.configure("debug" if debug else "error", configuration.settings.log.format, configuration.secrets())
    _require_free_robot(configuration, robot)
    runner = _Runner(
        chosen, voice=not no_voice, fast=fast, record=record, browser=not no_browser, tell=_printer(as_json)
    )
    began = time.monotonic()
    try:
        with _home(configuration, keep=keep) as (used, ownership):
            shown = asyncio.run(runner.run(used, ownership, _approval(yes=yes)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("\nended early; your data is as it was" if not keep else "\nended early", file=sys.stderr)
        raise typer.Exit(130) from None
    took = time.monotonic() - began
    if as_json:
        film = {"film": str(record)} if record else {}
        print(
            json.dumps(
                {"demo": chosen.number, "title": chosen.title, "seconds": round(took, 1), **film} | shown.as_dict()
            )
        )
        return
    _print_end(chosen, shown, took, record)


class _Runner:
    """One performance of a demonstration."""

    def __init__(
        self,
        chosen: Demo,
        *,
        voice: bool,
        fast: bool,
        record: Path | None,
        browser: bool,
        tell: Callable[[DemoLine], None],
    ) -> None:
        self._demo, self._voice, self._fast, self._file, self._browser = chosen, voice, fast, record, browser
        self._tell = tell

    async def run(self, configuration: Configuration, ownership: Ownership, approve: Approve) -> DemoRecord:
        """Perform it with a mind of its own. Raises DemoFailed with the step that failed, and another MindError."""
        from reachy_mind.demo.film import filmed
        from reachy_mind.system.stop_signals import handled

        task = asyncio.current_task()
        assert task is not None
        async with contextlib.AsyncExitStack() as stack:
            stack.enter_context(handled(task.cancel, signal.SIGTERM))
            stage = await stack.enter_async_context(self._stage(configuration, ownership, approve))
            if self._file is not None:
                await stack.enter_async_context(filmed(stage, f"Demo {self._demo.number}", self._file))
            await self._demo.show(stage)
            return stage.record

    @contextlib.asynccontextmanager
    async def _stage(
        self, configuration: Configuration, ownership: Ownership, approve: Approve
    ) -> AsyncIterator[Stage]:
        from reachy_mind.cli.assets import ensure_description, ensure_face_detector
        from reachy_mind.cli.run import put_to_sleep, wake
        from reachy_mind.conversation.chat_session import ChatSession
        from reachy_mind.demo.narrator import Narrator
        from reachy_mind.demo.record import DemoRecord
        from reachy_mind.demo.simulated_scene import simulated_scene
        from reachy_mind.demo.stage import Stage
        from reachy_mind.mind import Mind

        await ensure_description(configuration)
        await ensure_face_detector(configuration)
        record = DemoRecord()
        record.listeners.append(self._tell)
        async with contextlib.AsyncExitStack() as stack:
            mind = await stack.enter_async_context(Mind(configuration).session())
            page = await stack.enter_async_context(_page(mind, ownership, record, open_it=self._browser))
            await wake(mind)
            stack.push_async_callback(put_to_sleep, mind)
            scene = None
            if mind.simulator is not None:
                scene = await stack.enter_async_context(simulated_scene(mind.body()))
                await self._let_viewer_hear(scene.url, record, stack)
            narrator = Narrator(mind, record, aloud=self._voice, fast=self._fast)
            session = await stack.enter_async_context(ChatSession(mind, "terminal"))
            stage = Stage(mind, record, narrator, session, approve, scene, page)
            yield await stack.enter_async_context(stage.opened())

    async def _let_viewer_hear(self, simulator: str, record: DemoRecord, stack: contextlib.AsyncExitStack) -> None:
        from reachy_mind.demo.loudspeaker import heard_here

        if not self._voice or self._fast:
            return
        trouble = await stack.enter_async_context(heard_here(simulator))
        if trouble:
            record.add("note", f"You read what the robot says, as it is not heard on this computer: {trouble}.")


@contextlib.asynccontextmanager
async def _page(mind: Mind, ownership: Ownership, record: DemoRecord, *, open_it: bool) -> AsyncIterator[str]:
    """The page of this mind, for as long as the demonstration lasts; its address."""
    import webbrowser

    from reachy_mind.access.loopback import listen
    from reachy_mind.server.app import Server
    from reachy_mind.system.desktop import has_screen

    server, listener = Server(mind), listen(0)
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="demo server")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        ownership.announce(listener.getsockname()[1])
        record.add("note", f"The robot in 3D: {url}")
        if open_it and has_screen() and mind.configuration.settings.server.browser:
            await asyncio.to_thread(webbrowser.open, url)
        yield url
    finally:
        await server.drain()
        server.should_exit = True
        await serving


@contextlib.contextmanager
def _home(configuration: Configuration, *, keep: bool) -> Iterator[tuple[Configuration, Ownership]]:
    """The configuration to use: with the user's data folder, or with one that is removed afterwards."""
    from dataclasses import replace
    from tempfile import TemporaryDirectory

    from reachy_mind.storage.home import Home
    from reachy_mind.storage.owner import Ownership

    if keep:
        with Ownership(configuration.home) as ownership:
            yield configuration, ownership
        return
    with TemporaryDirectory(prefix="reachy-mind-demo-") as folder:
        home = Home(Path(folder))
        _take_permissions(configuration.home, home)
        settings = configuration.settings
        models = settings.models.model_copy(update={"folder": configuration.models_folder})
        changed = settings.model_copy(update={"models": models})
        with Ownership(home) as ownership:
            yield replace(configuration, settings=changed, home=home), ownership


def _take_permissions(own: Home, temporary: Home) -> None:
    """The owner's rules hold here too."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(own.permissions_file, temporary.permissions_file)


def _require_free_robot(configuration: Configuration, robot: str) -> None:
    """One robot has one mind. Raises AlreadyRunning."""
    from reachy_mind.errors import AlreadyRunning
    from reachy_mind.storage.owner import find

    if robot != "sim" and find(configuration.home) is not None:
        raise AlreadyRunning("a mind is running", hint="stop it first: the robot can have one only")


def _approval(*, yes: bool) -> Approve:
    """Asks at the terminal; `--yes` has answered already, and where nobody can be asked it is a no."""

    async def ask(question: ConfirmationAsked) -> bool:
        from reachy_mind.cli.confirmation_prompt import YES

        if yes:
            return True
        if not sys.stdin.isatty():
            print("nobody can be asked here: start it in a terminal, or with --yes", file=sys.stderr)
            return False
        print(f"\n{question.consequence}\n  yes or no: ", end="", file=sys.stderr, flush=True)
        return (await _typed_line()).strip().casefold() in YES

    return ask


async def _typed_line() -> str:
    """The next line of the terminal. Ctrl-C need not wait for it, as it would for a thread of asyncio's own."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def settle(line: str) -> None:
        if not typed.done():
            typed.set_result(line)

    def read() -> None:
        line = os.read(sys.stdin.fileno(), 4096).decode(errors="replace")
        with contextlib.suppress(RuntimeError):  # the demonstration has ended meanwhile
            loop.call_soon_threadsafe(settle, line)

    threading.Thread(target=read, name="demo terminal", daemon=True).start()
    return await typed


def _printer(as_json: bool) -> Callable[[DemoLine], None]:
    """Prints each line as it is shown; with `--json` to standard error."""
    stream = sys.stderr if as_json else sys.stdout

    def tell(line: DemoLine) -> None:
        if line.kind == "step":
            text = f"\n{line.text}\n{'-' * len(line.text)}"
        elif line.kind == "code":
            text = "\n".join(f"        | {row}" for row in line.text.splitlines())
        elif line.kind == "narration":
            text = f"robot:  {line.text}"
        else:
            text = PREFIXES[line.kind] + line.text
        print(text, file=stream, flush=True)

    return tell


def _print_list(*, as_json: bool) -> None:
    from reachy_mind.demo.catalogue import DEMOS

    if as_json:
        fields = ("number", "title", "about", "minutes")
        print(json.dumps({"demos": [{name: getattr(each, name) for name in fields} for each in DEMOS]}))
        return
    for each in DEMOS:
        print(f"{each.number}  {each.title} (about {each.minutes} minutes)\n   {each.about}")


def _print_end(chosen: Demo, shown: DemoRecord, took: float, film: Path | None) -> None:
    print(f"\nShown in {took / 60:.1f} minutes, with what was measured:")
    for text in shown.texts("figure"):
        print(f"  {text}")
    if film is not None:
        print(f"The film is {film} ({film.stat().st_size / 1e6:.1f} MB).")
    print("Try next:")
    for command in chosen.further:
        print(f"  {command}")
