"""`VoiceProcess`: a voice worker as the program sees it that started it, and `ProcessSession`, a session in it."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import signal
import sys
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, WorkerError
from reachy_mind.fleet.protocol.voice_messages import VoiceRefusal
from reachy_mind.fleet.voice.event_queue import SessionEvents
from reachy_mind.fleet.voice.session import SpeakerSound, VoiceRefused, VoiceSessionEvent
from reachy_mind.fleet.voice.session_messages import event_of
from reachy_mind.fleet.voice.worker_frames import (
    MAX_UNSENT,
    WORKER,
    FrameKind,
    WorkerFrame,
    encode_frame,
    encode_message,
    read_frame,
)
from reachy_mind.system.child_socket import ChildSocket
from reachy_mind.system.process_group import own_group

if TYPE_CHECKING:
    from reachy_mind.fleet.device.personas import PersonaTexts
    from reachy_mind.fleet.voice.worker_setup import WorkerSetup

OPEN_TIMEOUT_S: Final = 60.0
"""For the first session, which loads all models, on a slow machine."""
PING_S: Final = 5.0
PONG_TIMEOUT_S: Final = 15.0
"""A worker that says nothing for so long hangs, and is ended."""
TERMINATE_TIMEOUT_S: Final = 3.0
MAX_SOUND_FRAME: Final = 64 << 10
NOT_READ: Final = "what it says was not taken"

_log = log.get(__name__)


class ProcessSession:
    """A `VoiceSession` in a worker of this machine.

    `told_latency` gets the milliseconds to the first sound of each answer.
    """

    def __init__(self, process: VoiceProcess, number: int, told_latency: Callable[[float], None]) -> None:
        self._process, self._number, self._told_latency = process, number, told_latency
        self._events = SessionEvents()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.on_end: Callable[[], None] | None = None
        """Called once, when the session is over, whoever ended it."""

    async def send(self, pcm: bytes) -> None:
        if len(pcm) % 2:
            raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="16-bit PCM, 16 kHz, mono")
        if not self._events.ended:
            for begin in range(0, len(pcm), MAX_SOUND_FRAME):
                self._process.write(encode_frame(self._number, FrameKind.SOUND, pcm[begin : begin + MAX_SOUND_FRAME]))

    async def played(self, samples: int, flush: int | None = None) -> None:
        """`flush`: the number of the flush that it counts from; the last that was read from the events by default."""
        if not self._events.ended:
            number = self._events.flushes if flush is None else flush
            self._tell("voice.played", {"samples": samples, "flush": number})

    def events(self) -> AsyncIterator[VoiceSessionEvent]:
        return self._events.read()

    @property
    def flushes(self) -> int:
        """The number of the last flush that was read from the events."""
        return self._events.flushes

    async def aclose(self, reason: str = "it was closed") -> None:
        self.end(reason)

    def end(self, reason: str) -> None:
        """It is over here, whatever the worker still does about it."""
        if self._events.ended:
            return
        self._tell("voice.close")
        self._over(reason)

    def _over(self, reason: str) -> None:
        self._events.end(reason)
        if not self._opened.done():
            self._opened.set_exception(VoiceRefused(reason, retry_after_s=1.0))
        self._process.forget(self._number)
        if self.on_end is not None:
            on_end, self.on_end = self.on_end, None
            on_end()

    def _tell(self, type_: str, payload: dict[str, Any] | None = None) -> None:
        self._process.write(encode_message(self._number, type_, payload))

    # For the process

    async def opened(self, request: dict[str, Any]) -> None:
        """Open it. Raises VoiceRefused."""
        self._tell("voice.open", request)
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await asyncio.shield(self._opened)
        except TimeoutError:
            self.end("it took too long to begin")
            self._consume()
            raise VoiceRefused("the session took too long to begin", retry_after_s=5.0) from None
        except asyncio.CancelledError:
            self.end("it is not wanted any more")
            self._consume()
            raise

    def take(self, frame: WorkerFrame) -> None:
        """What the worker says about it."""
        if frame.kind == FrameKind.SOUND:
            self._put(SpeakerSound(frame.body))
            return
        type_, payload = frame.message()
        match type_:
            case "voice.opened":
                if not self._opened.done():
                    self._opened.set_result(None)
            case "voice.refused":
                refusal = VoiceRefusal(stream=0, **payload)
                if not self._opened.done():
                    self._opened.set_exception(
                        VoiceRefused(refusal.reason, hint=refusal.hint, retry_after_s=refusal.retry_after_s)
                    )
                self._over(refusal.reason)
            case "voice.first_sound":
                self._told_latency(float(payload["ms"]))
            case "voice.ended":
                self._over(str(payload["reason"]))
            case _:
                event = event_of(type_, payload)
                if event is not None:
                    self._put(event)

    def _put(self, event: VoiceSessionEvent) -> None:
        if not self._events.put(event):
            self.end(NOT_READ)

    def lost(self, reason: str) -> None:
        """The worker is gone."""
        self._over(reason)

    def _consume(self) -> None:
        if self._opened.done() and not self._opened.cancelled():
            self._opened.exception()


class VoiceProcess:
    """One worker process: `start` it, `open` sessions, `aclose` it. `on_death` is called when it is gone."""

    def __init__(self, name: str, setup: WorkerSetup, on_death: Callable[[VoiceProcess], None]) -> None:
        self.name, self._setup, self._on_death = name, setup, on_death
        self.sessions: dict[int, ProcessSession] = {}
        self.pid: int | None = None
        self._numbers = 0
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._heard = asyncio.Event()
        self._hung = False
        self.gone = False

    async def start(self) -> None:
        """Raises WorkerError when it can't be started."""
        with ChildSocket() as link:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *("-P", "-m", "reachy_mind.fleet.voice.worker", self.name, link.argument),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=2,  # a library's output goes to the log
                    **link.options(),
                    **own_group(),  # Ctrl-C reaches only this process, which ends the worker
                )
                ours = await link.connected(self._process)
            except (OSError, EOFError) as error:
                self.kill()
                raise WorkerError(f"the voice worker can't be started: {error}") from error
        self.pid = self._process.pid
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self.write(encode_frame(WORKER, FrameKind.SETUP, pickle.dumps(self._setup)))
        works = (self._read(reader), self._watch())
        self._tasks = [asyncio.create_task(work, name=f"voice process {self.name}") for work in works]

    async def open(
        self,
        persona: PersonaTexts | None,
        language: str,
        told_latency: Callable[[float], None] = lambda ms: None,  # noqa: ARG005
        on_end: Callable[[], None] | None = None,
    ) -> ProcessSession:
        """Open a session; `on_end` is called when it is over, also when it was refused. Raises VoiceRefused."""
        if self.gone:
            raise VoiceRefused("the voice worker has just died", retry_after_s=1.0)
        self._numbers += 1
        session = self.sessions[self._numbers] = ProcessSession(self, self._numbers, told_latency)
        session.on_end = on_end
        texts = {"id": persona.id, "etag": persona.etag, "files": persona.files} if persona is not None else None
        await session.opened({"persona": texts, "language": language})
        return session

    def write(self, data: bytes) -> None:
        """Queue for the worker. One that takes nothing any more is ended."""
        if self._writer is None or self.gone:
            return
        if self._writer.transport.get_write_buffer_size() > MAX_UNSENT:
            self.kill()
            return
        self._writer.write(data)

    def forget(self, number: int) -> None:
        self.sessions.pop(number, None)

    def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def aclose(self, reason: str = "the voice worker is ending") -> None:
        """End it, and its sessions."""
        for session in tuple(self.sessions.values()):
            session.end(reason)
        self.gone = True
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TERMINATE_TIMEOUT_S):
                    await self._process.wait()
            self.kill()
            await self._process.wait()
        for task in self._tasks:
            if task is not asyncio.current_task():
                await cancel_and_wait(task)
        if self._writer is not None:
            self._writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        assert self._process is not None
        try:
            while True:
                frame = await read_frame(reader)
                self._heard.set()
                session = self.sessions.get(frame.session)
                if session is not None:
                    session.take(frame)
        except (EOFError, ValueError, KeyError, TypeError) as error:
            if not isinstance(error, EOFError):
                _log.error("a voice worker says what is not understood", error=str(error))
        finally:
            self.gone = True
        how = _how(await self._exit_status(self._process))
        self._lose(f"it gave no sign of life for {PONG_TIMEOUT_S:g} s" if self._hung else how)

    async def _exit_status(self, process: asyncio.subprocess.Process) -> int:
        """A process that hung up is about to exit: killed at once, its own status would be lost."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TERMINATE_TIMEOUT_S):
                return await process.wait()
        self.kill()
        return await process.wait()

    def _lose(self, how: str) -> None:
        _log.warning("a voice worker has died", worker=self.name, how=how, sessions=len(self.sessions))
        for session in tuple(self.sessions.values()):
            session.lost(f"the process of this conversation died ({how})")
        self._on_death(self)

    async def _watch(self) -> None:
        """End a worker that hangs."""
        while True:
            await asyncio.sleep(PING_S)
            self._heard.clear()
            self.write(encode_message(WORKER, "voice.ping"))
            try:
                async with asyncio.timeout(PONG_TIMEOUT_S):
                    await self._heard.wait()
            except TimeoutError:
                self._hung = True
                self.kill()
                return


def _how(status: int) -> str:
    if status >= 0:
        return f"exit code {status}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-status).name}"
    return f"signal {-status}"
