"""A spoken conversation with a Realtime server that listens and speaks; room and server are fakes.

Voices are noise: the fake server detects speech by loudness, and the test gives it the transcript. All tests share one
mind.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from reachy_mind.config.configuration import load
from reachy_mind.conversation.events import VoiceEvent
from reachy_mind.conversation.spoken import SpokenConversation
from reachy_mind.events import Event, ReplyGrew, ToolCalled, TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.speech.events import Transcription
from reachy_mind.speech.transcriber import Transcript
from reachy_mind.speech.voice_cache import CachedVoice
from tests.conftest import MODELS
from tests.fakes.realtime_server import Calls, RealtimeServer, Speaks, noise_of
from tests.fakes.sound import Room
from tests.speech.conftest import needs_flite, said
from tests.waiting import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]
RATE = 16000


class OwnEars:
    """What hears while no server does: it understands what a test says it does."""

    name, languages = "own ears", ("en",)

    def __init__(self) -> None:
        self.understands = ""

    async def transcribe(
        self,
        pcm: bytes,
        *,
        language: str = "",  # noqa: ARG002
        rated: bool = False,  # noqa: ARG002
        words: Sequence[str] = (),  # noqa: ARG002
    ) -> Transcript:
        return Transcript(self.understands, "en", len(pcm) / 2 / RATE, 0.0)

    async def warm(self) -> None: ...
    async def aclose(self) -> None: ...


class OwnVoice:
    """What speaks while no server does; `said` is what it said in a test, `made` all it ever said or rehearsed."""

    name, languages = "own voice", ("en",)

    def __init__(self) -> None:
        self.said: list[str] = []
        self.made: list[str] = []

    async def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:
        self.said.append(text)
        self.made.append(text)
        yield noise_of(0.2, RATE)

    async def warm(self) -> None: ...
    async def aclose(self) -> None: ...


class Scene:
    """A room, a server, a mind, and what happens."""

    def __init__(self, server: RealtimeServer, room: Room, mind: Mind, talking: SpokenConversation) -> None:
        self.server, self.room, self.mind, self.talking = server, room, mind, talking
        self.events: list[Event] = []

    async def hear(self, text: str, seconds: float = 0.3) -> None:
        """A person says this."""
        self.server.hears.append(text)
        await self.room.say(noise_of(seconds, RATE))

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def answers(self) -> list[str]:
        return [event.reply for event in self.of(TurnEnded)]

    @property
    def played_s(self) -> float:
        return len(self.room.played) / RATE

    async def until_silent(self, after_s: float) -> None:
        """It has spoken for so long, and does not go on."""
        await until(lambda: self.played_s >= after_s and not self.talking.described()["speaking"])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def own() -> tuple[OwnEars, OwnVoice]:
    return OwnEars(), OwnVoice()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    tmp_path_factory: pytest.TempPathFactory, own: tuple[OwnEars, OwnVoice]
) -> AsyncIterator[tuple[RealtimeServer, Room, Mind, SpokenConversation]]:
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(RealtimeServer())
        room = await stack.enter_async_context(Room(echo=0.0))
        flags = {"robot.address": "none", "mind.brain": "realtime", "realtime.url": server.url}
        mind = await stack.enter_async_context(Mind(load(flags=flags, environ=environ, folder=home)).session())
        talking = SpokenConversation(mind.speech.parts, own[0], CachedVoice(own[1]), media=room.media)
        yield server, room, mind, await stack.enter_async_context(talking)
        assert server.wrong == []


@pytest_asyncio.fixture(loop_scope="module")
async def scene(
    shared: tuple[RealtimeServer, Room, Mind, SpokenConversation], own: tuple[OwnEars, OwnVoice]
) -> AsyncIterator[Scene]:
    scene = Scene(*shared)
    await until(lambda: bool(scene.server.talks))
    await scene.until_silent(0.0)
    scene.server.plans.clear()
    scene.server.hears.clear()
    scene.server.cancelled.clear()
    scene.room.played = scene.room.played[:0]
    own[1].said.clear()
    with scene.mind.bus.subscribe(TurnStarted, ReplyGrew, TurnEnded, ToolCalled) as events:

        async def listen() -> None:
            async for event in events:
                scene.events.append(event)

        listening = asyncio.create_task(listen())
        yield scene
        listening.cancel()


async def test_a_question_is_heard_there_answered_there_and_is_a_turn_as_any_other(scene):
    scene.server.plans += [Calls("get_time"), Speaks("It is noon.", 0.5)]
    await scene.hear("What time is it?")
    await until(lambda: bool(scene.answers))
    await scene.until_silent(0.45)
    assert [(event.text, event.spoken) for event in scene.of(TurnStarted)] == [("What time is it?", True)]
    assert "".join(event.text for event in scene.of(ReplyGrew)) == "It is noon."
    assert [(event.reply, event.brain, event.error) for event in scene.of(TurnEnded)] == [
        ("It is noon.", "realtime", None)
    ]
    assert [(event.tool, event.channel) for event in scene.of(ToolCalled)] == [("time.get_time", "brain:realtime")]
    assert scene.played_s == pytest.approx(0.5, abs=0.05), "its own voice, and no other"
    turns, _ = await scene.mind.conversations.turns(scene.talking.conversation)
    assert (turns[-1].said, turns[-1].reply) == ("What time is it?", "It is noon.")
    assert "user: What time is it?" in scene.server.talk.words, "as it was heard there, not told again"
    assert scene.server.talk.words.count("user: What time is it?") == 1


async def test_who_interrupts_ends_it_there_and_what_was_not_heard_was_not_said(scene):
    scene.server.plans += [Speaks("A story that goes on and on and on.", 60.0, pace=8.0), Speaks("Monday.", 0.3)]
    await scene.hear("Tell me a story.")
    await until(lambda: scene.played_s > 0.6)
    talk = scene.server.talk
    story = talk.items[-1]["id"]
    await scene.hear("What day is it?", 1.0)
    await until(lambda: "Monday." in scene.answers)
    heard_s = talk.truncated[story] / 1000
    await scene.until_silent(heard_s + 0.25)
    assert heard_s >= 0.6 and scene.played_s == pytest.approx(heard_s + 0.3, abs=0.06), "all that was played of it"
    assert len(scene.server.cancelled) == 1, "and it was told to stop"
    assert scene.of(TurnEnded)[0].error["code"] == "INTERRUPTED"


async def test_mhm_changes_nothing_and_is_forgotten(scene):
    scene.server.plans += [Speaks("One two three four five six.", 2.0), Speaks("You are welcome.", 0.2)]
    await scene.hear("Count for me.")
    await until(lambda: scene.played_s > 0.3)
    await scene.hear("Mhm.", 0.2)
    await scene.until_silent(1.95)
    await scene.hear("Thank you.")
    await until(lambda: "You are welcome." in scene.answers)
    await scene.until_silent(2.05)
    assert [event.error for event in scene.of(TurnEnded)] == [None, None]
    assert "user: Mhm." not in scene.server.talk.words and "user: Thank you." in scene.server.talk.words


async def test_stop_is_for_no_server_to_decide(scene, own):
    scene.server.plans += [Speaks("A very long speech.", 60.0, pace=8.0)]
    await scene.hear("Hold a speech.")
    await until(lambda: scene.played_s > 0.3)
    asked = sum(event["type"] == "response.create" for event in scene.server.received)
    await scene.hear("Stop!", 0.3)
    await until(lambda: len(scene.answers) == 2)
    assert scene.answers[1] == "Stopped."
    assert scene.of(ToolCalled)[-1].tool == "robot.stop"
    assert sum(event["type"] == "response.create" for event in scene.server.received) == asked
    await scene.until_silent(scene.played_s)
    assert scene.played_s < 15 and len(scene.server.cancelled) == 1


async def test_a_question_of_the_gate_is_asked_and_answered_aloud(scene, own):
    scene.server.plans += [Calls("forget_memory", '{"query": "tea"}'), Speaks("It stays.", 0.2)]
    await scene.hear("Forget that I like tea.")
    await until(lambda: any("Shall I?" in text for text in own[1].said))
    await scene.until_silent(0.2)
    before_s = scene.played_s
    await scene.hear("No.")
    await until(lambda: "It stays." in scene.answers)
    await scene.until_silent(before_s + 0.15)
    assert [event.status for event in scene.of(ToolCalled)] == ["denied"]


async def test_a_line_that_is_cut_in_mid_sentence_is_told_and_then_the_conversation_goes_on(scene, own):
    scene.server.plans += [Speaks("This will not be heard to its end.", 60.0, pace=8.0)]
    await scene.hear("Tell me something.")
    await until(lambda: scene.played_s > 0.3)
    lines = len(scene.server.talks)
    await scene.server.cut()
    await until(lambda: bool(scene.of(TurnEnded)))
    assert "I lost the connection" in scene.of(TurnEnded)[0].reply
    await until(lambda: any("I lost the connection" in text for text in own[1].said))
    await until(lambda: len(scene.server.talks) == lines + 1)
    await scene.until_silent(scene.played_s + 0.1)
    scene.server.plans += [Speaks("We were talking.", 0.2)]
    await scene.hear("Where were we?")
    before_s = scene.played_s
    await until(lambda: "We were talking." in scene.answers)
    await scene.until_silent(before_s + 0.15)
    assert "user: Tell me something." in scene.server.talk.words, "the new line knows what was said before"
    assert scene.server.talk.words[-2:] == ["user: Where were we?", "assistant: We were talking."]


@needs_flite
async def test_without_a_server_our_own_ears_and_voice_serve(scene, own):
    from reachy_mind.speech import flite

    scene.server.mood = "refuses"
    await scene.server.cut()
    own[0].understands = "What time is it?"
    await scene.room.say(await said(flite.voice("rms"), "What time is it?"))
    await until(lambda: any("does not accept my key" in text for text in own[1].said))
    assert [event.text for event in scene.of(TurnStarted)] == ["What time is it?"]
    scene.server.mood = "well"


@needs_flite
async def test_who_has_to_be_called_is_heard_by_nobody_else_until_then(tmp_path, own):
    from reachy_mind.speech import flite

    person = flite.voice("rms")
    events: list[VoiceEvent] = []
    environ = {"REACHY_MIND_HOME": str(tmp_path), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags = {"robot.address": "none", "mind.brain": "realtime", "speech.wake": "name"}
    async with RealtimeServer() as server, Room(echo=0.0) as room:
        settings = load(flags=flags | {"realtime.url": server.url}, environ=environ, folder=tmp_path)
        async with (
            Mind(settings, memory=False).session() as mind,
            SpokenConversation(
                mind.speech.parts, own[0], CachedVoice(own[1]), media=room.media, on_event=events.append
            ) as talking,
        ):
            scene = Scene(server, room, mind, talking)
            await until(lambda: bool(server.talks))
            own[0].understands = "It was nice in Lisbon."
            await room.say(await said(person, "It was nice in Lisbon."))
            await until(lambda: any(isinstance(event, Transcription) and event.final for event in events))
            assert [event["type"] for event in server.received] == ["session.update"], "nothing was sent of it"
            own[0].understands = "Reachy, what time is it?"
            server.plans += [Speaks("Noon.", 0.3)]
            await room.say(bytes(4 * RATE) + await said(person, "Reachy, what time is it?"))
            await scene.until_silent(0.25)
            assert server.talk.words == ["user: what time is it?", "assistant: Noon."]
            await server.until("input_audio_buffer.append")  # from now on it need not be called
