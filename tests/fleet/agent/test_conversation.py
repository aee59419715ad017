"""A conversation on a device: the microphone to the session, its sound to the loudspeaker, and where it is held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.media import BLOCK_BYTES
from reachy_mind.body.media.wav_devices import WavMicrophone
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.conversation import VoiceConversation, VoicePlaces
from reachy_mind.fleet.agent.null_speaker import NullSpeaker
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.voice.session import (
    SessionEnded,
    SoundFlushed,
    SpeakerSound,
    StateChanged,
    VoiceRefused,
    VoiceSessionEvent,
)
from tests.fleet.agent.captures import RATE, read_capture
from tests.waiting import until


@dataclass
class ScriptedSession:
    """A session that a test plays."""

    heard: bytearray = field(default_factory=bytearray)
    told_played: list[int] = field(default_factory=list)
    closed: bool = False
    said: asyncio.Queue[VoiceSessionEvent] = field(default_factory=asyncio.Queue)

    async def send(self, pcm: bytes) -> None:
        self.heard += pcm

    async def played(self, samples: int) -> None:
        self.told_played.append(samples)

    async def events(self) -> AsyncIterator[VoiceSessionEvent]:
        while True:
            event = await self.said.get()
            yield event
            if isinstance(event, SessionEnded):
                return

    async def aclose(self) -> None:
        self.closed = True

    def say(self, *events: VoiceSessionEvent) -> None:
        for event in events:
            self.said.put_nowait(event)


@dataclass
class ScriptedPlace:
    """A place for conversations: open, or one that refuses."""

    refuses: bool = False
    sessions: list[ScriptedSession] = field(default_factory=list)
    personas: list[PersonaTexts | None] = field(default_factory=list)

    async def open(self, persona: PersonaTexts | None, language: str) -> ScriptedSession:  # noqa: ARG002
        if self.refuses:
            raise VoiceRefused("no room")
        self.personas.append(persona)
        self.sessions.append(ScriptedSession())
        return self.sessions[-1]


@dataclass
class Talk:
    conversation: VoiceConversation
    hub: ScriptedPlace
    device: ScriptedPlace
    announcer: Announcer
    capture: Path
    states: list[str]
    online: bool

    def levels(self) -> set[int]:
        return set(read_capture(self.capture).samples.tolist())


MakeTalk = Callable[..., "asynccontextmanager[Talk]"]  # type: ignore[valid-type]


@pytest.fixture
def make_talk(settings: Callable[..., Configuration], tmp_path: Path) -> MakeTalk:
    @asynccontextmanager
    async def make(
        *, online: bool = True, refuses: bool = False, local: bool = True, hears: bool = True, idle_s: float = 60.0
    ):  # type: ignore[no-untyped-def]
        capture, states = tmp_path / "heard.wav", list[str]()
        hub, device = ScriptedPlace(refuses), ScriptedPlace(not local)
        said = np.full(RATE // 5, 1234, "<i2").tobytes()

        def microphone() -> WavMicrophone:
            if not hears:
                raise NotReady("this computer has no microphone")
            blocks = (said[start : start + BLOCK_BYTES] for start in range(0, len(said), BLOCK_BYTES))
            return WavMicrophone("a test", blocks, 0.2)

        async with (
            SoundOutput(lambda mixer: NullSpeaker(mixer, capture)) as sound,
            Announcer(settings(), sound, tmp_path / "phrases") as announcer,
        ):
            conversation = VoiceConversation(
                sound,
                announcer,
                VoicePlaces(lambda: hub if talk.online else None, device),
                microphone,
                idle_s=idle_s,
                on_change=lambda: states.append(conversation.state),
            )
            talk = Talk(conversation, hub, device, announcer, capture, states, online)
            try:
                yield talk
            finally:
                await conversation.stop()

    return make  # type: ignore[return-value]


def tone(seconds: float, level: int) -> SpeakerSound:
    return SpeakerSound(np.full(round(seconds * RATE), level, "<i2").tobytes())


async def test_the_microphone_is_heard_and_the_answer_is_played(make_talk: MakeTalk) -> None:
    async with make_talk() as talk:
        persona = PersonaTexts("companion", "", {})
        talk.conversation.start(persona)
        await until(lambda: talk.hub.sessions)
        (session,) = talk.hub.sessions
        assert talk.hub.personas == [persona]
        await until(lambda: len(session.heard) >= RATE // 5 * 2)
        assert np.frombuffer(session.heard, "<i2")[: RATE // 5].tolist() == [1234] * (RATE // 5)
        assert talk.conversation.place == "hub"
        session.say(StateChanged("processing"), StateChanged("responding"), tone(0.3, 3000))
        await until(lambda: session.told_played and session.told_played[-1] == 0.3 * RATE)
        assert 3000 in talk.levels()
        session.say(StateChanged("listening"), SessionEnded("done"))
        await until(lambda: not talk.conversation.active)
        assert session.closed and talk.conversation.place == ""
        assert [state for state in talk.states if state != "idle"] == [
            *("processing", "listening", "processing", "responding", "listening")
        ]
        assert talk.conversation.state == "idle"


async def test_who_interrupts_stops_what_was_not_played_yet(make_talk: MakeTalk) -> None:
    async with make_talk() as talk:
        talk.conversation.start(None)
        await until(lambda: talk.hub.sessions)
        (session,) = talk.hub.sessions
        session.say(StateChanged("responding"), tone(60, 3000))
        await until(lambda: session.told_played)
        session.say(SoundFlushed(), StateChanged("listening"), tone(0.2, 5000))
        before = len(session.told_played)
        await until(lambda: 5000 in talk.levels())
        await until(lambda: session.told_played[before:] and session.told_played[-1] == 0.2 * RATE)


async def test_a_second_press_ends_it_at_once(make_talk: MakeTalk) -> None:
    async with make_talk() as talk:
        talk.conversation.start(None)
        await until(lambda: talk.hub.sessions)
        (session,) = talk.hub.sessions
        session.say(tone(60, 3000))
        await until(lambda: session.told_played)
        await talk.conversation.stop()
        assert session.closed and not talk.conversation.active


async def test_silence_ends_it(make_talk: MakeTalk) -> None:
    async with make_talk(idle_s=0.3) as talk:
        talk.conversation.start(None)
        await until(lambda: talk.hub.sessions)
        talk.hub.sessions[0].say(StateChanged("listening"))
        await until(lambda: not talk.conversation.active)
        assert talk.announcer.said == "Goodbye."


@pytest.mark.parametrize(
    ("online", "refuses", "says"), [(False, False, "I have no connection."), (True, True, "The others have no time")]
)
async def test_where_the_control_plane_is_away_or_refuses_the_device_answers_and_says_so(
    make_talk: MakeTalk, online: bool, refuses: bool, says: str
) -> None:
    async with make_talk(online=online, refuses=refuses) as talk:
        talk.conversation.start(None)
        await until(lambda: talk.device.sessions)
        assert talk.announcer.said.startswith(says)
        await until(lambda: talk.conversation.place == "device")
        assert not talk.hub.sessions


async def test_a_connection_that_breaks_in_the_middle_goes_on_here(make_talk: MakeTalk) -> None:
    async with make_talk() as talk:
        talk.conversation.start(None)
        await until(lambda: talk.hub.sessions)
        talk.online = False
        talk.hub.sessions[0].say(SessionEnded("the connection to the control plane was lost"))
        await until(lambda: talk.device.sessions)
        assert talk.hub.sessions[0].closed


async def test_without_any_voice_it_says_that_and_ends(make_talk: MakeTalk) -> None:
    async with make_talk(online=False, local=False) as talk:
        talk.conversation.start(None)
        await until(lambda: not talk.conversation.active)
        assert "can't talk with you now" in talk.announcer.said
        talk.device.refuses = False
        talk.conversation.start(None)
        await until(lambda: talk.device.sessions)


async def test_without_a_microphone_it_says_that_and_ends(make_talk: MakeTalk) -> None:
    async with make_talk(hears=False) as talk:
        talk.conversation.start(None)
        await until(lambda: not talk.conversation.active)
        assert "can't talk with you now" in talk.announcer.said
        assert all(session.closed for session in (*talk.hub.sessions, *talk.device.sessions))
