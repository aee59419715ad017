"""REST and sockets of the mind, as a program on this machine uses them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from reachy_mind import __version__
from reachy_mind.body.address import Address
from reachy_mind.brains.brain import Called, Said, Thought, ToolCall, Turn
from reachy_mind.events import Announced
from reachy_mind.mind import Mind
from tests.server.served import Socket, calling, serving, socket
from tests.waiting import until

CANCEL = {"tool_name": "task_cancel", "parameters": {"task_id": "nothing"}}
"""A call that takes a person's yes, and does no harm."""


@pytest.fixture
async def place(mind: Mind) -> AsyncIterator[str]:
    async with serving(mind) as address:
        yield address


def error_of(answer: httpx.Response, status: int) -> dict[str, str]:
    """The error, which has one form."""
    assert answer.status_code == status, answer.text
    content = answer.json()
    assert set(content) == {"error"} and set(content["error"]) == {"code", "message", "hint"}
    assert content["error"]["code"] and content["error"]["message"]
    return content["error"]  # type: ignore[no-any-return]


async def execute(http: httpx.AsyncClient, tool: str, **parameters: Any) -> dict[str, Any]:
    answer = await http.post("tools/execute", json={"tool_name": tool, "parameters": parameters})
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


# Chat


async def test_a_chat_is_answered_and_goes_on(http: httpx.AsyncClient) -> None:
    first = (await http.post("chat", json={"message": "what time is it?"})).json()
    assert first["tools_called"] == ["get_time"], "names, as the source has it"
    assert first["tool_calls"] == [{"name": "get_time", "args": {}, "status": "ok"}]
    assert first["agent_used"] == "reflex" and first["response"].startswith("It is ") and first["trace_id"]
    assert 0 <= first["latency_ms"] <= first["duration_ms"] and first["error"] is None
    again = (await http.post("chat", json={"message": "again", "session_id": first["session_id"]})).json()
    assert again["session_id"] == first["session_id"]
    assert [call["name"] for call in again["tool_calls"]] == ["get_time"], "it knows what was said before"


