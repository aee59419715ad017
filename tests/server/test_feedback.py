"""Feedback over REST and over the live socket, on a mind without a robot: one for all tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect

from reachy_mind.access.tokens import Tokens
from reachy_mind.events import FeedbackGiven, ToolCalled
from reachy_mind.feedback.lessons import NewLesson
from reachy_mind.mind import Mind
from reachy_mind.server import live_feedback
from reachy_mind.server.app import AsgiApp
from tests.conftest import MODELS
from tests.server.served import Socket, serving, socket

pytestmark = pytest.mark.asyncio(loop_scope="module")

ANSWER_TIMEOUT_S = 60.0
LESSON = NewLesson("ada", "arguments", "dance", {"args": {"repeat": 2}, "weight": 1.0}, "", {}, "longer, please")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Mind]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACHY_MIND_HOME", str(tmp_path_factory.mktemp("feedback") / "home"))
        patch.setenv("REACHY_MIND_MODELS__FOLDER", str(MODELS))
        async with Mind(robot="none").session() as awake:
            yield awake


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(mind: Mind) -> AsyncIterator[str]:
    async with serving(mind) as place:
        yield place


@pytest_asyncio.fixture(loop_scope="module")
async def http(place: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://{place}/api/v1", trust_env=False, timeout=60) as client:
        yield client


async def recorded(http: httpx.AsyncClient, **about: Any) -> list[dict[str, Any]]:
    """What is listed, the latest first."""
    listed: list[dict[str, Any]] = (await http.get("feedback", params={"limit": 200} | about)).json()["feedback"]
    return listed


async def answers(line: Socket, count: int) -> list[dict[str, Any]]:
    async with asyncio.timeout(ANSWER_TIMEOUT_S):
        return [json.loads(await line.raw.recv()) for _ in range(count)]


async def test_words_ratings_and_buttons_are_recorded_about_their_turn(http: httpx.AsyncClient) -> None:
    said = (await http.post("chat", json={"message": "hello", "person": "Ada", "session_id": "first"})).json()
    for given, reward, source in (
        ({"rating": 0.3, "episode_id": said["trace_id"]}, 0.3, "rating"),
        ({"button": "bad", "turn": said["trace_id"]}, -0.5, "button"),
        ({"button": "great", "feedback_text": "well", "session_id": "first"}, 1.0, "button"),
        ({"rating": -0.4}, -0.4, "rating"),
    ):
        answer = await http.post("feedback", json=given)
        told = answer.json()
        assert answer.status_code == 200 and told["status"] == "received", told
        assert told["reward"] == reward and told["feedback"]["source"] == source
        assert told["feedback"]["about"]["turn"] == said["trace_id"] and told["feedback"]["person"] == "ada"
        assert (await recorded(http))[0] == told["feedback"], "it is on disk"
    assert await recorded(http, session_id="another") == []
    words = (await http.post("feedback", json={"text": "that was terrible", "session_id": "first"})).json()
    assert words["reward"] < 0 < words["confidence"] <= 1
    page = (await http.get("feedback", params={"offset": 1, "limit": 2})).json()
    assert page["feedback"] == (await recorded(http))[1:3] and page["total"] == 4  # one rating was replaced


async def test_a_later_rating_of_a_turn_replaces_the_earlier_one(http: httpx.AsyncClient) -> None:
    said = (await http.post("chat", json={"message": "hello", "session_id": "again"})).json()
    for button in ("great", "bad"):
        await http.post("feedback", json={"button": button, "episode_id": said["trace_id"]})
    assert [one["reward"] for one in await recorded(http, session_id="again")] == [-0.5]


async def test_when_it_was_said_tells_the_turn(http: httpx.AsyncClient) -> None:
    turns = [
        (await http.post("chat", json={"message": words, "session_id": "late"})).json()["trace_id"]
        for words in ("hello", "what time is it?")
    ]
    messages = (await http.get("session/late/history")).json()["messages"]
    assert [one["turn_id"] for one in messages if one["role"] == "assistant"] == turns
    second = [one for one in messages if one["role"] == "user"][1]["timestamp"]
    before = datetime.fromisoformat(second).timestamp() - 1e-4
    given = await http.post("feedback", json={"rating": 0.1, "session_id": "late", "timestamp": before})
    assert given.json()["feedback"]["about"]["turn"] == turns[0]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "no feedback"),
        ({"feedback_text": "  "}, "no feedback"),
        ({"rating": 1.5}, "rating"),
        ({"button": "superb"}, "button"),
        ({"rating": 0.5, "button": "good"}, "two ratings"),
        ({"button": "good", "episode_id": "of nobody"}, "turn"),
        ({"button": "good", "reward": 3}, "reward"),
        ({"feedback_text": "x" * 2001}, "2000"),
    ],
)
async def test_feedback_that_is_none_is_refused(http: httpx.AsyncClient, given: dict[str, Any], told: str) -> None:
    before = await recorded(http)
    answer = await http.post("feedback", json=given)
    assert answer.status_code == 422 and told in answer.json()["error"]["message"]
    assert await recorded(http) == before


@pytest.mark.parametrize(
    "given", [{"button": "stop"}, {"feedback_text": "stop it now!"}, {"text": "stop", "rating": 1}]
)
async def test_a_stop_acts_and_is_recorded(mind: Mind, http: httpx.AsyncClient, given: dict[str, Any]) -> None:
    with mind.bus.subscribe(ToolCalled, FeedbackGiven) as events:
        answer = await http.post("feedback", json=given)
        acted, noted = await events.get(), await events.get()
    assert answer.json()["error"]["code"] == "NOT_READY", "there is no robot that could be stopped, and it says so"
    assert isinstance(acted, ToolCalled) and acted.tool == "robot.stop", "it acts first"
    assert isinstance(noted, FeedbackGiven) and noted.feedback_id == (await recorded(http))[0]["id"]


async def test_what_was_learned_is_listed_undone_used_again_and_forgotten(mind: Mind, http: httpx.AsyncClient) -> None:
    (lesson,) = await mind.feedback.service.learn([LESSON])
    of_ada = {"person": "Ada"}
    listed = (await http.get("lessons", params=of_ada)).json()
    assert listed["total"] == 1
    told = listed["lessons"][0]
    assert told["id"] == lesson.id and told["words"] == LESSON.words and told["explanation"] and not told["undone"]
    for act, undone in (("undo", True), ("redo", False)):
        assert (await http.post(f"lessons/{lesson.id}/{act}")).json()["undone"] is undone
        assert (await http.get("lessons", params=of_ada)).json()["lessons"][0]["undone"] is undone
    assert (await http.post("lessons/999/undo")).json()["error"]["code"] == "NOT_FOUND"
    assert (await http.get("lessons", params={"person": ""})).json()["total"] == 0
    assert (await http.delete("lessons", params={"person": "Bob"})).json()["forgotten"] == 0
    assert (await http.delete("lessons", params=of_ada)).json()["forgotten"] == 1
    assert (await http.get("lessons")).json()["lessons"] == []


async def test_each_live_frame_is_answered(place: str, http: httpx.AsyncClient) -> None:
    async with socket(place, "live_feedback", "?session_id=live&person=Ada") as line:
        for frame, reward in (
            ({"type": "good"}, 0.5),
            ({"type": "great"}, 1.0),
            ({"type": "bad"}, -0.5),
            ({"type": "rating", "value": 0.7}, 0.7),
        ):
            await line.send(frame)
            told = await line.until("feedback")
            assert (told["status"], told["reward"]) == ("processed", reward)
            assert (await recorded(http))[0] == told["feedback"]
        assert told["feedback"]["person"] == "ada" and told["feedback"]["conversation"] == "live"
        for frame in ({"type": "text", "text": "that was wonderful"}, "that was wonderful"):
            await line.send(frame)  # type: ignore[arg-type]
            assert (await line.until("feedback"))["feedback"]["text"] == "that was wonderful"
        wrong_ones = ('{"type": "superb"}', "{", '{"type": "rating"}', '{"type": "rating", "value": 2}', b"\xff")
        for number, wrong in enumerate((*wrong_ones, '{"type": "text"}'), start=7):
            await line.send(wrong)
            assert (await line.until("error", number=number))["error"]["code"] == "INVALID_PARAMETER"
        await line.send({"type": "good", "turn": "of nobody"})
        assert "turn" in (await line.until("error"))["error"]["message"]


async def test_a_live_stop_acts_whatever_else_is_in_its_frame(mind: Mind, place: str) -> None:
    async with socket(place, "live_feedback") as line:
        for frame in ('{"type": "stop"}', '{"type": "stop", "value": 99}', '{"type": "text", "text": "stop!"}', "stop"):
            with mind.bus.subscribe(ToolCalled) as events:
                await line.send(frame)
                acted = await events.get()
            assert isinstance(acted, ToolCalled) and acted.tool == "robot.stop" and acted.channel == "live feedback"
            told = await line.until("error")
            assert told["error"]["code"] == "NOT_READY", "as POST /robot/stop without a robot"
            assert told["stopped"] is False and told["feedback"]["reward"] == -1, "and it is recorded"


async def test_a_flood_is_bounded_and_nothing_acknowledged_is_lost(place: str, http: httpx.AsyncClient) -> None:
    """A thousand frames at once, a stop among them."""
    before = (await http.get("feedback")).json()["total"]
    url = f"ws://{place}/api/v1/ws/live_feedback?session_id=flood"
    async with connect(url, proxy=None, max_queue=None, user_agent_header="one in a hurry") as raw:
        line = Socket(raw)
        for number in range(1, 1001):
            await line.send({"type": "stop"} if number == 900 else {"type": "good"})
        told = await answers(line, 1000)
    assert sorted(one["number"] for one in told) == list(range(1, 1001)), "each has one answer"
    kept = [one["feedback"]["id"] for one in told if one["type"] == "feedback"]
    refused = {one["error"]["code"] for one in told if one["type"] == "error" and one["number"] != 900}
    assert refused == {"BUSY"} and 0 < len(kept) <= live_feedback.MOST_WAITING + live_feedback.FRAMES_AT_ONCE
    stop = next(index for index, one in enumerate(told) if one["number"] == 900)
    last = max(index for index, one in enumerate(told) if one["type"] == "feedback")
    assert told[stop]["error"]["code"] == "NOT_READY", "it was not refused, and got through to a mind without a robot"
    assert stop < last, "it overtook what waited"
    listed = await recorded(http, session_id="flood")
    assert {one["id"] for one in listed} >= set(kept[-150:])
    assert (await http.get("feedback")).json()["total"] == before + len(kept) + 1


async def test_what_was_sent_before_the_socket_closed_is_recorded(mind: Mind, place: str) -> None:
    with mind.bus.subscribe(FeedbackGiven) as events:
        async with socket(place, "live_feedback", "?session_id=left") as line:
            for _ in range(20):
                await line.send({"type": "good"})
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            assert {(await events.get()).conversation for _ in range(20)} == {"left"}  # type: ignore[attr-defined]


async def test_a_stop_acts_though_its_client_reads_nothing(mind: Mind) -> None:
    frames = [{"type": "websocket.connect"}, *({"type": "websocket.receive", "text": "{}"} for _ in range(3000))]
    frames.append({"type": "websocket.receive", "text": '{"type": "stop"}'})
    left = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if frames:
            return frames.pop(0)
        await left.wait()
        return {"type": "websocket.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] != "websocket.accept":
            await left.wait()

    scope = {
        "type": "websocket",
        "path": "/api/v1/ws/live_feedback",
        "headers": [(b"host", b"127.0.0.1")],
        "query_string": b"",
        "client": ("127.0.0.1", 1),
        "subprotocols": [],
        "scheme": "ws",
    }
    with mind.bus.subscribe(ToolCalled) as events:
        serving_it = asyncio.create_task(AsgiApp(mind)(scope, receive, send))
        async with asyncio.timeout(ANSWER_TIMEOUT_S):
            acted = await events.get()
            assert isinstance(acted, ToolCalled) and acted.tool == "robot.stop"
            left.set()
            await serving_it


async def test_who_may_only_read_may_stop_and_teach_nothing(mind: Mind, place: str, http: httpx.AsyncClient) -> None:
    _, token = Tokens(mind.configuration.home).new("reader", ("read",))
    headers = {"Authorization": f"Bearer {token}"}
    before = (await http.get("feedback")).json()["total"]
    async with connect(f"ws://{place}/api/v1/ws/live_feedback", additional_headers=headers, proxy=None) as raw:
        line = Socket(raw)
        await line.send({"type": "good"})
        assert (await line.until("error"))["error"]["code"] == "PERMISSION_DENIED"
        await line.send({"type": "stop"})
        assert (await line.until("error"))["error"]["code"] == "NOT_READY"
    for method, route in (("POST", "feedback"), ("POST", "lessons/1/undo"), ("DELETE", "lessons?person=")):
        answer = await http.request(method, route, headers=headers)
        assert answer.json()["error"]["code"] == "PERMISSION_DENIED"
    assert (await http.get("feedback", headers=headers)).json()["total"] == before
