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
    from reachy_mind.body.media.wav_devices import WavMicrophone
    from reachy_mind.cli.voice_connection import VoiceConnection
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.wire import VoiceFrame

QUIET_TIMEOUT_S = 3.0
"""When nothing happens for this time after the end of a file, the conversation has ended too."""
PROGRESS_EVERY_S = 30.0
"""How often the progress of a file is printed."""


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
    from reachy_mind.config.configuration import load

    configuration = load(flags={"robot.address": robot, "mind.brain": brain})
    log.configure("error", configuration.settings.log.format, configuration.secrets())
    terminal = SpokenTerminal(as_json=as_json)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_talk(configuration, source, target, robot, terminal, push=push_to_talk))
    if as_json:
        print(json.dumps({"session_id": terminal.session, "turns": terminal.turns}))


async def _talk(
    configuration: Configuration, source: str, target: str, robot: str | None, terminal: SpokenTerminal, *, push: bool
) -> None:
    from reachy_mind.body.media import Media, unavailable
    from reachy_mind.body.media.wav_devices import WavSpeaker
    from reachy_mind.cli.voice_connection import connect_voice

    with contextlib.ExitStack() as stack:
        played = _recording(source, stack, terminal.idle) if _is_file(source) else None
        speaker = _speaker(source, target, silent=played is not None)
        camera = unavailable("camera", "talk has none", "")
        reason = "named on the command line"
        media: Media = Media("files", reason, camera, lambda: played or _device(source), lambda: speaker)
        async with connect_voice(configuration, media, robot=robot, microphone_off=push) as voice:
            keys = _keys(voice, terminal) if push else contextlib.nullcontext()
            terminal.note(
                "Press Enter to speak, and again when you have." if push else "Speak to the robot; Ctrl-C ends."
            )
            async with keys as pressed:
                await _until_over(voice, terminal, played, pressed)
        if isinstance(speaker, WavSpeaker):
            speaker.save()
    if played is not None and not terminal.turns:
        terminal.note("The file has ended; no words were heard in it.")


async def _until_over(
    voice: VoiceConnection, terminal: SpokenTerminal, played: WavMicrophone | None, ended: asyncio.Event | None
) -> None:
    """Until the end of a file and of the answer to it. Raises what ended the connection."""
    while True:
        if played is not None:
            terminal.progress(played)
        try:
            async with asyncio.timeout(QUIET_TIMEOUT_S):
                frame = await voice.frames.get()
        except TimeoutError:
            over = (played is not None and played.ended.is_set()) or (ended is not None and ended.is_set())
            if over and terminal.doing == "listening":
                return
            continue
        if frame is None:
            from reachy_mind.errors import NotReady

            raise terminal.trouble or NotReady("the mind has ended the conversation", hint="is it still running?")
        terminal.show(frame)