async def test_a_chat_comes_as_a_stream(http: httpx.AsyncClient) -> None:
    answer = await http.post("chat", json={"message": "what time is it?", "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    frames = [dict(line.split(": ", 1) for line in frame.splitlines()) for frame in answer.text.strip().split("\n\n")]
    events = [json.loads(frame["data"]) for frame in frames]
    assert [frame["event"] for frame in frames] == [event["type"] for event in events] == ["tool", "delta", "done"]
    assert events[2]["reply"] == events[1]["text"] and events[2]["tools"][0]["name"] == "get_time"


async def test_a_stream_tells_what_is_wrong(http: httpx.AsyncClient) -> None:
    answer = await http.post("chat", json={"message": "   ", "stream": True})
    assert answer.text.startswith("event: error\n") and "INVALID_PARAMETER" in answer.text


@pytest.mark.parametrize(
    "content",
    [
        {},
        [],
        "hello",
        {"message": ""},
        {"message": "   "},
        {"message": "x" * 30_000},
        {"message": 5},
        {"message": "hi", "mesage": 1},
        {"message": "hi", "session_id": "x" * 65},
        {"message": "hi", "session_id": "a\nb"},
        {"message": "hi", "profile": "pirate"},
    ],
)
async def test_what_is_no_message_is_refused(http: httpx.AsyncClient, content: Any) -> None:
    assert error_of(await http.post("chat", json=content), 422)["code"] == "INVALID_PARAMETER"


class Slow:
    """A brain that says something and then thinks for as long as it is let, unless it is told to be quick."""

    name = "slow"

    def __init__(self) -> None:
        self.thinking = 0

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self.thinking += 1
        try:
            yield Said("Well.")
            if turn.text != "quick":
                await asyncio.sleep(3600)
            yield Called(ToolCall("get_time", {}, await turn.call("get_time", {})))
            yield Said("That was it.")
        finally:
            self.thinking -= 1


async def test_a_reader_who_leaves_a_stream_cuts_the_turn_short() -> None:
    brain = Slow()
    async with Mind(robot="none", brain=brain).session() as mind, serving(mind) as place:
        async with (
            httpx.AsyncClient(trust_env=False) as client,
            client.stream("POST", f"http://{place}/api/v1/chat", json={"message": "go", "stream": True}) as answer,
        ):
            assert await anext(answer.aiter_lines()) == "event: delta" and brain.thinking == 1
        await until(lambda: not brain.thinking and mind.state == "ready")
        async with calling(mind) as http:
            (session,) = (await http.get("session")).json()["sessions"]
            history = (await http.get(f"session/{session['session_id']}/history")).json()["messages"]
            assert history[1]["state"] == "interrupted" and history[1]["content"] == "Well."


async def test_words_before_and_after_a_call_are_parted() -> None:
    async with Mind(robot="none", brain=Slow()).session() as mind, calling(mind) as http:
        assert (await http.post("chat", json={"message": "quick"})).json()["response"] == "Well. That was it."


# Sessions


async def test_sessions_are_listed_read_by_the_page_and_forgotten(http: httpx.AsyncClient) -> None:
    ids = [(await http.post("chat", json={"message": f"hello {n}", "session_id": f"s{n}"})).json()["session_id"]
           for n in range(3)]  # fmt: skip
    for _ in range(2):
        await http.post("chat", json={"message": "what time is it?", "session_id": "s0"})
    listed = (await http.get("session")).json()
    assert listed["total"] == 3 and [row["session_id"] for row in listed["sessions"]] == ["s0", "s2", "s1"]
    assert listed["sessions"][0]["message_count"] == 6 and listed["sessions"][0]["created_at"].endswith("+00:00")
    page = (await http.get("session", params={"offset": 1, "limit": 1})).json()
    assert [row["session_id"] for row in page["sessions"]] == ["s2"] and page["total"] == 3

    one = (await http.get("session/s0")).json()
    assert (one["message_count"], one["active_agent"]) == (6, "reflex")
    history = (await http.get("session/s0/history")).json()
    assert [message["role"] for message in history["messages"]] == ["user", "assistant"] * 3 and history["total"] == 3
    assert history["messages"][0]["content"] == "hello 0" and history["messages"][3]["tools"][0]["name"] == "get_time"
    latest = (await http.get("session/s0/history", params={"limit": 1})).json()["messages"]
    oldest = (await http.get("session/s0/history", params={"limit": 1, "offset": 2})).json()["messages"]
    assert [message["content"] for message in (latest[0], oldest[0])] == ["what time is it?", "hello 0"]

    assert (await http.delete("session/s0")).json() == {"deleted": "s0"}
    for answer in (
        await http.delete("session/s0"),
        await http.get("session/s0"),
        await http.get("session/s0/history"),
    ):
        assert error_of(answer, 404)["code"] == "NOT_FOUND"
    assert [row["session_id"] for row in (await http.get("session")).json()["sessions"]] == list(reversed(ids[1:]))


@pytest.mark.parametrize("page", [{"offset": -1}, {"limit": 0}, {"limit": 10**6}, {"offset": 10**30}, {"limit": "a"}])
async def test_a_page_that_is_none_is_refused(http: httpx.AsyncClient, page: dict[str, Any]) -> None:
    for route in ("session", "session/x/history", "tools", "tasks", "audit"):
        assert error_of(await http.get(route, params=page), 422)["code"] == "INVALID_PARAMETER"


# Tools


async def test_tools_are_listed_with_schema_and_tier(http: httpx.AsyncClient) -> None:
    told = (await http.get("tools")).json()
    tools = {tool["name"]: tool for tool in told["tools"]}
    assert told["total"] == len(tools) > 40
    nod, cancel, making = tools["nod"], tools["task_cancel"], tools["create_tool"]
    assert nod["parameters"]["properties"]["times"]["maximum"] == 5 and (nod["source"], nod["origin"]) == (
        "predefined",
        "built-in",
    )
    assert (nod["tier"], nod["tier_name"], nod["group"], nod["ready"]) == (1, "autonomous", "robot", True)
    assert (cancel["tier"], cancel["tier_name"]) == (3, "confirm") and cancel["reason"]
    assert (making["tier_name"], making["group"], making["ready"]) == ("notify", "workshop", True)
    assert not {"look", "goto", "perform"} & set(tools), "exact commands are not offered"
    page = (await http.get("tools", params={"offset": 1, "limit": 2})).json()["tools"]
    assert [tool["name"] for tool in page] == [tool["name"] for tool in told["tools"][1:3]]


async def test_a_tool_is_executed(http: httpx.AsyncClient) -> None:
    told = await execute(http, "get_time", place="Tokyo")
    assert (told["status"], told["outcome"], told["tier"], told["error"]) == ("success", "ok", 1, None)
    assert told["result"]["timezone"] == "Asia/Tokyo" and told["execution_time"] >= 0 and told["call_id"]


@pytest.mark.parametrize(
    ("tool", "parameters", "outcome", "code"),
    [
        ("nod", {}, "error", "NOT_READY"),
        ("get_tyme", {}, "error", "UNKNOWN_TOOL"),
        ("nod", {"times": 50}, "error", "INVALID_PARAMETER"),
        ("get_time", {"where": "Tokyo"}, "error", "INVALID_PARAMETER"),
        ("task_cancel", {"task_id": "x"}, "denied", "NOT_CONFIRMED"),
        ("task_cancel", {"task_id": "x", "confirmed": True}, "error", "INVALID_PARAMETER"),
        ("take_photo", {}, "error", "NOT_READY"),
    ],
)
async def test_a_tool_that_is_not_done_says_why(
    http: httpx.AsyncClient, tool: str, parameters: dict[str, Any], outcome: str, code: str
) -> None:
    told = await execute(http, tool, **parameters)
    assert (told["status"], told["outcome"], told["result"]) == ("error", outcome, None)
    assert told["error"]["code"] == code and told["error"]["hint"] and told["call_id"]


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"tool_name": ""},
        {"tool_name": "nod", "parameters": [1]},
        {"tool_name": "nod", "args": {}},
        {"tool_name": "x" * 500},
        {"tool_name": "get_time", "call_id": ""},
        {"tool_name": "get_time", "caller": "brain"},
    ],
)
async def test_a_call_that_is_none_is_refused(http: httpx.AsyncClient, content: Any) -> None:
    assert error_of(await http.post("tools/execute", json=content), 422)["code"] == "INVALID_PARAMETER"


