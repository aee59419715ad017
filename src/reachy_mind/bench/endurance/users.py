"""What users of the mind do in an endurance test: each activity is one request, with what a right answer to it is.

An activity gets the rig and a source of chance of its own. It returns when it was answered rightly; it raises
WrongAnswer, or the error that it got.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import httpx

from reachy_mind.bench.endurance.attempts import WrongAnswer
from reachy_mind.bench.endurance.rig import EnduranceRig
from reachy_mind.client import RemoteError

Act = Callable[[EnduranceRig, Random], Awaitable[None]]
ANSWERS_AGAIN_S: Final = 60.0
MOST_TIMERS: Final = 12
PROFILES: Final = ("default", "poet", "storyteller")
SENTENCES: Final = (
    ("what time is it?", "get_time"),
    ("which timers are running?", "list_timers"),
    ("what is seven times eight?", ""),
    ("how are you today?", ""),
    ("look left", "move_head"),
    ("look straight ahead", "move_head"),
    ("nod", "nod"),
)
MOVES: Final = frozenset({"move_head", "nod", "set_antennas"})
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Activity:
    """One kind of request, and how many seconds pass between two, on average."""

    name: str
    act: Act
    pause_s: float
    fleet: bool = False
    """Whether it is about the fleet."""


def require(is_so: object, detail: str) -> None:
    """Raises WrongAnswer."""
    if not is_so:
        raise WrongAnswer(detail)


async def typed_turn(rig: EnduranceRig, chance: Random) -> None:
    text, tool = chance.choice(SENTENCES)
    async with rig.moving if tool in MOVES else contextlib.nullcontext():
        told = await rig.api.ask("POST", "chat", {"message": text, "session_id": "typed"})
    _check_turn(text, tool, told["response"], told["tool_calls"], told["error"])


def _check_turn(text: str, tool: str, reply: str, calls: list[dict[str, Any]], error: dict[str, str] | None) -> None:
    if error:
        raise RemoteError(error)
    for call in calls:
        if call["status"] == "cancelled":
            raise RemoteError({"code": "CANCELLED", "message": reply})
        if call["status"] != "ok":
            raise RemoteError({"code": call.get("code", ""), "message": f"{text!r}: {reply}"})
    require(reply, f"{text!r} got no reply")
    require(not tool or tool in [call["name"] for call in calls], f"{text!r} did not call {tool}: {reply}")


async def asked_model(rig: EnduranceRig, _: Random) -> None:
    """A question that reflex leaves to the language model."""
    number = next(_numbers) + 1000
    text = f"please explain in one sentence why philosophers argue about paradox number {number}"
    told = await rig.api.ask("POST", "chat", {"message": text, "session_id": "asked model"})
    if f"number {number}" not in told["response"]:
        raise RemoteError(told["error"] or {"code": "", "message": told["response"]})


async def socket_turn(rig: EnduranceRig, chance: Random) -> None:
    """A turn on a chat socket, with its pieces in order."""
    text, tool = chance.choice(SENTENCES)
    async with (
        rig.moving if tool in MOVES else contextlib.nullcontext(),
        rig.api.socket("chat?session_id=socket&channel=false") as socket,
    ):
        await socket.send(json.dumps({"type": "say", "message": text}))
        words, calls = "", []
        async for frame in socket:
            told = json.loads(frame)
            match told["type"]:
                case "delta":
                    words += told["text"]
                case "tool":
                    calls.append(told | {"code": (told["error"] or {}).get("code", "")})
                case "error":
                    raise RemoteError(told)
                case "done":
                    _check_turn(text, tool, told["reply"], calls, told.get("error"))
                    require(words.split() == told["reply"].split(), f"{words!r} is not {told['reply']!r}")
                    rig.known.turns.add(told["turn_id"])
                    return
    raise WrongAnswer("the socket was closed before the end of the turn")


async def tool_call(rig: EnduranceRig, chance: Random) -> None:
    name, key = chance.choice((("get_time", "message"), ("get_robot_state", "pose"), ("list_timers", "timers")))
    call = f"endurance-{chance.getrandbits(64):x}"
    result = await rig.api.tool(name, call)
    rig.known.calls.add(call)
    require(key in result, f"{name}: {result}")


async def movement(rig: EnduranceRig, chance: Random) -> None:
    yaw = chance.choice((-20, -10, 0, 10, 20))
    async with rig.moving:
        await rig.api.ask("POST", "robot/look", {"yaw": yaw})


async def once_only(rig: EnduranceRig, chance: Random) -> None:
    """A call with an effect, repeated with its id until it is answered: the effect may happen once."""
    number, call = next(_numbers), f"effect-{chance.getrandbits(64):x}"
    deadline = time.monotonic() + ANSWERS_AGAIN_S
    while True:
        try:
            await rig.api.tool("note_effect", call, number=number)
        except (httpx.TransportError, WrongAnswer):
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.5)
        else:
            rig.known.effects.add(number)
            rig.known.calls.add(call)
            return


async def mcp_call(rig: EnduranceRig, _: Random) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from mcp import Client

    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {rig.mcp_token}"}, trust_env=False) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{rig.port}/mcp", http_client=http)) as client,
    ):
        told = (await client.call_tool("get_time", {})).structured_content or {}
    if told.get("error"):
        raise RemoteError(told["error"])
    require(told.get("status") == "ok", f"{told}")


async def store_memory(rig: EnduranceRig, chance: Random) -> None:
    number = next(_numbers)
    thing, place = chance.choice(("key", "ticket", "letter", "stamp")), chance.choice(("drawer", "box", "hall"))
    content = f"{thing.title()} {number} was put into the {place}"
    told = await rig.api.ask("POST", "memory", {"content": content, "type": "event"})
    for memory in told["ids"]:
        rig.known.memories[memory] = content


async def search_memory(rig: EnduranceRig, chance: Random) -> None:
    if not rig.known.memories:
        return
    content = chance.choice(list(rig.known.memories.values()))
    told = await rig.api.ask("GET", "memory", query=" ".join(content.split()[:2]), limit=10)
    found = [memory["content"] for memory in told["memories"]]
    require(any(content in each for each in found), f"{content!r} was not found, but {found[:2]}")


async def switch_profile(rig: EnduranceRig, chance: Random) -> None:
    name = chance.choice(PROFILES)
    await rig.api.ask("POST", f"profiles/{name}/activate", {})
    active = (await rig.api.ask("GET", f"profiles/{name}"))["active"]
    require(active, f"{name} is not active")


async def timers(rig: EnduranceRig, _: Random) -> None:
    """A timer of hours; with many of them the oldest is cancelled."""
    known = rig.known
    if len(known.timers) >= MOST_TIMERS:
        timer = next(iter(known.timers))
        known.unclear_timers.add(timer)
        await rig.api.tool("cancel_timer", timer_id=timer)
        del known.timers[timer]
        return
    label = f"cake {next(_numbers)}"
    result = await rig.api.tool("set_timer", hours=12, label=label)
    known.timers[result["timer_id"]] = label


async def short_timer(rig: EnduranceRig, _: Random) -> None:
    label = f"soup {next(_numbers)}"
    await rig.api.tool("set_timer", seconds=5, label=label)
    rig.known.rung.append(label)


async def photo(rig: EnduranceRig, _: Random) -> None:
    result = await rig.api.tool("take_photo")
    rig.known.photos.add(result["photo"])
    require((rig.home / "photos" / result["photo"]).exists(), f"{result['photo']} is not there")


async def feedback(rig: EnduranceRig, chance: Random) -> None:
    turns = sorted(rig.known.turns - rig.known.rated)
    if not turns:
        return
    turn = chance.choice(turns)
    rig.known.rated.add(turn)
    given: dict[str, Any] = {"rating": chance.choice((-0.5, 0.5, 1.0)), "episode_id": turn}
    if chance.random() < 0.3:
        given["feedback_text"] = chance.choice(("a bit slower", "a bit faster"))
    told = await rig.api.ask("POST", "feedback", given)
    rig.known.feedback.add(told["feedback"]["id"])


async def sandboxed(rig: EnduranceRig, chance: Random) -> None:
    number = chance.randrange(10_000)
    report = await rig.api.ask("POST", "workshop/run", {"code": f"print({number} * 2)"})
    if report["error"]:
        raise RemoteError(report["error"])
    require(report["output"].strip() == str(2 * number), f"{report}")


async def confirmation(rig: EnduranceRig, chance: Random) -> None:
    """A change that a person is asked about, on a chat socket, and answers with yes or no."""
    tool, tier, yes = "robot.dance", chance.choice(("autonomous", "notify")), chance.random() < 0.7
    async with rig.api.socket("chat?session_id=person") as socket:
        rig.known.unclear_permissions.add(tool)
        asking = asyncio.create_task(rig.api.ask("PUT", "permissions", {"tool": tool, "tier": tier}))
        try:
            async for frame in socket:
                told = json.loads(frame)
                if told["type"] == "confirm" and told["tool"] == "mind.set_permission":
                    await socket.send(json.dumps({"type": "confirm", "id": told["id"], "approve": yes}))
                    break
                if asking.done():
                    break
            refused = ""
            try:
                await asking
            except RemoteError as error:
                refused = error.code
                if yes or error.code != "NOT_CONFIRMED":
                    raise
        finally:
            asking.cancel()
    rig.known.unclear_permissions.discard(tool)
    if yes:
        rig.known.permissions[tool] = tier
    else:
        require(refused == "NOT_CONFIRMED", "what a person refused was done")


async def listened(rig: EnduranceRig, chance: Random) -> None:
    """The page's own sockets: states of the robot at the rate that was asked for, and events."""
    async with rig.api.socket("robot?hz=5") as robot, rig.api.socket("events") as events:
        states, deadline = 0, time.monotonic() + 4
        while time.monotonic() < deadline:
            async with asyncio.timeout(10):
                told = json.loads(await robot.recv())
            states += told["type"] == "state"
            if told["type"] == "link" and told["status"] != "connected":
                raise RemoteError({"code": "LINK_LOST", "message": told["reason"] or told["status"]})
        call = f"heard-{chance.getrandbits(64):x}"
        await rig.api.tool("get_time", call)
        async with asyncio.timeout(10):
            async for frame in events:
                if json.loads(frame).get("call_id") == call:
                    break
    require(states >= 10, f"{states} states in 4 s")