class SpokenTerminal:
    """Prints what is heard and said, and collects the turns for `--json`."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.turns: list[dict[str, Any]] = []
        self.session = ""
        self.doing = "opening"
        self.trouble: Exception | None = None
        self._microphone = ""
        self._progress_at = self._heard_at = time.monotonic()

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def progress(self, played: WavMicrophone) -> None:
        """Print now and then how much of a file was heard."""
        if time.monotonic() - self._progress_at >= PROGRESS_EVERY_S and not played.ended.is_set():
            self._progress_at = time.monotonic()
            self.note(f"(heard {_minutes(played.heard_s)} of {_minutes(played.seconds)})")

    def idle(self) -> bool:
        """Whether nothing was said or thought for a while: slow speech to text takes its time."""
        return self.doing == "listening" and time.monotonic() - self._heard_at > QUIET_TIMEOUT_S

    def show(self, frame: VoiceFrame) -> None:
        self._heard_at = time.monotonic()
        match frame["type"]:
            case "state":
                self.doing, self.session = frame["doing"], frame["session_id"]
                self._show_microphone(frame["microphone"], frame["reason"])
            case "transcription" if frame["final"]:
                self.turns.append({"heard": frame["text"], "reply": "", "tools": [], "interrupted": None})
                self._say("you", frame["text"])
            case "response" if frame["final"]:
                turn = self.turns[-1]
                turn |= {"reply": frame["text"], "tools": frame["tools"]}
                if frame["error"]:
                    turn["error"] = frame["error"]
                self._say("robot", frame["text"] or (frame["error"] or {}).get("message", "(nothing to say)"))
            case "interrupted":
                if self.turns:
                    self.turns[-1]["interrupted"] = frame["heard"]
                self.note(f"(interrupted after: {frame['heard']})")
            case "error":
                from reachy_mind.client import RemoteError

                self.trouble = RemoteError({"code": frame["code"], "message": frame["message"], "hint": frame["hint"]})
                self.note(f"error: {frame['message']}")

    def _show_microphone(self, state: str, reason: str) -> None:
        """Print once that the microphone was lost, is off, or is open again, however often it was tried meanwhile."""
        if state in ("opening", self._microphone):
            return
        if self._microphone or state != "open":
            self.note(f"(microphone {state}{': ' * bool(reason)}{reason})")
        self._microphone = state

    def _say(self, who: str, text: str) -> None:
        if not self._as_json:
            print(f"{who}: {text}", flush=True)


@contextlib.asynccontextmanager
async def _keys(voice: VoiceConnection, terminal: SpokenTerminal) -> Any:
    """Enter switches the microphone; the event is set at the end of the input."""
    from reachy_mind.cancellation import cancel_and_wait

    loop, lines, over = asyncio.get_running_loop(), asyncio.Queue[str](), asyncio.Event()

    def read() -> None:  # in a daemon thread: reading from a terminal can't be cancelled
        with contextlib.suppress(RuntimeError):  # the loop was closed
            for pressed in iter(sys.stdin.readline, ""):
                loop.call_soon_threadsafe(lines.put_nowait, pressed)
            loop.call_soon_threadsafe(over.set)

    async def switch() -> None:
        on = False
        while True:
            await lines.get()
            on = not on
            await voice.listen(on=on)
            terminal.note("(listening)" if on else "(not listening)")

    threading.Thread(target=read, daemon=True, name="keys").start()
    switching = asyncio.create_task(switch(), name="keys")
    try:
        yield over
    finally:
        await cancel_and_wait(switching)


def _is_file(name: str) -> bool:
    """What has the name of one, or is in a folder, or is there."""
    return name.lower().endswith(".wav") or "/" in name or (bool(name) and Path(name).is_file())


def _recording(name: str, stack: contextlib.ExitStack, idle: Callable[[], bool]) -> WavMicrophone:
    """A file that is read as it is heard. Raises InvalidParameter for what is no WAV file."""
    from reachy_mind.body import wav
    from reachy_mind.body.media.wav_devices import WavMicrophone
    from reachy_mind.errors import InvalidParameter

    try:
        file = stack.enter_context(Path(name).open("rb"))  # noqa: SIM115 -- the stack is one
        header = wav.read_header(file)
    except OSError as error:
        raise InvalidParameter(f"{name} can't be read: {error.strerror}", hint="--input names a WAV file") from error
    return WavMicrophone(name, map(wav.to_pcm, wav.read_chunks(file, header)), header.seconds, idle)


def _device(name: str) -> Microphone:
    from reachy_mind.body.media.soundcard_microphone import SoundcardMicrophone

    return SoundcardMicrophone((name,))


def _speaker(source: str, name: str, *, silent: bool) -> Speaker:
    """`silent`: without a name what is said is only printed. Raises InvalidParameter, and NotReady when a file can't be
    written."""
    from reachy_mind.body.media.soundcard_speaker import SoundcardSpeaker
    from reachy_mind.body.media.wav_devices import WavSpeaker
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