async def test_the_same_call_id_is_one_call(http: httpx.AsyncClient) -> None:
    wish = {"tool_name": "set_timer", "parameters": {"minutes": 5}, "call_id": "once"}
    answers = await asyncio.gather(*(http.post("tools/execute", json=wish) for _ in range(3)))
    assert len({answer.text for answer in answers}) == 1
    assert len((await execute(http, "list_timers"))["result"]["timers"]) == 1
    other = (await http.post("tools/execute", json=wish | {"parameters": {"minutes": 6}})).json()
    assert other["status"] == "error" and other["error"]["code"] == "INVALID_PARAMETER"


async def test_a_call_is_cut_short_by_its_id(mind: Mind, http: httpx.AsyncClient) -> None:
    wish = {"tool_name": "background_demo", "parameters": {"seconds": 20}, "call_id": "long"}
    running = asyncio.create_task(http.post("tools/execute", json=wish))
    await until(lambda: mind.toolbox._running)
    assert (await http.delete("tools/calls/long")).json() == {"call_id": "long", "cancelled": True}
    assert (await running).json()["outcome"] == "cancelled"
    assert (await http.delete("tools/calls/long")).json()["cancelled"] is False


@pytest.mark.parametrize(
    ("route", "tool"),
    [
        ("robot/look", "look"),
        ("robot/goto", "goto"),
        ("robot/wake", "wake"),
        ("robot/sleep", "lie_down"),
        ("moves/play", "perform"),
        ("moves/record", "record_move"),
    ],
)
async def test_exact_commands_pass_the_same_gate(home: Path, route: str, tool: str) -> None:
    rules(home, "rules:\n- {pattern: robot.*, tier: forbidden, reason: not today}\n")
    async with Mind(robot="none").session() as mind, calling(mind) as http:
        args = {"name": "nod"} if tool in ("perform", "record_move") else {}
        refused = error_of(await http.post(route, json=args), 403)
        assert refused["code"] == "PERMISSION_DENIED" and "not today" in refused["message"]
        assert (await execute(http, tool, **args))["outcome"] == "denied"
        entries = (await http.get("audit", params={"tool": f"robot.{tool}"})).json()["entries"]
        assert [entry["status"] for entry in entries] == ["denied", "denied"]


