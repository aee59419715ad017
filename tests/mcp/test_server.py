"""The robot for other assistants: the official client, over stdio and HTTP, in both generations of the protocol."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable

import httpx2
import mcp_types as types
import pytest

from mcp import MCPError
from reachy_mind.access.tokens import Tokens
from reachy_mind.events import ConfirmationAsked
from reachy_mind.mcp.config_file import McpConfigFile
from tests.body.media.films import seen
from tests.mcp.house import MODERN, WAYS, House, Person, client, jpeg, said
from tests.tools.bench import done

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]
every_way = pytest.mark.parametrize(("way", "mode"), WAYS)

Until = Callable[[Callable[[], object]], Awaitable[None]]


@every_way
async def test_what_there_is_can_be_seen_and_used(house: House, way: str, mode: str) -> None:
    async with client(house, way, mode, name="Some Body") as robot:
        tools = {tool.name: tool for tool in (await robot.list_tools()).tools}
        assert {"get_time", "stop", "unlock", "snapshot"} <= tools.keys()
        assert "transfer" not in tools, "what is forbidden is not offered"
        assert tools["get_time"].input_schema["additionalProperties"] is False
        hints = {name: tools[name].annotations for name in ("get_time", "unlock", "search_web")}
        assert [hint.read_only_hint for hint in hints.values() if hint] == [True, False, True]
        assert [hint.destructive_hint for hint in hints.values() if hint] == [False, True, False]
        assert [hint.open_world_hint for hint in hints.values() if hint] == [False, False, True]

        told = await robot.call_tool("mcp__home__light", {"on": True})
        assert not told.is_error and said(told)["data"] == {"on": True}
        assert isinstance(told.content[0], types.TextContent)
        assert json.loads(told.content[0].text) == {"status": "ok", "data": {"on": True}}
        row = await house.audited("home.light")
        assert row["caller"] == "program" and row["channel"].startswith("mcp:some-body")

        wrong = await robot.call_tool("light", {"on": "perhaps"})
        assert wrong.is_error and said(wrong)["error"]["code"] == "INVALID_PARAMETER" and said(wrong)["error"]["hint"]
        unknown = await robot.call_tool("lihgt", {})
        assert unknown.is_error and said(unknown)["error"]["code"] == "UNKNOWN_TOOL"

        shown = await robot.call_tool("snapshot", {})
        picture = shown.content[1]
        assert isinstance(picture, types.ImageContent) and picture.mime_type == "image/jpeg"
        assert base64.b64decode(picture.data) == jpeg() and "image" not in said(shown)["data"]


@every_way
async def test_who_is_trusted_says_yes_or_no_where_they_are(house: House, way: str, mode: str) -> None:
    book, person = McpConfigFile(house.mind.configuration.home), Person()
    token_id, token = house.token(f"trusted {way} {mode}")
    book.trust("tokens", token_id)
    book.trust("programs", "trusted-one")
    done.clear()
    try:
        async with client(house, way, mode, name="Trusted One", person=person, token=token) as robot:
            told = await robot.call_tool("unlock", {"door": "back"})
            assert not told.is_error and done == ["unlock back"]
            (asked,) = person.asked
            assert "home.unlock: Unlock a door." in asked and '{"door":"back"}' in asked
            assert (await house.audited("home.unlock"))["confirmed_by"].endswith("(MCP)")

            done.clear()
            for no in (
                types.ElicitResult(action="decline"),
                types.ElicitResult(action="cancel"),
                types.ElicitResult(action="accept", content={"approve": False}),
                types.ElicitResult(action="accept", content={"approve": "true"}),
                types.ElicitResult(action="accept"),
            ):
                person.says = no
                told = await robot.call_tool("unlock", {"door": "back"})
                assert told.is_error and said(told)["error"]["code"] == "NOT_CONFIRMED", no
            assert len(person.asked) == 6 and done == []

            person.says = types.ElicitResult(action="accept", content={"approve": True})
            forbidden = await robot.call_tool("transfer", {})
            assert said(forbidden)["error"]["code"] == "PERMISSION_DENIED", "no yes helps against that"
            invalid = await robot.call_tool("unlock", {"door": "back", "confirmed": True})
            assert said(invalid)["error"]["code"] == "INVALID_PARAMETER"
            assert len(person.asked) == 6 and done == []
    finally:
        book.trust("tokens", token_id, trusted=False)
        book.trust("programs", "trusted-one", trusted=False)


@every_way
async def test_who_is_not_trusted_is_not_asked(house: House, way: str, mode: str, until: Until) -> None:
    person = Person()
    done.clear()
    async with client(house, way, mode, name="eager", person=person) as robot:
        told = await robot.call_tool("unlock", {"door": "front"})
        assert told.is_error and said(told)["error"]["code"] == "NOT_CONFIRMED"
        assert "nobody to ask" in said(told)["error"]["message"]

        # With somebody at the page the question goes there.
        notes: list[str] = []

        async def progress(_: float, __: float | None, message: str | None) -> None:
            notes.append(message or "")

        with (
            house.mind.confirmations.channel("page"),
            house.mind.bus.subscribe(ConfirmationAsked) as events,
        ):
            call = asyncio.create_task(robot.call_tool("unlock", {"door": "front"}, progress_callback=progress))
            event = await events.get()
            assert isinstance(event, ConfirmationAsked) and event.tool == "home.unlock"
            await until(lambda: notes)
            house.mind.confirmations.answer(event.confirmation_id, approved=True, by="Ann")
            assert not (await call).is_error
        assert done == ["unlock front"] and person.asked == [] and "person" in notes[0]
        assert (await house.audited("home.unlock"))["confirmed_by"] == "Ann"


async def test_who_answers_first_is_heard_and_a_question_is_for_one_call(house: House, until: Until) -> None:
    book, person = McpConfigFile(house.mind.configuration.home), Person(thinks=asyncio.Event())
    token_id, token = house.token("thinks about it")
    book.trust("tokens", token_id)
    done.clear()
    async with (
        client(house, "http", "legacy", person=person, token=token) as slow,
        client(house, "http", "legacy") as other,
    ):
        call = asyncio.create_task(slow.call_tool("unlock", {"door": "front"}))
        await until(lambda: person.asked)
        # That there is somebody to ask about this call helps no other one.
        told = await other.call_tool("unlock", {"door": "back"})
        assert "nobody to ask" in said(told)["error"]["message"]
        (asked,) = house.mind.confirmations.pending
        house.mind.confirmations.answer(asked.id, approved=True, by="Ann")
        assert not (await call).is_error and done == ["unlock front"]


@every_way
async def test_how_far_it_has_got(house: House, way: str, mode: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def progress(share: float, total: float | None, message: str | None) -> None:
        told.append((share, total, message))

    async with client(house, way, mode) as robot:
        result = await robot.call_tool("climb", {"steps": 4}, progress_callback=progress)
    assert said(result)["data"] == {"steps": 4}
    assert [message for _, _, message in told] == ["step 0", "step 1", "step 2", "step 3"]
    shares = [share for share, _, _ in told]
    assert shares == sorted(set(shares)) and {total for _, total, _ in told} == {1.0}


@every_way
async def test_a_call_can_be_taken_back(house: House, way: str, mode: str, until: Until) -> None:
    done.clear()
    async with client(house, way, mode) as robot:
        call = asyncio.create_task(robot.call_tool("hold", {"seconds": 15}))
        await until(lambda: done == ["hold"])
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        rows: list[dict[str, str]] = []
        while not rows or rows[0]["status"] != "cancelled":
            rows, _ = await house.mind.toolbox.audit.query(tool="robot.hold", limit=1)
        # The body is free again at once, and the connection goes on.
        assert not (await robot.call_tool("hold", {"seconds": 0})).is_error
        assert done == ["hold", "hold", "held"]


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_two_clients_at_once_and_a_stop_for_both(house: House, mode: str, until: Until) -> None:
    done.clear()
    async with client(house, "stdio", mode, name="first") as one, client(house, "http", mode, name="second") as two:
        first = asyncio.create_task(one.call_tool("hold", {"seconds": 15}))
        await until(lambda: done == ["hold"])
        second = asyncio.create_task(two.call_tool("hold", {"seconds": 15}))
        times = await asyncio.gather(*(each.call_tool("get_time", {}) for each in (one, two) for _ in range(5)))
        assert [each.is_error for each in times] == [False] * 10, "neither waits for what the other does"
        stopped = await two.call_tool("stop", {})
        assert said(stopped)["status"] == "ok"
        assert said(await first)["status"] == "cancelled" and said(await second)["status"] != "ok"
        assert "held" not in done


async def test_a_rule_means_the_same_by_its_mcp_name(house: House) -> None:
    rules = house.mind.toolbox.permissions
    assert rules.file is not None
    rules.file.write_text("rules:\n  - {pattern: mcp__home__light, tier: forbidden}\n")
    rules.reload()
    try:
        async with client(house, "http", MODERN) as robot:
            assert "light" not in {tool.name for tool in (await robot.list_tools()).tools}
            told = await robot.call_tool("light", {"on": True})
            assert said(told)["error"]["code"] == "PERMISSION_DENIED"
    finally:
        rules.file.write_text("")
        rules.reload()


async def test_each_server_has_its_own_tools_and_all_of_them_stop(house: House) -> None:
    async with client(house, "http", MODERN, server="memory") as memory:
        assert await _groups(house, memory) <= {"memory"}
        assert said(await memory.call_tool("get_time", {}))["error"]["code"] == "UNKNOWN_TOOL"
        row = await house.audited("time.get_time")
        assert (row["status"], row["code"]) == ("error", "UNKNOWN_TOOL"), "a refused call is recorded, too"
        assert row["principal"].startswith("token ") and row["channel"].startswith("mcp:")
        assert said(await memory.call_tool("stop", {}))["status"] == "ok"
    async with client(house, "stdio", "legacy", server="robot") as robot:
        assert await _groups(house, robot) == {"robot", "perception", "voice", "time", "web", "tasks"}


def brightness(encoded: str) -> float:
    """Of a picture, out of 255."""
    return seen(base64.b64decode(encoded))[1]


async def _groups(house: House, server: object) -> set[str]:
    listed = (await server.list_tools()).tools  # type: ignore[attr-defined]
    return {house.mind.toolbox.registry.find(tool.name)[0].group for tool in listed}


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_state_and_camera_are_there_to_be_read(house: House, mode: str) -> None:
    async with client(house, "http", mode) as robot:
        listed = {resource.uri: resource for resource in (await robot.list_resources()).resources}
        assert set(listed) == {"reachy://robot/state", "reachy://robot/camera"}
        before = len(house.mind.sight.photos.all())
        (camera,) = (await robot.read_resource("reachy://robot/camera")).contents
        assert isinstance(camera, types.BlobResourceContents) and brightness(camera.blob) > 240
        assert len(house.mind.sight.photos.all()) == before, "to look is not to keep"
        with pytest.raises(MCPError, match="no robot") as caught:
            await robot.read_resource("reachy://robot/state")
        assert caught.value.data["code"] == "NOT_READY"
        with pytest.raises(MCPError, match="no resource"):
            await robot.read_resource("file:///etc/passwd")
        kept = await robot.call_tool("take_photo", {})
        assert isinstance(kept.content[1], types.ImageContent) and brightness(kept.content[1].data) > 240
        other = await robot.call_tool("peek", {})
        assert len(other.content) == 1, "a name that leads elsewhere shows nothing"


async def test_a_yes_is_good_for_one_call_with_these_arguments(house: House) -> None:
    book, person = McpConfigFile(house.mind.configuration.home), Person()
    token_id, token = house.token("answers twice")
    book.trust("tokens", token_id)
    done.clear()
    async with client(house, "http", MODERN, person=person, token=token) as robot:
        first = await robot.session.call_tool("unlock", {"door": "front"}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult) and done == []
        yes = {"confirm": types.ElicitResult(action="accept", content={"approve": True})}

        async def again(door: str, state: str | None) -> object:
            return await robot.session.call_tool(
                "unlock", {"door": door}, input_responses=yes, request_state=state, allow_input_required=True
            )

        assert isinstance(await again("back", first.request_state), types.InputRequiredResult), "another door"
        assert isinstance(await again("front", first.request_state), types.InputRequiredResult), "it was used up"
        assert isinstance(await again("front", None), types.InputRequiredResult), "an answer to nothing"
        assert isinstance(await again("front", "made-up"), types.InputRequiredResult)
        fresh = await robot.session.call_tool("unlock", {"door": "front"}, allow_input_required=True)
        assert isinstance(fresh, types.InputRequiredResult)
        book.trust("tokens", token_id, trusted=False)
        refused = await again("front", fresh.request_state)
        assert isinstance(refused, types.CallToolResult) and refused.is_error, "not trusted any more"
    assert done == []


async def test_no_token_no_entry(house: House) -> None:
    tokens = Tokens(house.mind.configuration.home)
    token_id, token = house.token("to be revoked")
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False, timeout=20) as http:

        async def status(text: str = "", **more: str) -> int:
            headers = accept | ({"Authorization": text} if text else {}) | more
            return (await http.post(house.url, json=body | {"params": params}, headers=headers)).status_code

        assert await status() == 401
        owner = json.loads((house.home / "run" / "mind.json").read_text())["token"]
        for wrong in ("Bearer nonsense", f"Basic {token}", f"Bearer {token[:-1]}x", f"Bearer {owner}", "Bearer rm_"):
            assert await status(wrong) == 401, wrong
        assert await status(f"Bearer {token}", Origin="http://evil.example") == 403
        assert await status(f"Bearer {token}", Host="evil.example") == 403
        assert await status(f"Bearer {token}") == 200
        tokens.revoke(token_id)
        assert await status(f"Bearer {token}") == 401
        answer = await http.post(house.url, json=body, headers=accept)
        assert answer.headers["www-authenticate"] == "Bearer" and answer.json()["error"]["code"] == "UNAUTHORIZED"


async def test_a_session_belongs_to_who_opened_it(house: House) -> None:
    _, mine = house.token("mine")
    _, other = house.token("other")
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    accept = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False, timeout=20) as http:
        opened = await http.post(house.url, json=opening, headers=accept | {"Authorization": f"Bearer {mine}"})
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        asking = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        for token, status in ((other, 404), (mine, 200)):
            headers = accept | session | {"Authorization": f"Bearer {token}"}
            assert (await http.post(house.url, json=asking, headers=headers)).status_code == status