async def vanished(rig: EnduranceRig, chance: Random) -> None:
    """A client that goes away in the middle of an answer; the next one is served."""
    wish = {"message": "what time is it?", "stream": True, "session_id": "vanished"}
    async with rig.api.http.stream("POST", "/api/v1/chat", json=wish) as answer:
        require(answer.status_code == 200, f"status {answer.status_code}")
        if chance.random() < 0.7:
            async for _ in answer.aiter_bytes():
                break
    async with rig.api.socket("chat?session_id=vanished&channel=false") as socket:
        await socket.send("how are you today?")
        socket.transport.abort()
    await rig.api.tool("get_time")


async def fleet_command(rig: EnduranceRig, chance: Random) -> None:
    assert rig.node is not None
    device, began = chance.choice(rig.devices), time.monotonic()
    content = {"type": "speak", "payload": {"text": "Dinner is ready."}}
    command = (await rig.node.request("POST", f"devices/{device}/commands", content))["id"]
    rig.known.commands.add(command)
    while command not in rig.arrived:
        require(time.monotonic() - began < 20, "a command did not arrive within 20 s")
        await asyncio.sleep(0.05)


async def fleet_emergency(rig: EnduranceRig, chance: Random) -> None:
    """A test of the alarm, acknowledged and closed."""
    assert rig.node is not None
    made = (await rig.node.request("POST", "emergencies/test", {"device": chance.choice(rig.devices)}))["id"]
    rig.known.emergencies.add(made)
    await rig.node.request("POST", f"emergencies/{made}/acknowledge", {"note": "I am on my way"})
    await rig.node.request("POST", f"emergencies/{made}/close")
    state = (await rig.node.request("GET", f"emergencies/{made}"))["state"]
    require(state == "closed", f"it is {state}")


ACTIVITIES: Final = (
    Activity("typed turn", typed_turn, 3.0),
    Activity("turn on a socket", socket_turn, 4.0),
    Activity("question to the model", asked_model, 6.0),
    Activity("tool call", tool_call, 1.0),
    Activity("movement", movement, 6.0),
    Activity("call with an effect", once_only, 3.0),
    Activity("MCP call", mcp_call, 8.0),
    Activity("memory stored", store_memory, 3.0),
    Activity("memory searched", search_memory, 4.0),
    Activity("personality switched", switch_profile, 25.0),
    Activity("timer", timers, 8.0),
    Activity("short timer", short_timer, 45.0),
    Activity("photo", photo, 20.0),
    Activity("feedback", feedback, 10.0),
    Activity("sandboxed code", sandboxed, 10.0),
    Activity("confirmation", confirmation, 20.0),
    Activity("page", listened, 5.0),
    Activity("client that vanishes", vanished, 10.0),
    Activity("fleet command", fleet_command, 4.0, fleet=True),
    Activity("fleet emergency", fleet_emergency, 20.0, fleet=True),
)