@pytest.mark.process
async def test_the_robot_moves_by_words_by_tools_and_by_numbers(robot: Address) -> None:
    async with Mind(robot=str(robot), idle=False).session() as mind, calling(mind) as http:
        said = (await http.post("chat", json={"message": "look left"})).json()
        assert said["tool_calls"] == [{"name": "move_head", "args": {"direction": "left"}, "status": "ok"}]
        assert (await http.get("robot/state")).json()["pose"]["yaw"] > 20
        assert (await execute(http, "get_pose"))["outcome"] == "ok"
        looked = (await http.post("robot/look", json={"yaw": 10, "duration": 0.4})).json()
        assert looked["pose"]["yaw"] == pytest.approx(10, abs=1.5) and looked["command"] == "look"
        assert error_of(await http.post("robot/look", json={"pitch": 80}), 422)["code"] == "OUT_OF_REACH"
        dancing = asyncio.create_task(http.post("chat", json={"message": "dance"}))
        await until(lambda: mind.state == "processing" and mind.toolbox._body._holder is not None)
        assert (await http.post("robot/stop")).json()["command"] == "stop"
        cut = (await dancing).json()
        assert cut["error"]["code"] == "INTERRUPTED"
        last = (await http.get("audit", params={"tool": "stop"})).json()["entries"]
        assert [(entry["tool"], entry["channel"]) for entry in last] == [("robot.stop", "rest")]


# Questions to people


async def test_a_question_is_listed_and_its_first_answer_counts(mind: Mind, http: httpx.AsyncClient) -> None:
    for approve in (True, False):
        with mind.confirmations.channel("page"):
            call = asyncio.create_task(http.post("tools/execute", json=CANCEL))
            await until(lambda: mind.confirmations.pending)
            told = (await http.get("confirmations")).json()
            (asked,) = told["confirmations"]
            assert told["total"] == 1 and told["channels"] == ["page"]
            assert asked["tool"] == "tasks.task_cancel" and asked["arguments"] == {"task_id": "nothing"}
            assert asked["consequence"] and asked["reason"] and asked["expires_at"] > 0
            assert (await http.get(f"confirmations/{asked['id']}")).json() == asked
            answer = await http.post(f"confirmations/{asked['id']}", json={"approve": approve, "by": "Ada"})
            assert answer.json() == {"id": asked["id"], "approved": approve}
            late = await http.post(f"confirmations/{asked['id']}", json={"approve": not approve})
            assert error_of(late, 404)["code"] == "NOT_FOUND"
            # Approved, it runs, and there is no such task.
            assert (await call).json()["error"]["code"] == ("INVALID_PARAMETER" if approve else "NOT_CONFIRMED")
    yes, no = reversed((await http.get("audit", params={"tool": "task_cancel"})).json()["entries"])
    assert (yes["confirmed_by"], no["confirmed_by"], no["status"]) == ("Ada", None, "denied")


@pytest.mark.parametrize("content", [{}, {"approve": "perhaps"}, {"approve": True, "id": "x"}])
async def test_an_answer_that_is_none_is_refused(http: httpx.AsyncClient, content: Any) -> None:
    error_of(await http.post("confirmations/x", json=content), 422)


async def test_a_question_nobody_asked(http: httpx.AsyncClient) -> None:
    assert error_of(await http.get("confirmations/x"), 404)["code"] == "NOT_FOUND"
    assert error_of(await http.post("confirmations/x", json={"approve": True}), 404)["code"] == "NOT_FOUND"


# Tasks


