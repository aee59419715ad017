"""`reachy-mind talk`: a spoken conversation from the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reachy_mind.body.media import Media, Microphone, Speaker
    from reachy_mind.body.media.files import WavMicrophone
    from reachy_mind.cli.line import Line, Told
    from reachy_mind.config import Configuration

QUIET_S = 3.0
"""When nothing more happens for so long after a file has ended, the conversation has too."""
PROGRESS_S = 30.0
"""After so long it is told again how much of a file was heard."""


def talk(
    source: Annotated[
        str, typer.Option("--input", help="A microphone, by number or part of its name, or a WAV file.", metavar="FROM")
    ] = "",
    target: Annotated[
        str, typer.Option("--output", help="A loudspeaker, by number or part of its name, or a WAV file.", metavar="TO")
    ] = "",
    push_to_talk: Annotated[
        bool, typer.Option("--push-to-talk", help="Press Enter to speak, and again when you have.")
    ] = False,
    robot: Annotated[
        str | None, typer.Option("--robot", help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")
    ] = None,
    brain: Annotated[str | None, typer.Option("--brain", help="auto, reflex, agents, claude or realtime.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
) -> None:
    """Speak with the robot through this computer's microphone and loudspeaker, or through WAV files. Ctrl-C ends it."""
    from reachy_mind import log
    from reachy_mind.config import load

    configuration = load(flags={"robot.address": robot, "mind.brain": brain})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    told = Terminal(as_json=as_json)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_talk(configuration, source, target, robot, told, push=push_to_talk))
    if as_json:
        print(json.dumps({"session_id": told.session, "turns": told.turns}))


async def _talk(
    configuration: Configuration, source: str, target: str, robot: str | None, told: Terminal, *, push: bool
) -> None:
    from reachy_mind.body.media import Media, missing
    from reachy_mind.body.media.files import WavSpeaker
    from reachy_mind.cli.line import connected

    with contextlib.ExitStack() as stack:
        played = _recording(source, stack, told.idle) if _is_file(source) else None
        speaker = _speaker(source, target, silent=played is not None)
        camera = missing("camera", "talk has none", "")
        reason = "named on the command line"
        media: Media = Media("files", reason, camera, lambda: played or _device(source), lambda: speaker)
        async with connected(configuration, media, robot, deaf=push) as line:
            keys = _keys(line, told) if push else contextlib.nullcontext()
            told.note("Press Enter to speak, and again when you have." if push else "Speak to the robot; Ctrl-C ends.")
            async with keys as pressed:
                await _until_over(line, told, played, pressed)
        if isinstance(speaker, WavSpeaker):
            speaker.save()
    if played is not None and not told.turns:
        told.note("The file has ended; no words were heard in it.")


async def _until_over(line: Line, told: Terminal, played: WavMicrophone | None, ended: asyncio.Event | None) -> None:
    """The end of a file and of the answer to it, or of the line."""
    while True:
        if played is not None:
            told.progress(played)
        try:
            async with asyncio.timeout(QUIET_S):
                event = await line.events.get()
        except TimeoutError:
            over = (played is not None and played.ended.is_set()) or (ended is not None and ended.is_set())
            if over and told.doing == "listening":
                return
            continue
        if event["type"] == "gone":
            from reachy_mind.errors import NotReady

            raise told.trouble or NotReady("the mind has ended the conversation", hint="is it still running?")
        told.take(event)


