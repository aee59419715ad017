"""`HubVoice`: voice sessions at the control plane, over the device's link."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.protocol.audio import MICROPHONE, SPEAKER, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.voice_messages import OfStream, VoiceRefusal
from reachy_mind.fleet.voice.event_queue import SessionEvents
from reachy_mind.fleet.voice.session import SessionEnded, SpeakerSound, VoiceRefused, VoiceSessionEvent
from reachy_mind.fleet.voice.session_messages import event_of

if TYPE_CHECKING:
    from reachy_mind.fleet.device.link import DeviceLink
    from reachy_mind.fleet.device.personas import PersonaTexts
    from reachy_mind.fleet.protocol.frame import Frame

OPEN_TIMEOUT_S: Final = 20.0
"""The first session of a node loads its models: a few seconds."""
REPORT_S: Final = 0.2
"""What was played is said no more often: the hub limits messages."""
LOST: Final = "the connection to the control plane was lost"
_streams = itertools.count(1)

_log = log.get(__name__)


class HubVoice:
    """A `VoiceBackend`. Where there is no connection, or it carries no sound, a session is refused at once."""

    def __init__(self, link: DeviceLink) -> None:
        self._link = link

    async def open(self, persona: PersonaTexts | None, language: str) -> HubVoiceSession:
        """Raises VoiceRefused."""
        if self._link.state != "connected" or self._link.transport is None:
            raise VoiceRefused("there is no connection to the control plane", retry_after_s=1.0)
        if self._link.transport != "websocket":
            raise VoiceRefused("this connection to the control plane carries no sound", retry_after_s=60.0)
        session = HubVoiceSession(self._link, next(_streams) & 0xFFFF)
        await session.begin(persona, language)
        return session


class HubVoiceSession:
    """A `VoiceSession` and a listener of the link: `stream` is its number on the wire."""

    def __init__(self, link: DeviceLink, stream: int) -> None:
        self._link, self.stream = link, stream
        self._events = SessionEvents()
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._unlisten: Callable[[], None] | None = None
        self._chunk = 0
        self._played: tuple[int, int] | None = None
        self._more_played = asyncio.Event()
        self._reporting: asyncio.Task[None] | None = None

    async def begin(self, persona: PersonaTexts | None, language: str) -> None:
        """Raises VoiceRefused."""
        wanted: dict[str, Any] = {"stream": self.stream, "language": language}
        if persona is not None and persona.etag:  # one that comes with this device's program the hub does not know
            wanted["persona"] = {"id": persona.id, "etag": persona.etag}
        self._unlisten = self._link.listen(self)
        try:
            if not await self._link.say("voice.open", wanted):
                raise VoiceRefused(LOST, retry_after_s=1.0)
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await self._opened
        except BaseException as error:
            if isinstance(error, VoiceRefused):
                self._leave()
                raise
            await self.aclose()
            if isinstance(error, TimeoutError):
                raise VoiceRefused("the control plane did not answer in time", retry_after_s=5.0) from None
            raise
        self._reporting = asyncio.create_task(self._report(), name="voice played")

    async def send(self, pcm: bytes) -> None:
        if len(pcm) % 2:
            raise InvalidParameter(f"{len(pcm)} bytes are no whole number of samples", hint="16-bit PCM, 16 kHz, mono")
        if self._events.ended:
            return
        flags = AudioFlags.BEGINS if self._chunk == 0 else AudioFlags(0)
        frame = AudioFrame(MICROPHONE, flags, self.stream, self._chunk & 0xFFFFFFFF, 0, pcm)
        self._chunk += 1
        await self._link.send_audio(frame)  # dropped where the network is too slow

    async def played(self, samples: int) -> None:
        self._played = (samples, self._events.flushes)
        self._more_played.set()

    def events(self) -> AsyncIterator[VoiceSessionEvent]:
        return self._events.read()

    async def aclose(self) -> None:
        if not self._events.ended:
            self._events.end("it was closed")
            await self._link.say("voice.close", {"stream": self.stream})
        self._leave()
        if self._reporting is not None:
            reporting, self._reporting = self._reporting, None
            await cancel_and_wait(reporting)

    async def _report(self) -> None:
        """Say what was played, the latest only."""
        while True:
            await self._more_played.wait()
            self._more_played.clear()
            if self._played is not None and not self._events.ended:
                samples, flush = self._played
                await self._link.say("voice.played", {"stream": self.stream, "samples": samples, "flush": flush})
            await asyncio.sleep(REPORT_S)

    # What the link says

    def message(self, frame: Frame) -> None:
        if not frame.type.startswith("voice."):
            return
        try:
            if OfStream.model_validate(frame.p).stream == self.stream:
                self._take(frame)
        except ValueError as error:
            _log.warning("the control plane says what is not understood", type=frame.type, error=str(error)[:200])

    def sound(self, frame: AudioFrame) -> None:
        if frame.kind == SPEAKER and frame.stream == self.stream and len(frame.samples) % 2 == 0:
            self._put(SpeakerSound(frame.samples))

    def connection_lost(self) -> None:
        self._end(LOST)

    def _take(self, frame: Frame) -> None:
        match frame.type:
            case "voice.opened":
                if not self._opened.done():
                    self._opened.set_result(None)
            case "voice.refused":
                refusal = VoiceRefusal.model_validate(frame.p)
                error = VoiceRefused(refusal.reason, hint=refusal.hint, retry_after_s=refusal.retry_after_s)
                self._end(refusal.reason, error)
            case _:
                event = event_of(frame.type, frame.p)
                if isinstance(event, SessionEnded):
                    self._end(event.reason)
                elif event is not None:
                    self._put(event)

    def _put(self, event: VoiceSessionEvent) -> None:
        if not self._events.put(event):
            self._end("what it says was not taken")

    def _end(self, reason: str, error: VoiceRefused | None = None) -> None:
        self._events.end(reason)
        if not self._opened.done():
            self._opened.set_exception(error or VoiceRefused(reason, retry_after_s=1.0))
            self._opened.exception()  # whoever opens it may have given up
        self._leave()

    def _leave(self) -> None:
        if self._unlisten is not None:
            unlisten, self._unlisten = self._unlisten, None
            with contextlib.suppress(ValueError):
                unlisten()