async def test_a_task_is_started_listed_and_cancelled_by_a_persons_yes(mind: Mind, http: httpx.AsyncClient) -> None:
    started = await execute(http, "background_demo", seconds=300, background=True)
    assert (started["status"], started["outcome"]) == ("success", "started")
    task = started["result"]["task_id"]
    listed = (await http.get("tasks")).json()
    assert listed["total"] == 1 and listed["tasks"][0]["id"] == task
    assert (await http.get(f"tasks/{task}")).json()["state"] == "running"
    refused = (await http.delete(f"tasks/{task}")).json()
    assert refused["outcome"] == "denied" and (await http.get(f"tasks/{task}")).json()["state"] == "running"
    with mind.confirmations.channel("page"):
        cancelling = asyncio.create_task(http.delete(f"tasks/{task}"))
        await until(lambda: mind.confirmations.pending)
        await http.post(f"confirmations/{mind.confirmations.pending[0].id}", json={"approve": True})
        assert (await cancelling).json()["outcome"] == "ok"
    assert (await http.get(f"tasks/{task}")).json()["state"] == "cancelled"
    assert error_of(await http.get("tasks/nothing"), 404)["code"] == "NOT_FOUND"
    await execute(http, "background_demo", seconds=0, background=True)
    first = (await http.get("tasks", params={"limit": 1})).json()
    assert first["total"] == 2 and first["tasks"][0]["id"] != task, "the newest first"


# Permissions and audit


def rules(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "permissions.yaml").write_text(text)


async def test_rules_are_shown_and_reloaded_and_a_wrong_file_changes_nothing(
    home: Path, http: httpx.AsyncClient
) -> None:
    told = (await http.get("permissions")).json()
    assert told["rules"] == [] and told["tools"]["tasks.task_cancel"] == "confirm"
    rules(home, "rules:\n- {pattern: time.*, tier: forbidden, reason: no clocks}\n")
    assert (await execute(http, "get_time"))["outcome"] == "ok", "not before it is told to"
    assert (await http.post("permissions/reload")).json() == {"rules": 1}
    assert (await execute(http, "get_time"))["outcome"] == "denied"
    rules(home, "rules:\n- {pattern: time.*, tier: autonomous}\n- {pattern: robot.*, tier: 9}\n")
    wrong = error_of(await http.post("permissions/reload"), 422)
    assert (
        wrong["code"] == "CONFIG_INVALID" and "permissions.yaml:3" in wrong["message"] and "forbidden" in wrong["hint"]
    )
    assert (await execute(http, "get_time"))["outcome"] == "denied"
    (rule,) = (await http.get("permissions")).json()["rules"]
    assert rule == {"pattern": "time.*", "tier": "forbidden", "reason": "no clocks", "line": 2}


async def test_the_audit_is_asked_by_tool_status_and_page(http: httpx.AsyncClient) -> None:
    for _ in range(3):
        await execute(http, "get_time")
    await execute(http, "task_cancel", task_id="x")
    told = (await http.get("audit")).json()
    assert told["total"] == 4 and told["entries"][0]["tool"] == "tasks.task_cancel"
    assert (told["entries"][0]["status"], told["entries"][0]["code"]) == ("denied", "NOT_CONFIRMED")
    assert json.loads(told["entries"][0]["arguments"]) == {"task_id": "x"}
    for name in ("time.get_time", "mcp__time__get_time", "get_time"):
        found = (await http.get("audit", params={"tool": name, "limit": 2, "offset": 1})).json()
        assert (found["total"], len(found["entries"])) == (3, 2)
    assert (await http.get("audit", params={"status": "denied"})).json()["total"] == 1
    assert (await http.get("audit", params={"since": told["entries"][0]["at"] + 60})).json()["total"] == 0


# What is not for us


async def test_too_much_is_refused_whether_it_says_so_or_not(http: httpx.AsyncClient) -> None:
    async def much() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * (1 << 16)

    for content in (b"x" * (2 << 20), much()):
        answer = await http.post("chat", content=content, headers={"Content-Type": "application/json"})
        assert error_of(answer, 413)["code"] == "INVALID_PARAMETER"


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff\xfe", b'{"message": NaN}', b'{"message": "\\ud800"}'])
async def test_what_is_no_json_is_refused(http: httpx.AsyncClient, content: bytes) -> None:
    answer = await http.post("chat", content=content, headers={"Content-Type": "application/json"})
    assert error_of(answer, answer.status_code)["code"] == "INVALID_PARAMETER" and answer.status_code in (400, 422)


