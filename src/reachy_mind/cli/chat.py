"""`reachy-mind chat`: a typed conversation in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
/profile      the personality in use
/quit         end (Ctrl-D too); Ctrl-C cuts an answer short"""


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
    asyncio.run(_chat(configuration))


async def _chat(configuration: Configuration) -> None:
    from reachy_mind.cli.talk import connected

    async with connected(configuration, channel=True, lasting=True) as talk:
        await talk.new_conversation()
        await Terminal(talk, configuration).run()


class Terminal:
    """One person at one terminal. Lines that are piped in are taken as if they were typed."""

    def __init__(self, talk: Talk, configuration: Configuration) -> None:
        self._talk, self._configuration = talk, configuration
        self._conversation = ""
        self._idle = asyncio.Event()
        self._idle.set()
        self._questions: asyncio.Queue[Told] = asyncio.Queue()
        self._prompt = _prompt(configuration.home.folder) if sys.stdin.isatty() else None

    async def run(self) -> None:
        print("Talk to the robot; /help tells the commands, /quit ends.")
        listener = asyncio.create_task(self._listen(), name="chat listener")
        try:
            while not listener.done():
                line = await self._line("you: ")
                if line is None or line.strip() == "/quit":
                    return
                await self._take(line.strip())
        finally:
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener

    async def _line(self, prompt: str) -> str | None:
        """What is typed next; None at the end."""
        try:
            if self._prompt is not None:
                from prompt_toolkit.patch_stdout import patch_stdout

                with patch_stdout():
                    return await self._prompt.prompt_async(prompt)
            line = await asyncio.to_thread(sys.stdin.readline)
            return line or None
        except (EOFError, KeyboardInterrupt):
            return None

    async def _take(self, line: str) -> None:
        if not line:
            return
        if line.startswith("/"):
            await self._command(line.split(maxsplit=1)[0])
            return
        self._idle.clear()
        await self._talk.say(line)
        await self._until_answered()

    async def _until_answered(self) -> None:
        """Wait for the end of the answer, and ask the person whatever there is to confirm meanwhile."""
        while not self._idle.is_set():
            idle = asyncio.create_task(self._idle.wait())
            question = asyncio.create_task(self._questions.get())
            try:
                await asyncio.wait([idle, question], return_when=asyncio.FIRST_COMPLETED)
                if question.done():
                    await self._confirm(question.result())
            except (KeyboardInterrupt, asyncio.CancelledError):
                await self._talk.interrupt()
                raise
            finally:
                for task in (idle, question):
                    task.cancel()

    async def _confirm(self, question: Told) -> None:
        from reachy_mind.errors import MindError

        arguments = ", ".join(f"{key}={value!r}" for key, value in question["arguments"].items())
        print(f"\nMay I do this? {question['tool']}({arguments})\n  {question['consequence']}  [{question['reason']}]")
        answer = await self._line("yes or no: ") or "no"
        try:
            await self._talk.answer(question["id"], approved=answer.strip().casefold() in ("y", "yes"))
        except MindError as error:
            print(error.message)

    async def _listen(self) -> None:
        speaking = False
        async for event in self._talk.events():
            match event["type"]:
                case "started":
                    self._conversation = event["session_id"]
                case "delta":
                    print(event["text"] if speaking else f"robot: {event['text']}", end="", flush=True)
                    speaking = True
                case "tool" if event["status"] not in ("ok", "started"):
                    print(f"\n  [{event['name']}: {event['status']}]", end="", flush=True)
                case "done" | "error":
                    print() if speaking else None
                    speaking = False
                    problem = event.get("error") if event["type"] == "done" else event
                    if problem:
                        print(f"error: {problem['message']}")
                    self._idle.set()
                case "confirm":
                    self._questions.put_nowait(event)
                case "notice":
                    print(f"  [{event['tool']} {event['arguments']}]")
                case "announced":
                    print(f"robot: {event['text']}")
        print("the mind has ended")
        self._idle.set()

    async def _command(self, command: str) -> None:
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
                    print(self._configuration.settings.mind.profile)
                case _:
                    print(f"no command {command}; /help tells them")
        except MindError as error:
            print(f"error: {error.message}")

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
