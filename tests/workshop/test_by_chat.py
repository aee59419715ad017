"""What the robot can't do, asked for by chat without a model: made, tried, approved, run, and called again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest
import pytest_asyncio

from reachy_mind.config.configuration import load
from reachy_mind.conversation.chat_session import ChatSession
from reachy_mind.conversation.events import ChatEvent, InTurn
from reachy_mind.conversation.response import Response
from reachy_mind.events import ConfirmationAsked, Subscription, ToolCalled
from reachy_mind.mind import Mind
from tests.conftest import MODELS
from tests.waiting import until

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.simulator,
    pytest.mark.process,
]
MADE_S = 90.0
"""A trial starts a process and a world of its own."""


@dataclass
class Person:
    """Somebody who chats, and says yes to what is asked."""

    session: ChatSession
    questions: list[str] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    async def read(self) -> None:
        async for event in self.session.events():
            self._take(event)

    def _take(self, event: ChatEvent) -> None:
        match event:
            case ConfirmationAsked():
                self.questions.append(event.consequence)
                self.session.answer(event.confirmation_id, approved=True)
            case InTurn(event=Response() as response):
                self.responses.append(response)

    def say(self, text: str) -> None:
        self.questions.clear()
        self.responses.clear()
        self.session.say(text)

    async def answer(self, within: float = MADE_S) -> Response:
        await until(lambda: self.responses, within)
        return self.responses[0]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Mind]:
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags = {"mind.brain": "reflex", "robot.address": "sim", "robot.idle": False}
    async with Mind(load(flags=flags, environ=environ, folder=home)).session() as awake:
        yield awake


@pytest_asyncio.fixture(loop_scope="module")
async def person(mind: Mind) -> AsyncIterator[Person]:
    async with ChatSession(mind, "page") as session:
        somebody = Person(session)
        reading = asyncio.create_task(somebody.read())
        yield somebody
        reading.cancel()


@pytest.mark.timeout(180)
async def test_photos_are_taken_by_a_tool_that_is_then_called_by_its_words(mind: Mind, person: Person) -> None:
    person.say("I need you to take photos every second for 2 seconds")
    made = await person.answer()
    assert [call.name for call in made.tool_calls] == ["create_tool"]
    [asked] = person.questions
    assert "take photo repeatedly" in asked and "Every 1 second for 2 seconds" in asked and "my camera" in asked
    assert "try it out" in made.text or "test it" in made.text
    assert "I can do that now" in made.text and "2 photos are in my photo folder" in made.text
    assert len(list(mind.configuration.home.photos_folder.glob("*.jpg"))) == 2

    person.say("please take photos every second for 3 seconds")
    again = await person.answer()
    assert not person.questions, "the same program needs no second approval"
    [call] = again.tool_calls
    assert (call.name, call.args) == ("take_photo_repeatedly", {"interval_s": 1.0, "duration_s": 3.0})
    assert "3 photos are in my photo folder" in again.text

    person.say("stop using the photo tool")
    assert [call.name for call in (await person.answer()).tool_calls] == ["deactivate_tool"]
    assert "take_photo_repeatedly" not in {tool.name for tool in mind.toolbox.registry}


@pytest.mark.timeout(180)
async def test_an_alert_reaches_the_person_who_asked_for_it(mind: Mind, person: Person) -> None:
    ball = {"shape": "sphere", "size": [0.08], "position": [0.45, 0.0], "color": [0, 0, 1], "label": "ball"}
    with mind.bus.subscribe(ToolCalled) as calls:
        person.say("monitor the table every second for 8 seconds and alert me if something new appears")
        await asyncio.wait_for(_called(calls, "perception.detect_objects"), MADE_S)
        async with httpx.AsyncClient(base_url=mind.body().address.http, trust_env=False) as scene:
            (await scene.post("/sim/v1/objects", json=ball)).raise_for_status()
        spoken = await asyncio.wait_for(_called(calls, "voice.speak"), MADE_S)
    assert "my camera" in person.questions[0] and "my voice" in person.questions[0]
    assert "ball" in spoken.arguments["text"] and spoken.status == "ok", spoken
    assert "I'll tell you when it is done" in (await person.answer()).text


async def _called(calls: Subscription, tool: str) -> ToolCalled:
    async for event in calls:
        if isinstance(event, ToolCalled) and event.tool == tool:
            return event
    raise AssertionError("the bus is closed")