async def test_a_form_of_another_site_is_no_request(http: httpx.AsyncClient) -> None:
    """A page can send text without asking first; it is not taken for JSON."""
    body = json.dumps({"tool_name": "get_time"})
    error_of(await http.post("tools/execute", content=body, headers={"Content-Type": "text/plain"}), 422)


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": ""}]
)
async def test_pages_of_other_sites_get_nothing(place: str, headers: dict[str, str]) -> None:
    async with httpx.AsyncClient(base_url=f"http://{place}", trust_env=False) as http:
        for route in ("/healthz", "/api/v1/tools"):
            assert error_of(await http.get(route, headers=headers), 403)["code"] == "PERMISSION_DENIED"
    for route in ("chat", "events"):
        with pytest.raises(InvalidStatus):
            await connect(f"ws://{place}/api/v1/ws/{route}", additional_headers=headers, proxy=None)


async def test_only_the_page_of_this_very_server_is_welcome(place: str) -> None:
    """A page of another program on this machine is another site too."""
    ours = {"Origin": f"http://{place}"}
    async with connect(f"ws://{place}/api/v1/ws/chat", additional_headers=ours, proxy=None) as raw:
        assert (await Socket(raw).say("hello"))["reply"]
    for theirs in ("http://localhost:3000", f"https://{place}.example", f"http://localhost:{place.split(':')[1]}"):
        with pytest.raises(InvalidStatus):
            await connect(f"ws://{place}/api/v1/ws/chat", additional_headers={"Origin": theirs}, proxy=None)


@pytest.mark.parametrize(
    ("method", "route", "status", "code"),
    [
        ("GET", "nothing/here", 404, "NOT_FOUND"),
        ("PUT", "chat", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "robot/look", 503, "NOT_READY"),
        ("GET", "robot/state", 503, "NOT_READY"),
        ("GET", "audit?since=yesterday", 422, "INVALID_PARAMETER"),
    ],
)
async def test_every_error_has_one_form(
    http: httpx.AsyncClient, method: str, route: str, status: int, code: str
) -> None:
    assert error_of(await http.request(method, route), status)["code"] == code


async def test_health_and_readiness(mind: Mind, http: httpx.AsyncClient) -> None:
    health = (await http.get("http://127.0.0.1/healthz")).json()
    assert health == {"status": "ok", "version": __version__}
    await execute(http, "background_demo", seconds=300, background=True)
    ready = (await http.get("http://127.0.0.1/readyz")).json()
    assert ready["status"] == ready["state"] == "ready" and ready["robot"] == "none" and ready["interrupted"] == []
    assert [task["tool"] for task in ready["tasks"]] == ["tasks.background_demo"]
    await mind.shutdown()
    assert error_of(await http.get("http://127.0.0.1/readyz"), 503)["code"] == "NOT_READY"
    assert (await http.get("http://127.0.0.1/healthz")).status_code == 200
    assert error_of(await http.post("chat", json={"message": "hello"}), 503)["code"] == "NOT_READY"


# The chat socket


async def test_a_socket_says_and_is_told_step_by_step(place: str) -> None:
    async with socket(place) as chat:
        done = await chat.say("what time is it?")
        assert [event["type"] for event in chat.heard] == ["started", "tool", "delta", "done"]
        assert done["reply"] == chat.heard[2]["text"] and done["brain"] == "reflex"
        assert done["session_id"] == chat.heard[0]["session_id"]
        await chat.send("again")  # plain text is something said
        assert [call["name"] for call in (await chat.until("done"))["tools"]] == ["get_time"]


async def test_a_conversation_goes_on_over_another_socket(place: str) -> None:
    async with socket(place) as first:
        session = (await first.say("what time is it?"))["session_id"]
    async with socket(place, query=f"?session_id={session}") as second:
        done = await second.say("again")
        assert done["session_id"] == session and [call["name"] for call in done["tools"]] == ["get_time"]
    async with socket(place) as third:
        await third.send({"type": "say", "message": "again", "session_id": session})
        assert (await third.until("done"))["tools"][0]["name"] == "get_time"
        await third.send({"type": "say", "message": "again", "session_id": "a new one"})
        assert (await third.until("done"))["tools"] == []