class Terminal:
    """What is heard and said, on the terminal, and turn by turn for `--json`."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.turns: list[dict[str, Any]] = []
        self.session = ""
        self.doing = "opening"
        self.trouble: Exception | None = None
        self._microphone = ""
        self._told_at = self._heard_at = time.monotonic()

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def progress(self, played: WavMicrophone) -> None:
        """How much of a file was heard, now and then."""
        if time.monotonic() - self._told_at >= PROGRESS_S and not played.ended.is_set():
            self._told_at = time.monotonic()
            self.note(f"(heard {_minutes(played.heard_s)} of {_minutes(played.seconds)})")

    def idle(self) -> bool:
        """Whether nobody speaks or thinks, and none has for a while: slow ears take their time."""
        return self.doing == "listening" and time.monotonic() - self._heard_at > QUIET_S

    def take(self, event: Told) -> None:
        self._heard_at = time.monotonic()
        match event["type"]:
            case "state":
                self.doing, self.session = event["doing"], event["session_id"]
                self._notice(event["microphone"], event["reason"])
            case "transcription" if event["final"]:
                self.turns.append({"heard": event["text"], "reply": "", "tools": [], "interrupted": None})
                self._say("you", event["text"])
            case "response" if event["final"]:
                turn = self.turns[-1]
                turn |= {"reply": event["text"], "tools": event["tools"]}
                if event["error"]:
                    turn["error"] = event["error"]
                self._say("robot", event["text"] or (event["error"] or {}).get("message", "(nothing to say)"))
            case "interrupted":
                if self.turns:
                    self.turns[-1]["interrupted"] = event["heard"]
                self.note(f"(interrupted after: {event['heard']})")
            case "error":
                from reachy_mind.client import RemoteError

                self.trouble = RemoteError(event)
                self.note(f"error: {event['message']}")

    def _notice(self, state: str, reason: str) -> None:
        """A microphone that was lost, off, or is open again: once each, however often it was tried meanwhile."""
        if state in ("opening", self._microphone):
            return
        if self._microphone or state != "open":
            self.note(f"(microphone {state}{': ' * bool(reason)}{reason})")
        self._microphone = state

    def _say(self, who: str, text: str) -> None:
        if not self._as_json:
            print(f"{who}: {text}", flush=True)


@contextlib.asynccontextmanager
async def _keys(line: Line, told: Terminal) -> Any:
    """Enter switches the microphone; the event is set when nothing more can be pressed."""
    from reachy_mind.ending import ended

    loop, lines, over = asyncio.get_running_loop(), asyncio.Queue[str](), asyncio.Event()

    def read() -> None:  # in a thread that nobody waits for: it can't be woken from a terminal
        with contextlib.suppress(RuntimeError):  # the loop was closed
            for pressed in iter(sys.stdin.readline, ""):
                loop.call_soon_threadsafe(lines.put_nowait, pressed)
            loop.call_soon_threadsafe(over.set)

    async def switch() -> None:
        on = False
        while True:
            await lines.get()
            on = not on
            await line.listen(on=on)
            told.note("(listening)" if on else "(not listening)")

    threading.Thread(target=read, daemon=True, name="keys").start()
    switching = asyncio.create_task(switch(), name="keys")
    try:
        yield over
    finally:
        await ended(switching)


def _is_file(name: str) -> bool:
    """What has the name of one, or is in a folder, or is there."""
    return name.lower().endswith(".wav") or "/" in name or (bool(name) and Path(name).is_file())


def _recording(name: str, stack: contextlib.ExitStack, idle: Callable[[], bool]) -> WavMicrophone:
    """A file that is read as it is heard. Raises InvalidParameter for what is no WAV file."""
    from reachy_mind.body.media.files import WavMicrophone
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.speech import wavs

    try:
        file = stack.enter_context(Path(name).open("rb"))  # noqa: SIM115 -- the stack is one
        sound = wavs.find(file)
    except OSError as error:
        raise InvalidParameter(f"{name} can't be read: {error.strerror}", hint="--input names a WAV file") from error
    return WavMicrophone(name, wavs.pieces(file, sound), sound.seconds, idle)


def _device(name: str) -> Microphone:
    from reachy_mind.body.media.recording import SoundcardMicrophone

    return SoundcardMicrophone((name,))


def _speaker(source: str, name: str, *, silent: bool) -> Speaker:
    """`silent`: without a name what is said is only printed. Raises InvalidParameter, and NotReady when a file can't be
    written."""
    from reachy_mind.body.media.files import WavSpeaker
    from reachy_mind.body.media.playback import SoundcardSpeaker
    from reachy_mind.errors import InvalidParameter

    if not _is_file(name):
        return WavSpeaker(None) if silent and not name else SoundcardSpeaker((name,))
    if source and Path(name).exists() and Path(source).exists() and Path(name).samefile(source):
        raise InvalidParameter(f"{name} is both --input and --output", hint="what is heard would be lost: name another")
    speaker = WavSpeaker(Path(name))
    speaker.save()
    return speaker


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
