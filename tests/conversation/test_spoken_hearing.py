"""A spoken conversation with ears that are not sure: what is chosen, asked back, and done after a yes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from reachy_mind.config.configuration import load
from reachy_mind.conversation.events import VoiceEvent
from reachy_mind.conversation.response import Response
from reachy_mind.conversation.spoken import SpokenConversation
from reachy_mind.conversation.wire import voice_frame
from reachy_mind.events import ToolCalled
from reachy_mind.mind import Mind
from reachy_mind.speech.events import Transcription
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.transcriber import Alternative, Transcript
from reachy_mind.speech.voice_cache import CachedVoice
from tests.conftest import MODELS
from tests.fakes.sound import Room
from tests.speech.conftest import needs_flite, said
from tests.waiting import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]
TIMER = "Set a timer for ten minutes."


class UnsureEars:
    """They understand what a test says, and remember which words they were to expect."""

    name, languages = "unsure ears", ("en",)

    def __init__(self) -> None:
        self.understand: tuple[Alternative, ...] = ()
        self.expected: Sequence[str] = ()

    async def transcribe(
        self, pcm: bytes, *, language: str = "", rated: bool = False, words: Sequence[str] = ()
    ) -> Transcript:
        assert language == "en" and rated
        self.expected = words
        best = self.understand[0]
        return Transcript(best.text, "en", len(pcm) / 32000, 0.0, best.confidence, self.understand)

    async def warm(self) -> None: ...
    async def aclose(self) -> None: ...


class SilentVoice:
    name, languages = "silent voice", ("en",)

    async def synthesize(self, text: str) -> AsyncGenerator[bytes, None]:  # noqa: ARG002
        yield bytes(3200)

    async def warm(self) -> None: ...
    async def aclose(self) -> None: ...


@dataclass
class Talk:
    mind: Mind
    room: Room
    ears: UnsureEars
    spoken: SpokenConversation
    events: list[VoiceEvent] = field(default_factory=list)

    async def hear(self, *ways: Alternative) -> str:
        """The reply to what was heard."""
        heard = Heard(ways[0].text, confidence=ways[0].confidence, alternatives=ways)
        return "".join([say.text async for say in self.spoken.respond(heard)])

    async def timers(self) -> int:
        return len(await self.mind.timers.waiting())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def talk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Talk]:
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags = {"robot.address": "none", "mind.brain": "reflex", "speech.ears": "none"}
    events: list[VoiceEvent] = []
    async with AsyncExitStack() as stack:
        room = await stack.enter_async_context(Room(echo=0.0))
        mind = await stack.enter_async_context(Mind(load(flags=flags, environ=environ, folder=home)).session())
        assert mind.memory is not None
        await mind.memory.store("Priya is allergic to nuts", person="")
        ears = UnsureEars()
        spoken = SpokenConversation(
            mind.speech.parts, ears, CachedVoice(SilentVoice()), media=room.media, on_event=events.append
        )
        await stack.enter_async_context(spoken)
        yield Talk(mind, room, ears, spoken, events)


async def test_what_is_uncertain_and_would_do_something_waits_for_a_yes(talk: Talk) -> None:
    before = await talk.timers()
    assert await talk.hear(Alternative(TIMER, 0.3, -4.0)) == 'Did you say "Set a timer for ten minutes"?'
    assert await talk.timers() == before
    assert "10 minutes" in await talk.hear(Alternative("Yes.", 0.9, -0.1))
    assert await talk.timers() == before + 1


async def test_a_no_drops_it_and_a_sure_request_is_done_at_once(talk: Talk) -> None:
    before = await talk.timers()
    await talk.hear(Alternative(TIMER, 0.3, -4.0))
    assert await talk.hear(Alternative("No.", 0.9, -0.1)) == "All right."
    assert await talk.timers() == before
    await talk.hear(Alternative(TIMER, 0.95, -0.3))
    assert await talk.timers() == before + 1


async def test_an_uncertain_stop_stops(talk: Talk) -> None:
    with talk.mind.bus.subscribe(ToolCalled) as calls:
        await talk.hear(Alternative("Stop.", 0.1, -3.0))
        called = await calls.get()
    assert isinstance(called, ToolCalled) and called.tool.endswith("stop")


@needs_flite
async def test_the_ears_expect_names_and_what_makes_sense_is_chosen(talk: Talk) -> None:
    from reachy_mind.speech import flite

    talk.events.clear()
    talk.ears.understand = (Alternative("Wet time is it?", 0.7, -1.5), Alternative("What time is it?", 0.7, -1.6))
    await talk.room.say(await said(flite.voice("rms"), "What time is it?"))
    await until(lambda: any(isinstance(event, Response) for event in talk.events))
    final = next(event for event in talk.events if isinstance(event, Transcription) and event.final)
    assert (final.text, final.confidence) == ("What time is it?", 0.7)
    told = voice_frame(final)
    assert told["type"] == "transcription"
    assert [way["text"] for way in told["alternatives"]] == ["Wet time is it?", "What time is it?"]
    assert {"Reachy", "Priya", "timer", "nod", "happy"} <= set(talk.ears.expected)
    assert not {"allergic", "look", "the"} & set(talk.ears.expected)