async def test_a_wrong_frame_is_told_and_the_socket_stays(place: str) -> None:
    async with socket(place) as chat:
        for frame in (
            "{",
            '{"type": "dance"}',
            '{"type": "say", "message": 5}',
            '{"type": "say", "message": "hi", "extra": 1}',
            '{"type": "confirm", "id": "nothing", "approve": true}',
            '{"type": "say", "message": ""}',
            '{"type": "say", "message": "hi", "session_id": "' + "x" * 65 + '"}',
            '{"type": "say", "message": "hi", "session_id": "a\\nb"}',
            "   ",
            "",
            "x" * 70_000,
            "x" * 30_000,
            b"\x00\x01",
        ):
            await chat.send(frame)
            told = await chat.until("error")
            assert told["code"] in ("INVALID_PARAMETER", "NOT_READY") and told["message"], frame
            await chat.send({"type": "say", "message": "hello", "session_id": "fine"})
            assert (await chat.until("done"))["reply"]


async def test_a_frame_larger_than_any_ends_that_socket_alone(place: str) -> None:
    async with socket(place) as other, socket(place) as chat:
        with contextlib.suppress(ConnectionClosed):
            await chat.send("x" * (1 << 20))
        with pytest.raises(ConnectionClosed):
            await chat.until("done")
        assert (await other.say("hello"))["reply"]


async def test_an_answer_is_interrupted() -> None:
    async with Mind(robot="none", brain=Slow()).session() as mind, serving(mind) as place, socket(place) as chat:
        await chat.send({"type": "interrupt"})  # there is none: nothing happens
        await chat.send("think")
        await chat.until("delta")
        await chat.send({"type": "interrupt"})
        done = await chat.until("done")
        assert done["error"]["code"] == "INTERRUPTED" and done["reply"] == "Well."
        assert (await chat.say("quick"))["reply"] == "Well. That was it."


async def test_whoever_leaves_ends_their_answer() -> None:
    brain = Slow()
    async with Mind(robot="none", brain=brain).session() as mind, serving(mind) as place:
        async with socket(place) as chat:
            await chat.send("think")
            await chat.until("delta")
        await until(lambda: not brain.thinking and mind.state == "ready")


@pytest.mark.parametrize("approve", [True, False])
async def test_a_person_is_asked_over_the_socket(mind: Mind, place: str, approve: bool) -> None:
    async with socket(place) as chat:
        await chat.say("start a background demo of 300 seconds")
        await chat.send("cancel the background task")
        asked = await chat.until("confirm")
        assert asked["tool"] == "tasks.task_cancel" and asked["arguments"] == {"task_id": mind.tasks.all()[0].id}
        assert (
            asked["consequence"] and asked["reason"] and asked["expires_at"] and mind.tasks.all()[0].state == "running"
        )
        await chat.send({"type": "confirm", "id": asked["id"], "approve": approve})
        done = await chat.until("done")
        assert done["tools"][-1]["status"] == ("ok" if approve else "denied")
        assert mind.tasks.all()[0].state == ("cancelled" if approve else "running")
        (answered,) = [event for event in chat.heard if event["type"] == "answered"]
        assert (answered["id"], answered["approved"]) == (asked["id"], approve)


async def test_of_two_sockets_the_first_answer_wins(mind: Mind, place: str) -> None:
    async with socket(place) as first, socket(place) as second:
        await first.send("start a background demo of 300 seconds")
        await first.until("done")
        await first.send("cancel the background task")
        asked = await first.until("confirm")
        assert (await second.until("confirm"))["id"] == asked["id"]
        await second.send({"type": "confirm", "id": asked["id"], "approve": False})
        assert (await first.until("answered", id=asked["id"]))["approved"] is False
        await first.send({"type": "confirm", "id": asked["id"], "approve": True})
        late = await first.until("error")
        assert late["code"] == "NOT_READY" and late["id"] == asked["id"], "it says which question it was about"
        assert mind.tasks.all()[0].state == "running"


async def test_whoever_comes_later_is_asked_what_is_still_open(mind: Mind, place: str) -> None:
    async with socket(place) as first, calling(mind) as http:
        call = asyncio.create_task(http.post("tools/execute", json=CANCEL))
        asked = await first.until("confirm")
        async with socket(place) as second:
            assert (await second.until("confirm"))["id"] == asked["id"]
            await second.send({"type": "confirm", "id": asked["id"], "approve": True})
            assert (await call).json()["error"]["code"] == "INVALID_PARAMETER", "it ran: there is no such task"


