"""The voice worker: a process that holds the conversations of several devices.

Started as `python -m reachy_mind.fleet.voice.worker DESCRIPTOR` by `voice_process`. It exits on SIGTERM and when the
program that started it is gone. Everything it prints goes to stderr; no text of a conversation does.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.fleet.voice.session import SessionEnded, SpeakerSound, StateChanged, VoiceRefused, VoiceSessionEvent
from reachy_mind.fleet.voice.session_messages import message_of
from reachy_mind.fleet.voice.worker_frames import (
    MAX_UNSENT,
    WORKER,
    FrameKind,
    WorkerFrame,
    encode_frame,
    encode_message,
    read_frame,
)
from reachy_mind.fleet.voice.worker_setup import WorkerSetup
from reachy_mind.system import child_socket
from reachy_mind.system.stop_signals import on_signal

if TYPE_CHECKING:
    from reachy_mind.fleet.voice.conversation import DeviceConversation
    from reachy_mind.fleet.voice.shared_speech import SharedSpeech

CHECK_S: Final = 1.0

_log = log.get(__name__)


class HostedSession:
    """A conversation from its opening to its end, in a task of its own."""

    def __init__(self, worker: VoiceWorker, number: int, request: dict[str, Any]) -> None:
        self._worker, self._number = worker, number
        self._conversation: DeviceConversation | None = None
        self._over = asyncio.Event()
        self.task = asyncio.create_task(self._run(request), name=f"voice session {number}")

    def hear(self, pcm: bytes) -> None:
        if self._conversation is not None:
            with contextlib.suppress(InvalidParameter):  # half a sample: the next frame is whole again
                self._conversation.hear(pcm)

    def report(self, samples: int, flush: int) -> None:
        if self._conversation is not None:
            self._conversation.report(samples, flush)

    def close(self) -> None:
        self._over.set()

    async def _run(self, request: dict[str, Any]) -> None:
        reason = "it was closed"
        try:
            reason = await self._hold(request)
        except VoiceRefused as error:
            self._refuse(error.message, error.hint, error.retry_after_s)
            return
        except MindError as error:
            self._refuse(error.message, error.hint)
            return
        except Exception as error:  # noqa: BLE001 -- the other conversations go on
            _log.exception("a conversation failed")
            reason = f"the conversation failed: {type(error).__name__}"
        self._worker.send(self._number, *message_of(SessionEnded(reason)))

    async def _hold(self, request: dict[str, Any]) -> str:
        """Why it ended."""
        from reachy_mind.fleet.device.personas import PersonaTexts  # noqa: PLC0415
        from reachy_mind.fleet.voice.conversation import DeviceConversation  # noqa: PLC0415

        persona = PersonaTexts(**request["persona"]) if request.get("persona") else None
        setup = self._worker.setup
        conversation = DeviceConversation(self._worker.shared, persona, str(request["language"]), self._emit)
        async with conversation:
            self._conversation = conversation
            self._worker.send(self._number, "voice.opened")
            until = time.monotonic() + setup.longest_s
            while not self._over.is_set():
                if conversation.quiet_s > setup.idle_s:
                    return f"nobody spoke for {setup.idle_s:g} s"
                if time.monotonic() > until:
                    return f"it took {setup.longest_s / 60:g} minutes, the longest that is allowed"
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CHECK_S):
                        await self._over.wait()
        return "it was closed"

    def _emit(self, event: VoiceSessionEvent) -> None:
        if isinstance(event, SpeakerSound):
            self._worker.send_sound(self._number, event.pcm)
            return
        self._worker.send(self._number, *message_of(event))
        if isinstance(event, StateChanged) and event.state == "listening" and self._conversation is not None:
            took_ms = self._conversation.first_sound_ms()
            if took_ms is not None:
                self._worker.send(self._number, "voice.first_sound", {"ms": took_ms})

    def _refuse(self, reason: str, hint: str, retry_after_s: float = 0.0) -> None:
        refusal = {"reason": reason[:500], "hint": hint[:500], "retry_after_s": retry_after_s}
        self._worker.send(self._number, "voice.refused", refusal)


class VoiceWorker:
    """Serves the socket until the other side is gone."""

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._name, self._reader, self._writer = name, reader, writer
        self._sessions: dict[int, HostedSession] = {}
        self.setup: WorkerSetup
        self.shared: SharedSpeech

    async def serve(self) -> None:
        from reachy_mind.fleet.voice.shared_speech import SharedSpeech  # noqa: PLC0415

        first = await read_frame(self._reader)
        self.setup = pickle.loads(first.body)  # noqa: S301 -- from the program that started this one
        # Below warnings, libraries log what people say.
        log.configure_child(f"fleet-{self._name}", level="warning", secrets=self.setup.configuration.secrets())
        async with SharedSpeech(self.setup.configuration) as self.shared:
            try:
                while True:
                    self._take(await read_frame(self._reader))
            except EOFError:
                return
            finally:
                for session in tuple(self._sessions.values()):
                    await cancel_and_wait(session.task)

    def send(self, session: int, type_: str, payload: dict[str, Any] | None = None) -> None:
        self._write(encode_message(session, type_, payload))

    def send_sound(self, session: int, pcm: bytes) -> None:
        self._write(encode_frame(session, FrameKind.SOUND, pcm))

    def _write(self, data: bytes) -> None:
        if self._writer.transport.get_write_buffer_size() > MAX_UNSENT:
            _log.error("what started this worker takes nothing any more")
            os._exit(1)
        self._writer.write(data)

    def _take(self, frame: WorkerFrame) -> None:
        session = self._sessions.get(frame.session)
        if frame.kind == FrameKind.SOUND:
            if session is not None:
                session.hear(frame.body)
            return
        type_, payload = frame.message()
        match type_:
            case "voice.ping":
                self.send(WORKER, "voice.pong")
            case "voice.open" if session is None:
                opened = self._sessions[frame.session] = HostedSession(self, frame.session, payload)
                opened.task.add_done_callback(lambda _: self._sessions.pop(frame.session, None))
            case "voice.played" if session is not None:
                session.report(int(payload["samples"]), int(payload["flush"]))
            case "voice.close" if session is not None:
                session.close()


async def _serve(name: str, argument: str) -> None:
    connection = child_socket.connect(argument)
    reader, writer = await asyncio.open_connection(sock=connection)
    serving = asyncio.create_task(VoiceWorker(name, reader, writer).serve(), name="voice worker")
    on_signal(signal.SIGTERM, serving.cancel)
    with contextlib.suppress(asyncio.CancelledError, EOFError):
        await serving


def main(arguments: Sequence[str]) -> int:
    asyncio.run(_serve(*arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
