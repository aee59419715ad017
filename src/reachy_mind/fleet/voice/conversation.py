"""`DeviceConversation`: the spoken conversation of one device, with a mind of its own but without a body.

It has its own bus, gate, history and memory; all of them are in this process's memory and end with it. Its tools can
touch nothing but the conversation: the time, the weather, a search in the web, what it was told.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

from reachy_mind import log
from reachy_mind.body.media.network_audio import NetworkAudio
from reachy_mind.brains.brain import Said
from reachy_mind.conversation.events import RequestFailed, SpokenState, VoiceEvent
from reachy_mind.conversation.turns import Turns
from reachy_mind.conversation.voice import VoiceParts
from reachy_mind.events import Bus
from reachy_mind.fleet.voice.persona_profile import profile_of
from reachy_mind.fleet.voice.session import (
    HeardText,
    SaidText,
    SoundFlushed,
    SpeakerSound,
    StateChanged,
    VoiceSessionEvent,
)
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.memory import Memory
from reachy_mind.models.store import Store
from reachy_mind.speech.events import Transcription
from reachy_mind.storage.database import IN_MEMORY, Database
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Parts
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.timers import Timers
from reachy_mind.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from reachy_mind.conversation.spoken import SpokenConversation
    from reachy_mind.fleet.device.personas import PersonaTexts
    from reachy_mind.fleet.protocol.voice_messages import VoiceState
    from reachy_mind.fleet.voice.shared_speech import SharedSpeech

SAFE_TOOLS: Final = frozenset(
    (
        *("get_time", "get_weather", "search_web", "stop", "do_nothing"),
        *("store_memory", "search_memories", "get_user_profile", "update_user_profile"),
    )
)
"""Timers are left out: a session ends after some silence, and they with it."""
SCOPES: Final = frozenset(("talk", "read", "control"))
"""What is said may do, in a mind that has nothing but this conversation."""
AHEAD_S: Final = 0.8
"""Written ahead of playback: enough for a stutter of a wireless network."""
CHUNK_BYTES: Final = 3200
"""Sound is passed on in pieces of a tenth of a second; what is shorter waits no longer than that for more."""
CHUNK_S: Final = 0.1
SETTLED_S: Final = 0.3
"""Between an answer and its sound nothing happens for a moment: a light should not show that."""
STATES: Final[dict[str, VoiceState]] = {
    "listening": "listening",
    "hearing": "listening",
    "thinking": "processing",
    "speaking": "responding",
}

_log = log.get(__name__)


class DeviceConversation:
    """Use as `async with`; `emit` gets its events. Raises VoiceRefused when it can't be held here."""

    def __init__(
        self,
        shared: SharedSpeech,
        persona: PersonaTexts | None,
        language: str,
        emit: Callable[[VoiceSessionEvent], None],
    ) -> None:
        self._shared, self._persona, self._language, self._emit = shared, persona, language, emit
        self._audio = NetworkAudio(self._send)
        self._stack = contextlib.AsyncExitStack()
        self._state: VoiceState = "idle"
        self._chunk = bytearray()
        self._chunk_at = 0.0
        self._later: asyncio.TimerHandle | None = None
        self._settling: asyncio.TimerHandle | None = None
        self._busy = False
        self._quiet_since = time.monotonic()
        self._spoken: SpokenConversation | None = None
        self._latency: Mapping[str, float] = {}

    def first_sound_ms(self) -> float | None:
        """From the end of the person's voice to the first sound of the answer; None when it was told already."""
        latency = self._spoken.latency if self._spoken is not None else self._latency
        told, self._latency = latency is self._latency, latency
        if told or not latency:
            return None
        return round(sum(latency.values()), 1)

    @property
    def quiet_s(self) -> float:
        """For how long nobody has spoken."""
        return 0.0 if self._busy else time.monotonic() - self._quiet_since

    def hear(self, pcm: bytes) -> None:
        """What the device's microphone heard. Raises InvalidParameter for half a sample."""
        self._audio.feed(pcm)

    def report(self, samples: int, flush: int) -> None:
        """What the device's loudspeaker has played since a flush."""
        self._audio.report(samples, flush)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._cancel_timers)
            await self._open(stack)
            self._stack = stack.pop_all()
        self._quiet_since = time.monotonic()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        self._audio.gone = "the session is over"

    async def _open(self, stack: contextlib.AsyncExitStack) -> None:
        shared = self._shared
        spoken = await shared.load()
        configuration = shared.speaking(self._language)
        registry = Registry(tool for tool in TOOLS if tool.name in SAFE_TOOLS)
        profile = await asyncio.to_thread(profile_of, self._persona, registry, configuration.home.trusted_profiles_file)
        ears = await shared.ears(configuration)
        voice = await stack.enter_async_context(shared.voice(configuration, profile))
        bus, database = Bus(), await stack.enter_async_context(Database(IN_MEMORY))
        timers = await stack.enter_async_context(Timers(database, bus, announce=False))
        # Without a folder of models: a process with a model of sentences for each device would cost too much.
        without_models = Store(configuration.home.folder / "fleet" / "no-models")
        memory = await stack.enter_async_context(Memory(database, without_models))
        parts = Parts(configuration, bus, database, memory=memory)
        confirmations, audit = Confirmations(bus), Audit(database, keep_content=False)
        stack.push_async_callback(audit.aclose)
        permissions = Permissions(configuration.home.permissions_file)
        toolbox = Toolbox(registry, permissions, confirmations, audit, parts)
        turns = Turns(shared.brain.brain, toolbox, Conversations(database), bus, profile=profile, memory=memory)
        toolbox.on_stop = turns.stopped
        media = replace(self._audio.media("it is a device of the fleet"), ahead_s=AHEAD_S)
        voice_parts = VoiceParts(
            configuration=configuration,
            media=media,
            bus=bus,
            turns=turns,
            brain=shared.brain,
            confirmations=confirmations,
            registry=registry,
            motion=lambda: None,
            announcements=timers.announcements,
            memory=memory,
        )
        self._spoken = await stack.enter_async_context(
            spoken(
                voice_parts,
                ears,
                voice,
                media=media,
                always_awake=True,
                confirms=False,
                scopes=SCOPES,
                on_event=self._told,
            )
        )

    def _told(self, event: VoiceEvent) -> None:
        match event:
            case SpokenState(activity=activity):
                busy = activity != "listening"
                if self._busy and not busy:
                    self._quiet_since = time.monotonic()
                self._busy = busy
                self._show(STATES[activity])
            case Transcription(text, final=True):
                self._emit(HeardText(text))
            case Said(text) if text.strip():
                self._emit(SaidText(text))
            case RequestFailed(error=error):
                _log.warning("a conversation has trouble", reason=error.message)

    def _show(self, state: VoiceState) -> None:
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        if state == "listening" and self._state == "processing":
            self._settling = asyncio.get_running_loop().call_later(SETTLED_S, self._change, state)
        else:
            self._change(state)

    def _change(self, state: VoiceState) -> None:
        if state != self._state:
            self._state = state
            self._emit(StateChanged(state))

    async def _send(self, sound: bytes | int) -> None:
        """Sound for the loudspeaker, or the number of a flush."""
        if isinstance(sound, int):
            self._drop_chunk()
            self._emit(SoundFlushed())
            return
        self._chunk += sound
        now = asyncio.get_running_loop().time()
        if len(self._chunk) >= CHUNK_BYTES or now - self._chunk_at > 2 * CHUNK_S:
            self._pass_on()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(CHUNK_S, self._pass_on)

    def _pass_on(self) -> None:
        chunk = bytes(self._chunk)
        self._drop_chunk()
        self._chunk_at = asyncio.get_running_loop().time()
        if chunk:
            self._emit(SpeakerSound(chunk))

    def _cancel_timers(self) -> None:
        self._drop_chunk()
        if self._settling is not None:
            self._settling.cancel()

    def _drop_chunk(self) -> None:
        self._chunk.clear()
        if self._later is not None:
            self._later.cancel()
            self._later = None
