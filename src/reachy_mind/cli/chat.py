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

from reachy_mind.brains.stop_words import is_stop
from reachy_mind.cli.confirmation_prompt import NO, YES, show_question
from reachy_mind.system.stop_signals import handled

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

    from reachy_mind.cli.chat_connection import ChatConnection
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.wire import AnsweredFrame, ConfirmFrame

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
    from reachy_mind.config.configuration import load

    configuration = load(flags={"robot.address": robot, "mind.brain": brain})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    asyncio.run(_chat(configuration, robot))


async def _chat(configuration: Configuration, robot: str | None) -> None:
    from reachy_mind.cli.chat_connection import connect_chat

    async with connect_chat(configuration, channel=True, lasting=True, robot=robot) as connection:
        await connection.new_conversation()
        await ChatTerminal(connection, configuration).run()


class KeyPress(Enum):
    """What a person at the terminal does other than type a line."""

    END = "/quit, Ctrl-D, or the end of what is piped in"
    CTRL_C = "Ctrl-C"


END, CTRL_C = KeyPress.END, KeyPress.CTRL_C
TypedLine = str | KeyPress


class ChatTerminal:
    """One person at one terminal. Piped lines count as typed."""

    def __init__(self, connection: ChatConnection, configuration: Configuration) -> None:
        self._connection, self._configuration = connection, configuration
        self._conversation = ""
        self._idle = asyncio.Event()
        self._idle.set()
        self._questions: asyncio.Queue[ConfirmFrame] = asyncio.Queue()
        """About the answer that is under way: the next line answers them."""
        self._other_questions: deque[ConfirmFrame] = deque()
        """About something else, such as a call by another program: only a yes or a no answers them."""
        self._settled: dict[str, asyncio.Event] = {}
        """Open questions by id: set when somebody has answered, or nobody in time."""
        self._prompt: PromptSession[str] | None = None
        self._reading: asyncio.Task[TypedLine] | None = None
        self._typed_ahead: deque[TypedLine] = deque()
        """Lines that were typed during an answer, for when it has ended."""

    async def run(self) -> None:
        if sys.stdin.isatty():
            self._prompt = _prompt(self._configuration.home.folder, keep=await self._remembers())
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

    async def _remembers(self) -> bool:
        """Whether what is said may be written to disk."""
        from reachy_mind.errors import MindError

        try:
            await self._connection.request("GET", "memory/status")
        except MindError:
            return False
        return True

    async def _line(self, prompt: str) -> TypedLine:
        """What is typed next."""
        if self._typed_ahead:
            return self._typed_ahead.popleft()
        await asyncio.wait([self._read(prompt)])
        return self._taken()

    def _read(self, prompt: str = "") -> asyncio.Task[TypedLine]:
        """The task that reads the next line; it goes on when a caller stops waiting."""
        if self._reading is None:
            self._reading = asyncio.create_task(self._typed(prompt), name="chat line")
        return self._reading

    def _taken(self) -> TypedLine:
        reading, self._reading = self._reading, None
        assert reading is not None
        return reading.result()

    async def _typed(self, prompt: str) -> TypedLine:
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
        if not line:
            return
        if line.startswith("/"):
            await self._command(*line.split(maxsplit=1))
            return
        if self._other_questions and line.casefold() in (*YES, *NO):
            await self._answer(self._other_questions.popleft(), line)
            return
        self._idle.clear()
        with self._ctrl_c():
            await self._connection.say(line)
            await self._until_answered()

    @contextlib.contextmanager
    def _ctrl_c(self) -> Iterator[None]:
        """While an answer lasts, Ctrl-C interrupts it and does not end the chat."""
        interrupting: set[asyncio.Task[None]] = set()

        def interrupt() -> None:
            interrupting.add(asyncio.create_task(self._connection.interrupt()))

        with handled(interrupt, signal.SIGINT):
            yield

    async def _until_answered(self) -> None:
        """Wait for the end of the answer. A stop typed meanwhile is sent at once; questions follow each other."""
        while not self._idle.is_set():
            idle = asyncio.create_task(self._idle.wait())
            question = asyncio.create_task(self._questions.get())
            more = [] if END in self._typed_ahead else [self._read()]
            try:
                await asyncio.wait([idle, question, *more], return_when=asyncio.FIRST_COMPLETED)
                if question.done():
                    await self._confirm(question.result())
                elif more and more[0].done():
                    await self._meanwhile(self._taken())
            finally:
                for task in (idle, question):
                    task.cancel()

    async def _meanwhile(self, line: TypedLine) -> None:
        """A line that was typed during an answer: a stop is sent now, anything else later."""
        if line is CTRL_C:
            await self._connection.interrupt()
        elif isinstance(line, str) and is_stop(line):
            await self._connection.say(line)
        else:
            self._typed_ahead.append(line)

    async def _confirm(self, question: ConfirmFrame) -> None:
        """Ask a question until it is answered: here, elsewhere, or by nobody in time."""
        show_question(question)
        print("yes or no?", flush=True)
        settled = self._settled.setdefault(question["id"], asyncio.Event())
        if not self._typed_ahead:
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

    async def _answer(self, question: ConfirmFrame, line: str) -> None:
        from reachy_mind.errors import MindError

        try:
            await self._connection.answer(question["id"], approved=line.strip().casefold() in YES)
        except MindError as error:
            print(error.message)

    async def _listen(self) -> None:
        try:
            await self._print_events()
            print("the mind has ended")
        finally:
            self._idle.set()  # nothing waits for an answer any more

    async def _print_events(self) -> None:
        speaking = False
        async for frame in self._connection.frames():
            match frame["type"]:
                case "started":
                    self._conversation = frame["session_id"]
                case "delta":
                    print(frame["text"] if speaking else f"robot: {frame['text']}", end="", flush=True)
                    speaking = True
                case "tool" if frame["status"] not in ("ok", "started"):
                    print(f"{chr(10) if speaking else ''}  [{frame['name']}: {frame['status']}]", flush=True)
                    speaking = False
                case "error" if "id" in frame:
                    print(frame["message"])
                case "done" | "error":
                    print() if speaking else None
                    speaking = False
                    problem = frame.get("error") if frame["type"] == "done" else frame
                    if problem:
                        print(f"error: {problem['message']}")
                    self._idle.set()
                case "confirm" if not self._idle.is_set() and frame["conversation"] == self._conversation:
                    self._questions.put_nowait(frame)
                case "confirm":
                    self._other_questions.append(frame)
                    show_question(frame)
                    print("yes or no?", flush=True)
                case "answered":
                    self._settle(frame)
                case "notice":
                    print(f"  [{frame['tool']} {frame['arguments']}]")
                case "announced":
                    print(f"robot: {frame['text']}")

    def _settle(self, frame: AnsweredFrame) -> None:
        """A question was answered, here or elsewhere, or not in time."""
        self._settled.setdefault(frame["id"], asyncio.Event()).set()
        if any(question["id"] == frame["id"] for question in self._other_questions):
            self._other_questions = deque(q for q in self._other_questions if q["id"] != frame["id"])
            print(f"  [{'yes' if frame['approved'] else 'no'}, {frame['by'] or 'nobody'} said]", flush=True)

    async def _command(self, command: str, rest: str = "") -> None:
        from reachy_mind.errors import MindError

        try:
            match command:
                case "/help":
                    print(HELP)
                case "/status":
                    _show_state(await self._connection.request("GET", "robot/state"))
                case "/tools":
                    for tool in (await self._connection.request("GET", "tools?limit=500"))["tools"]:
                        print(f"{tool['name']:20} {tool['tier_name']:11} {tool['description'].splitlines()[0]}")
                case "/permissions":
                    for name, tier in (await self._connection.request("GET", "permissions"))["tools"].items():
                        print(f"{name:32} {tier}")
                case "/history":
                    await self._history()
                case "/clear":
                    await self._connection.new_conversation()
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
            print((await self._connection.request("POST", f"profiles/{quote(name, safe='')}/activate", {}))["greeting"])
            return
        listed = await self._connection.request("GET", "profiles?limit=500")
        for profile in listed["profiles"]:
            mark = "*" if profile["name"] == listed["active"] else " "
            print(f"{mark} {profile['name']:16} {profile['broken'] or profile['about']}")

    async def _history(self) -> None:
        if not self._conversation:
            print("nothing was said yet")
            return
        history = await self._connection.request("GET", f"session/{self._conversation}/history")
        for message in history["messages"]:
            print(f"{'you' if message['role'] == 'user' else 'robot'}: {message['content']}")


def _show_state(state: dict[str, Any]) -> None:
    pose = state["pose"]
    print(f"mind {state['mind']}, robot {state['robot']} {state['link']}, motors {state['motor_mode']}")
    print(f"head yaw {pose['yaw']:.1f} pitch {pose['pitch']:.1f} roll {pose['roll']:.1f} degrees")


def _prompt(folder: Path, *, keep: bool) -> PromptSession[str]:
    """A line editor. `keep`: what is typed stays in a file, for the next time."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory

    if not keep:
        return PromptSession()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "chat-history"
    file.touch(mode=0o600)
    return PromptSession(history=FileHistory(str(file)))
