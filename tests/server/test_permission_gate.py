"""The permission gate on every path to a tool, at every tier: nothing bypasses it, and every call is audited."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from reachy_mind.access.tokens import Tokens
from reachy_mind.brains.brain import Called, Said, Thought, ToolCall, Turn
from reachy_mind.mind import Mind
from reachy_mind.storage.owner import Ownership
from reachy_mind.tools.context import Caller
from tests.fakes.processes import here
from tests.server.served import calling, serving, socket
from tests.waiting import until

TOOL = """
from pathlib import Path
from reachy_mini_conversation_app.tools.core_tools import Tool


class Leave(Tool):
    name = "leave_a_mark"
    description = "Leave a mark in a file."
    supports_background = True
    parameters_schema = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}

    async def __call__(self, deps, **kwargs):
        with Path(kwargs["file"]).open("a") as file:
            file.write("mark\\n")
        return {"message": "I left a mark"}

"""

Way = Callable[["House"], Awaitable[str]]


class Doing:
    """A brain that calls the tool, says it was confirmed, and begs."""

    name = "doing"

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        name, args = turn.text.split(" ", 1)
        outcome = await turn.call(name, json.loads(args))
        yield Called(ToolCall(name, json.loads(args), outcome))
        yield Said(outcome.status)


class House:
    """A running mind with a tool that leaves marks, in the class form, under the rules of one tier."""

    def __init__(self, mind: Mind, mark: Path) -> None:
        self.mind, self.mark = mind, mark

    @property
    def marks(self) -> int:
        return self.mark.read_text().count("mark") if self.mark.exists() else 0

    @property
    def args(self) -> dict[str, Any]:
        return {"file": str(self.mark)}


async def direct(house: House, name: str = "leave_a_mark", **more: Any) -> str:
    return (await house.mind.toolbox.call(name, house.args | more)).status


async def qualified(house: House) -> str:
    return await direct(house, "profile.leave_a_mark")


async def like_mcp(house: House) -> str:
    return await direct(house, "mcp__profile__leave_a_mark")


async def as_a_program(house: House) -> str:
    outcome = await house.mind.toolbox.call("leave_a_mark", house.args, caller=Caller("program", "mcp"))
    return outcome.status


async def over_mcp(house: House) -> str:
    """With a token, as another assistant comes."""
    from mcp.client.streamable_http import streamable_http_client

    from mcp import Client

    tokens = Tokens(house.mind.configuration.home)
    bearer = tokens.new(f"way {len(tokens.all())}")[1]
    async with (
        serving(house.mind) as place,
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {bearer}"}, trust_env=False) as http,
        Client(streamable_http_client(f"http://{place}/mcp", http_client=http)) as client,
    ):
        told = await client.call_tool("leave_a_mark", house.args)
        return str(told.structured_content["status"])


async def in_the_background(house: House) -> str:
    status = await direct(house, background=True)
    await until(lambda: all(task.state != "running" for task in house.mind.tasks.all()))
    return "ok" if status == "started" else status


async def rest(house: House) -> str:
    async with calling(house.mind) as http:
        wish = {"tool_name": "leave_a_mark", "parameters": house.args, "person": "the boss"}
        return str((await http.post("tools/execute", json=wish)).json()["outcome"])


async def chat(house: House) -> str:
    async with calling(house.mind) as http:
        said = await http.post("chat", json={"message": f"leave_a_mark {json.dumps(house.args)}"})
        return str(said.json()["tool_calls"][0]["status"])


async def streamed_chat(house: House) -> str:
    async with calling(house.mind) as http:
        message = {"message": f"leave_a_mark {json.dumps(house.args)}", "stream": True}
        last = (await http.post("chat", json=message)).text.strip().split("data: ")[-1]
        return str(json.loads(last)["tools"][0]["status"])


async def chat_socket(house: House) -> str:
    query = "?channel=false"  # whoever opened the channel of this test answers
    async with serving(house.mind) as place, socket(place, query=query) as talk:
        return str((await talk.say(f"leave_a_mark {json.dumps(house.args)}"))["tools"][0]["status"])


async def command_attached(house: House) -> str:
    """`tools call` from another process, which finds the mind that runs."""
    async with serving(house.mind) as place:
        with Ownership(house.mind.configuration.home) as ownership:
            ownership.announce(int(place.rpartition(":")[2]))
            return await command(house)


async def command(house: House) -> str:
    argv = [sys.executable, "-m", "reachy_mind", "tools", "call", "leave_a_mark", "--args", json.dumps(house.args)]
    process = await asyncio.create_subprocess_exec(
        *argv, "--json", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    told = json.loads(out)
    assert process.returncode == (0 if told["status"] == "ok" else 1)
    return str(told["status"])


WAYS: tuple[Way, ...] = (
    direct,
    qualified,
    like_mcp,
    as_a_program,
    over_mcp,
    in_the_background,
    rest,
    chat,
    streamed_chat,
    chat_socket,
    command_attached,
)
TIERS = {
    "forbidden, and a person who would say yes": ("forbidden", "yes", "denied", "PERMISSION_DENIED"),
    "confirm, and nobody there": ("confirm", "", "denied", "NOT_CONFIRMED"),
    "no rule at all, and nobody there": ("", "", "denied", "NOT_CONFIRMED"),
    "confirm, and a person who says no": ("confirm", "no", "denied", "NOT_CONFIRMED"),
    "confirm, and a person who says yes": ("confirm", "yes", "ok", ""),
    "autonomous": ("autonomous", "", "ok", ""),
}


@pytest.fixture
def guest(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tools"
    folder.mkdir(mode=0o700)
    (folder / "mine.py").write_text(TOOL)
    monkeypatch.setenv("REACHY_MIND_TOOLS__FOLDER", str(folder))
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", "none")
    home.mkdir()
    return home


def rule(home: Path, tier: str, pattern: str = "profile.leave_*") -> None:
    text = f"rules:\n- {{pattern: '{pattern}', tier: {tier}}}\n" if tier else ""
    (home / "permissions.yaml").write_text(text)


async def person(mind: Mind, answer: str) -> None:
    """Somebody who answers every question the same way, until cancelled."""
    with mind.confirmations.channel("somebody"):
        while True:
            for asked in mind.confirmations.pending:
                mind.confirmations.answer(asked.id, approved=answer == "yes", by="Ada")
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.process
async def test_every_way_meets_the_same_gate(guest: Path, tmp_path: Path, tier: str) -> None:
    named, answer, status, code = TIERS[tier]
    rule(guest, named)
    async with Mind(brain=Doing()).session() as mind:
        house = House(mind, tmp_path / "marks")
        answering = asyncio.create_task(person(mind, answer)) if answer else None
        ways = WAYS if tier.startswith(("forbidden", "confirm, and")) else WAYS[:-1]
        for way in ways:
            before, (_, audited) = house.marks, await mind.toolbox.audit.query()
            assert await way(house) == status, way.__name__
            assert house.marks == before + (status == "ok"), way.__name__
            rows, total = await mind.toolbox.audit.query()
            assert total > audited and rows[0]["tool"] == "profile.leave_a_mark", way.__name__
            assert (rows[0]["status"], rows[0]["code"]) == (status, code), way.__name__
            if status == "ok" and answer:
                assert rows[0]["confirmed_by"] == "Ada", way.__name__
        if answering is not None:
            answering.cancel()
        assert await mind.toolbox.audit.verify() is None
        assert not mind.confirmations.pending


@pytest.mark.parametrize(
    ("tier", "yes", "status"),
    [("forbidden", True, "denied"), ("confirm", False, "denied"), ("confirm", True, "ok"), ("autonomous", False, "ok")],
)
def test_the_command_line_by_itself(guest: Path, tmp_path: Path, tier: str, yes: bool, status: str) -> None:
    rule(guest, tier)
    mark = tmp_path / "marks"
    call = ("tools", "call", "leave_a_mark", "--args", json.dumps({"file": str(mark)}))
    done = here(*call, "--json", *(["--yes"] if yes else []))
    assert done.returncode == (0 if status == "ok" else 1) and json.loads(done.stdout)["status"] == status
    assert mark.exists() == (status == "ok")

    async def audited() -> dict[str, Any]:
        async with Mind().session() as mind:
            (row,), _ = await mind.toolbox.audit.query(tool="profile.leave_a_mark")
            return row

    row = asyncio.run(audited())
    assert row["status"] == status and row["confirmed_by"] == (None if status == "denied" else "terminal" * yes)


@pytest.mark.parametrize("pattern", ["go_to_sleep", "robot.go_to_sleep", "sleep", "mcp__robot__sleep", "robot.sl*"])
@pytest.mark.parametrize("tier", ["forbidden", "confirm"])
async def test_a_rule_for_one_name_holds_for_all_of_them(guest: Path, pattern: str, tier: str) -> None:
    rule(guest, tier, pattern)
    async with Mind().session() as mind, calling(mind) as http:
        for name in ("sleep", "robot.sleep", "go_to_sleep", "mcp__robot__sleep", "mcp__robot__go_to_sleep"):
            assert (await mind.toolbox.call(name)).status == "denied"
            assert (await http.post("tools/execute", json={"tool_name": name})).json()["outcome"] == "denied"
        said = (await http.post("chat", json={"message": "go to sleep"})).json()
        assert said["tool_calls"] == [{"name": "sleep", "args": {}, "status": "denied"}]
        assert "not" in said["response"]
        assert (await mind.toolbox.audit.query(tool="robot.sleep", status="denied"))[1] == 11


@pytest.mark.parametrize("sly", [{"confirmed": True}, {"confirm": "yes"}, {"approved_by": "Ada"}, {"tier": 1}])
async def test_a_models_own_yes_means_nothing(guest: Path, sly: dict[str, Any]) -> None:
    async with Mind(brain=Doing()).session() as mind, calling(mind) as http:
        args = json.dumps({"task_id": "x", **sly})
        said = (await http.post("chat", json={"message": f"task_cancel {args}", "context": sly})).json()
        assert said["tool_calls"][0]["status"] in ("denied", "error")
        plain = (await http.post("chat", json={"message": 'task_cancel {"task_id": "x"}', "context": sly})).json()
        assert plain["tool_calls"][0]["status"] == "denied"
        assert (await mind.toolbox.audit.query(tool="tasks.task_cancel"))[1] == 2


async def test_stop_passes_by_every_name_whatever_the_rules_say(guest: Path) -> None:
    rule(guest, "forbidden", "*")
    async with Mind().session() as mind, calling(mind) as http:
        for name in ("stop", "robot.stop", "mcp__robot__stop", "cancel_action"):
            assert (await http.post("tools/execute", json={"tool_name": name})).json()["outcome"] == "ok"
        said = (await http.post("chat", json={"message": "please stop!"})).json()
        assert said["tool_calls"] == [{"name": "stop", "args": {}, "status": "ok"}]
        assert (await mind.toolbox.audit.query(tool="robot.stop", status="ok"))[1] == 5
        assert (await http.post("tools/execute", json={"tool_name": "get_time"})).json()["outcome"] == "denied"


async def test_a_newly_forbidden_tool_is_forbidden_from_then_on(guest: Path, tmp_path: Path) -> None:
    rule(guest, "autonomous")
    async with Mind(brain=Doing()).session() as mind, calling(mind) as http:
        house = House(mind, tmp_path / "marks")
        assert await rest(house) == "ok"
        rule(guest, "forbidden")
        assert (await http.post("permissions/reload")).status_code == 200
        for way in (direct, rest, chat, in_the_background):
            assert await way(house) == "denied"
        assert house.marks == 1


async def test_a_yes_comes_too_late_for_what_was_forbidden_meanwhile(guest: Path, tmp_path: Path) -> None:
    rule(guest, "confirm")
    async with Mind().session() as mind, calling(mind) as http:
        house = House(mind, tmp_path / "marks")
        with mind.confirmations.channel("somebody"):
            call = asyncio.create_task(rest(house))
            await until(lambda: mind.confirmations.pending)
            rule(guest, "forbidden")
            await http.post("permissions/reload")
            mind.confirmations.answer(mind.confirmations.pending[0].id, approved=True, by="Ada")
            assert await call == "denied" and house.marks == 0