async def test_the_last_person_leaving_is_a_no(mind: Mind, place: str) -> None:
    async with calling(mind) as http:
        async with socket(place) as chat:
            call = asyncio.create_task(http.post("tools/execute", json=CANCEL))
            await chat.until("confirm")
        assert (await call).json()["error"]["code"] == "NOT_CONFIRMED"


async def test_without_a_person_there_it_is_denied_at_once(mind: Mind, place: str) -> None:
    async with socket(place, query="?channel=false") as chat:
        await chat.say("start a background demo of 300 seconds")
        done = await chat.say("cancel the background task")
        assert done["tools"][-1]["status"] == "denied" and "nobody confirmed" in done["reply"]
        assert not [event for event in chat.heard if event["type"] == "confirm"]
        assert mind.confirmations.channels == () and mind.tasks.all()[0].state == "running"


async def test_a_socket_is_told_of_timers_and_notices(home: Path) -> None:
    rules(home, "rules:\n- {pattern: get_time, tier: notify}\n")
    async with Mind(robot="none").session() as mind, serving(mind) as place, socket(place) as chat:
        mind.announce()
        await chat.send("what time is it?")
        assert (await chat.until("notice"))["tool"] == "time.get_time"
        await chat.until("done")
        await chat.send({"type": "say", "message": "set a tea timer for 1 second"})
        assert "tea" in (await chat.until("announced"))["text"]


# The event socket


async def test_everything_that_happens_is_told(place: str) -> None:
    async with socket(place, "events") as events, socket(place) as chat:
        await chat.say("what time is it?")
        await events.until("TurnEnded")
        kinds = [event["type"] for event in events.heard]
        assert [kind for kind in kinds if kind != "MindChanged"] == [
            "TurnStarted", "ToolStarted", "ToolCalled", "ReplyGrew", "TurnEnded",
        ]  # fmt: skip
        called = next(event for event in events.heard if event["type"] == "ToolCalled")
        assert (called["tool"], called["status"], called["channel"]) == ("time.get_time", "ok", "brain:reflex")


async def test_a_slow_reader_is_told_how_much_it_missed(mind: Mind, place: str) -> None:
    async with socket(place, "events") as events:
        mind.bus.publish(Announced(text="first", about="test"))
        await events.until("Announced")
        for number in range(1000):
            mind.bus.publish(Announced(text=str(number), about="test"))
        await events.until("Announced", text="999")
        missed = sum(event["count"] for event in events.heard if event["type"] == "Missed")
        got = [event["text"] for event in events.heard if event["type"] == "Announced"]
        assert missed > 0 and missed + len(got) == 1001, "what was not told was counted"


async def test_a_reader_who_leaves_is_forgotten(mind: Mind, place: str) -> None:
    async with socket(place, "robot") as first:
        await first.until("link")
    await until(lambda: mind.bus._subscriptions)
    before = len(mind.bus._subscriptions)
    async with socket(place, "events") as events, socket(place, "events") as talkative, socket(place) as chat:
        await talkative.send("hello?")  # nobody listens there
        await talkative.send(b"\x00")
        await chat.say("hello")
        for reader in (events, talkative):
            await reader.until("TurnEnded")
        assert len(mind.bus._subscriptions) == before + 3
    await until(lambda: len(mind.bus._subscriptions) == before)


async def test_a_reader_who_does_not_read_keeps_nobody_waiting(mind: Mind, place: str) -> None:
    host, port = place.split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
    request = f"GET /api/v1/ws/events HTTP/1.1\r\nHost: {place}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    writer.write(f"{request}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    async with socket(place, "events") as other:
        for number in range(300):
            mind.bus.publish(Announced(text="x" * 30_000, about=str(number)))
            await asyncio.sleep(0)
        mind.bus.publish(Announced(text="end", about="end"))
        await other.until("Announced", text="end")
    async with socket(place) as chat:
        assert (await chat.say("hello"))["reply"]
    writer.transport.abort()
    with contextlib.suppress(ConnectionResetError):
        await writer.wait_closed()
