"""`reachy-mind chat`: a typed conversation in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections import deque
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from reachy_mind.brains.stops import is_stop
from reachy_mind.cli.talk import show_question

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from reachy_mind.cli.talk import Talk, Told
    from reachy_mind.config import Configuration

HELP = """\
/help         this
/status       how the mind and the robot are
/tools        what it can do
/permissions  the tier of each tool
/history      what was said in this conversation
/clear        start a new conversation
/profile      the personalities and which one is in use; /profile NAME for another one
/quit         end (Ctrl-D too); Ctrl-C cuts an answer short"""

QUIT = "/quit"


def chat(
    robot: Annotated[
        str | None, typer.Option("--robot", help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")
    ] = None,
    brain: Annotated[str | None, typer.Option("--brain", help="auto, reflex, agents, claude or realtime.")] = None,
) -> None:
    """Talk with the robot. Goes to the mind that is running, else to one of its own; /help tells the commands."""
    from reachy_mind import log
    from reachy_mind.config import load

    configuration = load(flags={"robot.address": robot, "mind.brain": brain})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    asyncio.run(_chat(configuration, robot))


async def _chat(configuration: Configuration, robot: str | None) -> None:
    from reachy_mind.cli.talk import connected

    async with connected(configuration, channel=True, lasting=True, robot=robot) as talk:
        await talk.new_conversation()
        await Terminal(talk, configuration).run()


class Key(Enum):
    """What is no line."""

    END = "/quit, Ctrl-D, or the end of what is piped in"
    CTRL_C = "Ctrl-C"


END, CTRL_C = Key.END, Key.CTRL_C
Line = str | Key


class Terminal:
    """One person at one terminal. Lines that are piped in are taken as if they were typed."""

    def __init__(self, talk: Talk, configuration: Configuration) -> None:
        self._talk, self._configuration = talk, configuration
        self._conversation = ""
        self._idle = asyncio.Event()
        self._idle.set()
        self._questions: asyncio.Queue[Told] = asyncio.Queue()
        """About the answer that is under way: the next line is for them."""
        self._beside: deque[Told] = deque()
        """About something else, such as a call by another program: only a yes or a no is for them."""
        self._settled: dict[str, asyncio.Event] = {}
        """Questions of ours that are open: set when somebody has answered, or nobody in time."""
        self._prompt = _prompt(configuration.home.folder) if sys.stdin.isatty() else None
        self._reading: asyncio.Task[Line] | None = None
        self._ahead: deque[Line] = deque()
        """Lines that were typed during an answer, for when it is over."""

    async def run(self) -> None:
        print("Talk to the robot; /help tells the commands, /quit ends.")
        listener = asyncio.create_task(self._listen(), name="chat listener")
        try:
            while not listener.done():
                line = await self._line("you: ")
                if not isinstance(line, str):
                    return
                await self._take(line.strip())
        finally:
            if self._reading is not None:
                self._reading.cancel()
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener

    async def _line(self, prompt: str) -> Line:
        """What is typed next."""
        if self._ahead:
            return self._ahead.popleft()
        await asyncio.wait([self._read(prompt)])
        return self._taken()

    def _read(self, prompt: str = "") -> asyncio.Task[Line]:
        """The reading of the next line, which goes on whoever waits for it."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._typed(prompt), name="chat line")
        return self._reading

    def _taken(self) -> Line:
        reading, self._reading = self._reading, None
        assert reading is not None
        return reading.result()

    async def _typed(self, prompt: str) -> Line:
        """The next line. /quit is the end even while an answer lasts: a thread that went on reading a pipe after it
        would keep the process from ending."""
        try:
            if self._prompt is not None:
                from prompt_toolkit.patch_stdout import patch_stdout

                with patch_stdout():
                    line = await self._prompt.prompt_async(prompt)
                return END if line.strip() == QUIT else line
            line = await asyncio.to_thread(sys.stdin.readline)
            return END if line.strip() == QUIT or not line else line
        except KeyboardInterrupt:
            return CTRL_C
        except EOFError:
            return END

    async def _take(self, line: str) -> None:
        from reachy_mind.cli.talk import NO, YES

        if not line:
            return
        if line.startswith("/"):
            await self._command(*line.split(maxsplit=1))
            return
        if self._beside and line.casefold() in (*YES, *NO):
            await self._answer(self._beside.popleft(), line)
            return
        self._idle.clear()
        with self._ctrl_c():
            await self._talk.say(line)
            await self._until_answered()

    @contextlib.contextmanager
    def _ctrl_c(self) -> Iterator[None]:
        """For as long as an answer lasts, Ctrl-C ends it and not the chat."""
        interrupting: set[asyncio.Task[None]] = set()
        loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
        loop.add_signal_handler(signal.SIGINT, lambda: interrupting.add(asyncio.create_task(self._talk.interrupt())))
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    async def _until_answered(self) -> None:
        """Wait for the end of the answer. A stop that is typed meanwhile does not wait; questions are put in turn."""
        while not self._idle.is_set():
            idle = asyncio.create_task(self._idle.wait())
            question = asyncio.create_task(self._questions.get())
            more = [] if END in self._ahead else [self._read()]
            try:
                await asyncio.wait([idle, question, *more], return_when=asyncio.FIRST_COMPLETED)
                if question.done():
                    await self._confirm(question.result())
                elif more and more[0].done():
                    await self._meanwhile(self._taken())
            finally:
                for task in (idle, question):
                    task.cancel()

    async def _meanwhile(self, line: Line) -> None:
        """A line that was typed during an answer: a stop is for now, anything else for later."""
        if line is CTRL_C:
            await self._talk.interrupt()
        elif isinstance(line, str) and is_stop(line):
            await self._talk.say(line)
        else:
            self._ahead.append(line)

    async def _confirm(self, question: Told) -> None:
        """Put a question until it is answered: here, elsewhere, or by nobody in time."""
        show_question(question)
        print("yes or no?", flush=True)
        settled = self._settled.setdefault(question["id"], asyncio.Event())
        if not self._ahead:
            over = asyncio.create_task(settled.wait())
            await asyncio.wait([over, self._read()], return_when=asyncio.FIRST_COMPLETED)
            over.cancel()
        if settled.is_set():
            print("  [this question is over]", flush=True)
            return
        line = await self._line("")
        if not isinstance(line, str) or is_stop(line):
            await self._meanwhile(line)
        await self._answer(question, line if isinstance(line, str) else "no")

    async def _answer(self, question: Told, line: str) -> None:
        from reachy_mind.cli.talk import YES
        from reachy_mind.errors import MindError

        try:
            await self._talk.answer(question["id"], approved=line.strip().casefold() in YES)
        except MindError as error:
            print(error.message)

    async def _listen(self) -> None:
        try:
            await self._tell()
            print("the mind has ended")
        finally:
            self._idle.set()  # whatever happened to it, nobody waits for it any more

    async def _tell(self) -> None:
        speaking = False
        async for event in self._talk.events():
            match event["type"]:
                case "started":
                    self._conversation = event["session_id"]
                case "delta":
                    print(event["text"] if speaking else f"robot: {event['text']}", end="", flush=True)
                    speaking = True
                case "tool" if event["status"] not in ("ok", "started"):
                    print(f"{chr(10) if speaking else ''}  [{event['name']}: {event['status']}]", flush=True)
                    speaking = False
                case "error" if "id" in event:
                    print(event["message"])
                case "done" | "error":
                    print() if speaking else None
                    speaking = False
                    problem = event.get("error") if event["type"] == "done" else event
                    if problem:
                        print(f"error: {problem['message']}")
                    self._idle.set()
                case "confirm" if not self._idle.is_set() and event["conversation"] == self._conversation:
                    self._questions.put_nowait(event)
                case "confirm":
                    self._beside.append(event)
                    show_question(event)
                    print("yes or no?", flush=True)
                case "answered":
                    self._over(event)
                case "notice":
                    print(f"  [{event['tool']} {event['arguments']}]")
                case "announced":
                    print(f"robot: {event['text']}")

    def _over(self, event: Told) -> None:
        """A question was answered, here or elsewhere, or not in time."""
        self._settled.setdefault(event["id"], asyncio.Event()).set()
        if any(question["id"] == event["id"] for question in self._beside):
            self._beside = deque(question for question in self._beside if question["id"] != event["id"])
            print(f"  [{'yes' if event['approved'] else 'no'}, {event['by'] or 'nobody'} said]", flush=True)

    async def _command(self, command: str, rest: str = "") -> None:
        from reachy_mind.errors import MindError

        try:
            match command:
                case "/help":
                    print(HELP)
                case "/status":
                    _show(await self._talk.ask("GET", "robot/state"))
                case "/tools":
                    for tool in (await self._talk.ask("GET", "tools?limit=500"))["tools"]:
                        print(f"{tool['name']:20} {tool['tier_name']:11} {tool['description'].splitlines()[0]}")
                case "/permissions":
                    for name, tier in (await self._talk.ask("GET", "permissions"))["tools"].items():
                        print(f"{name:32} {tier}")
                case "/history":
                    await self._history()
                case "/clear":
                    await self._talk.new_conversation()
                    self._conversation = ""
                    print("a new conversation")
                case "/profile":
                    await self._profile(rest.strip())
                case _:
                    print(f"no command {command}; /help tells them")
        except MindError as error:
            print(f"error: {error.message}")

    async def _profile(self, name: str) -> None:
        if name:
            print((await self._talk.ask("POST", f"profiles/{quote(name, safe='')}/activate", {}))["greeting"])
            return
        told = await self._talk.ask("GET", "profiles?limit=500")
        for profile in told["profiles"]:
            mark = "*" if profile["name"] == told["active"] else " "
            print(f"{mark} {profile['name']:16} {profile['broken'] or profile['about']}")

    async def _history(self) -> None:
        if not self._conversation:
            print("nothing was said yet")
            return
        told = await self._talk.ask("GET", f"session/{self._conversation}/history")
        for message in told["messages"]:
            print(f"{'you' if message['role'] == 'user' else 'robot'}: {message['content']}")


def _show(told: dict[str, Any]) -> None:
    pose = told["pose"]
    print(f"mind {told['mind']}, robot {told['robot']} {told['link']}, motors {told['motor_mode']}")
    print(f"head yaw {pose['yaw']:.1f} pitch {pose['pitch']:.1f} roll {pose['roll']:.1f} degrees")


def _prompt(folder: Path) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory

    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "chat-history"
    file.touch(mode=0o600)
    return PromptSession(history=FileHistory(str(file)))
