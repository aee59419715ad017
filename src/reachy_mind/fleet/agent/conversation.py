"""`VoiceConversation`: the device's side of a spoken conversation, from a press of the green button to its end.

The microphone goes to a voice session, its sound to the loudspeaker. The session is at the control plane; when that is
away or refuses, on this machine, and the device says so. It ends after a silence, a second press, or in an emergency.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from reachy_mind import log
from reachy_mind.body.media import BLOCK_BYTES, SAMPLE_RATE_HZ, Microphone
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.light_states import LightState
from reachy_mind.fleet.agent.mixer import Playback
from reachy_mind.fleet.agent.phrases import Phrase
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.voice.session import (
    HeardText,
    SaidText,
    SessionEnded,
    SoundFlushed,
    SpeakerSound,
    StateChanged,
    VoiceBackend,
    VoiceSession,
)

PROGRESS_S: Final = 0.2
"""How often the session is told how much was played."""
SENT_BYTES: Final = 2 * BLOCK_BYTES
MAX_QUEUED_SAMPLES: Final = 120 * SAMPLE_RATE_HZ
OPEN_TIMEOUT_S: Final = 10.0
LIGHTS: Final[dict[str, LightState]] = {  # of its states
    "idle": "idle",
    "listening": "listening",
    "processing": "processing",
    "responding": "speaking",
}
Outcome = Literal["silence", "ended", "lost"]

_log = log.get(__name__)


@dataclass(frozen=True)
class VoicePlaces:
    """Where conversations can be held now. `remote` is None without a connection."""

    remote: Callable[[], VoiceBackend | None]
    local: VoiceBackend


class VoiceConversation:
    """`start` and `stop` it. `on_change` is called when its `state` changes, which is as in heartbeats."""

    def __init__(
        self,
        sound: SoundOutput,
        announcer: Announcer,
        places: VoicePlaces,
        microphone: Callable[[], Microphone],
        *,
        idle_s: float,
        on_change: Callable[[], None],
    ) -> None:
        self._sound, self._announcer, self._places = sound, announcer, places
        self._microphone, self._idle_s, self._on_change = microphone, idle_s, on_change
        self.before: list[Callable[[], Awaitable[None]]] = []
        self.after: list[Callable[[], Awaitable[None]]] = []
        """Called around a conversation: an activity is silent meanwhile."""
        self.state = "idle"
        self.place = ""
        """Where it is held: "hub" or "device"; empty without one."""
        self._task: asyncio.Task[None] | None = None
        self._active_at = 0.0
        self._flushed_at = self._told = 0
        """What was played before the last flush, and how much after it the session was told of."""

    @property
    def active(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self, persona: PersonaTexts | None) -> None:
        """Begin one, unless there is one."""
        if not self.active:
            self._task = asyncio.create_task(self._run(persona), name="conversation")
            self._task.add_done_callback(lambda _: self._on_change())

    async def stop(self) -> None:
        """End it now, if there is one. Raises nothing."""
        task, self._task = self._task, None
        if task is not None:
            try:
                await cancel_and_wait(task)
            except MindError as error:
                _log.warning("the conversation ended with an error", reason=error.message)

    async def _run(self, persona: PersonaTexts | None) -> None:
        try:
            self._show("processing")
            for each in self.before:
                await each()
            remote = self._places.remote()
            outcome = await self._hold("hub", remote, persona) if remote is not None else "lost"
            if outcome == "lost":
                outcome = await self._hold_here(persona)
            if outcome == "lost":
                await self._announcer.say("no_voice")
            elif outcome == "silence":
                await self._announcer.say("goodbye")
        except Exception:  # noqa: BLE001 -- the buttons have to work afterwards
            _log.exception("the conversation failed")
            await self._announcer.say("no_voice")
        finally:
            self.place = ""
            self._show("idle")
            for each in self.after:
                await each()

    async def _hold_here(self, persona: PersonaTexts | None) -> Outcome:
        """Say that the device answers by itself, while it loads what it needs for that."""
        phrase: Phrase = "local_voice" if self._places.remote() is None else "no_room"
        saying = asyncio.create_task(self._announcer.say(phrase), name="conversation falls back")
        try:
            return await self._hold("device", self._places.local, persona, after=saying)
        finally:
            await cancel_and_wait(saying)

    async def _hold(
        self, place: str, backend: VoiceBackend, persona: PersonaTexts | None, after: asyncio.Task[bool] | None = None
    ) -> Outcome:
        """One session, to its end; "lost" when it could not be held there, or not to its end. It listens `after`."""
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S if place == "hub" else None):
                session = await backend.open(persona, self._announcer.language)
        except TimeoutError:
            _log.warning("no conversation", place=place, reason="no answer in time")
            return "lost"
        except MindError as error:
            _log.warning("no conversation", place=place, reason=error.message)
            return "lost"
        self.place = place
        try:
            if after is not None:
                await asyncio.wait([after])
            async with self._microphone() as microphone, self._sound.open_stream("speech") as loudspeaker:
                self._announcer.play_later("listening")
                self._show("listening")
                return await self._exchange(session, microphone, loudspeaker)
        except MindError as error:
            _log.warning("the conversation broke off", place=place, reason=error.message)
            return "lost"
        finally:
            self._show("idle")
            await session.aclose()

    async def _exchange(self, session: VoiceSession, microphone: Microphone, loudspeaker: Playback) -> Outcome:
        self._active_at, self._flushed_at, self._told = time.monotonic(), 0, 0
        helpers = [
            asyncio.create_task(self._listen(session, microphone), name="conversation microphone"),
            asyncio.create_task(self._report(session, loudspeaker), name="conversation progress"),
        ]
        events = asyncio.create_task(self._follow(session.events(), loudspeaker), name="conversation events")
        silence = asyncio.create_task(self._wait_for_silence(loudspeaker), name="conversation silence")
        try:
            await asyncio.wait([events, silence, *helpers], return_when=asyncio.FIRST_COMPLETED)
            for helper in helpers:
                if helper.done():
                    helper.result()  # raises why the microphone was lost
            return events.result() if events.done() else "silence"
        finally:
            for task in (events, silence, *helpers):
                with contextlib.suppress(MindError):
                    await cancel_and_wait(task)
            if not events.done() or events.cancelled():
                loudspeaker.flush()

    async def _listen(self, session: VoiceSession, microphone: Microphone) -> None:
        heard = bytearray()
        async for block in microphone:
            heard += block
            if len(heard) >= SENT_BYTES:
                await session.send(bytes(heard))
                heard.clear()

    async def _follow(self, events: AsyncIterator[object], loudspeaker: Playback) -> Outcome:
        async for event in events:
            match event:
                case SpeakerSound(pcm):
                    if loudspeaker.queued < MAX_QUEUED_SAMPLES:
                        loudspeaker.push(pcm)
                case SoundFlushed():
                    loudspeaker.flush()
                    self._flushed_at, self._told = loudspeaker.played, 0
                case StateChanged(state):
                    self._show(state)
                case SessionEnded(reason):
                    _log.info("the conversation is over", reason=reason)
                    return "lost" if self.place == "hub" and self._places.remote() is None else "ended"
            if not isinstance(event, StateChanged) or event.state != "listening":
                self._active_at = time.monotonic()
            if isinstance(event, HeardText | SaidText):
                _log.debug("conversation", heard=isinstance(event, HeardText), characters=len(event.text))
        return "ended"

    async def _report(self, session: VoiceSession, loudspeaker: Playback) -> None:
        while True:
            await asyncio.sleep(PROGRESS_S)
            played = loudspeaker.played - self._flushed_at
            if played != self._told:
                self._told = played
                await session.played(played)

    async def _wait_for_silence(self, loudspeaker: Playback) -> None:
        while True:
            if loudspeaker.queued or self.state not in ("listening", "idle"):
                self._active_at = time.monotonic()
            left = self._active_at + self._idle_s - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(min(left, 0.5))

    def _show(self, state: str) -> None:
        if self.state != state:
            self.state = state
            self._on_change()
