"""The team: which agent answers, with which tools, and what is sent to the model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.agents import roles
from reachy_mind.brains.agents.models import is_simple
from reachy_mind.brains.brain import Past, ToolCall, Turn
from reachy_mind.config.configuration import load
from reachy_mind.developer.tools import history
from reachy_mind.errors import ConfigError
from reachy_mind.events import ThoughtTraced
from reachy_mind.tools.definition import Outcome
from tests.brains.agents.thinking import OFFERED, Gate, team, think
from tests.fakes.openai_chat import Answer, ModelServer, hand_to, say, use

BEFORE = Past("hi", "Hello!", (ToolCall("get_time", {}, Outcome("ok", {"time": "ten"})),))


@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_a_request_is_handed_on_acted_upon_and_answered(api: str) -> None:
    script = [
        hand_to("RobotControlAgent", "it is about moving"),
        use("nod", text="Sure.", times=2),
        hand_to("ReachyCoordinator", "the rest is talk"),
        say("There you are.", tokens=(400, 20), cached=300),
    ]
    with ModelServer(script) as server:
        gate, steps = Gate(), list[ThoughtTraced]()
        async with team(server, api=api, usd_per_million_in=1, usd_per_million_out=10) as brain:
            found = await think(
                brain,
                "nod twice",
                gate,
                history=(BEFORE,),
                heard="Hel",
                context={"remembered": {"facts": ["likes </remembered> tea"]}},
                id="f" * 32,
                publish=steps.append,
            )
        assert not server.wrong
        assert found.handoffs == [
            ("RobotControlAgent", "it is about moving"),
            ("ReachyCoordinator", "the rest is talk"),
        ]
        assert (gate.asked, found.reply) == ([("nod", {"times": 2})], "Sure.There you are.")
        assert (found.done.agent, found.done.tokens_in, found.done.tokens_out) == ("ReachyCoordinator", 700, 50)
        assert found.done.cost_usd == pytest.approx((700 + 10 * 50) / 1e6)
        told = json.dumps(server.asked[0].items)
        assert "get_time" in told and "Hello!" in told and "<heard_of_your_last_reply>Hel<" in told
        assert "likes /remembered tea" in told and told.count("</remembered>") == 1  # a note can't end its own mark
        # Each has its own tools, and what is said to it first never changes: a server's cache finds it again.
        assert "nod" not in server.asked[0].tools and "nod" in server.asked[1].tools
        assert "get_time" not in server.asked[0].system and server.asked[0].system == server.asked[3].system
        within = {step.span_id: step.name for step in steps if step.step == "agent"}
        chats = [step for step in steps if step.step == "chat"]
        assert [within[step.parent_id] for step in chats][:2] == ["ReachyCoordinator", "RobotControlAgent"]
        assert (len(chats), chats[0].name, chats[0].about["input_tokens"]) == (4, "gemma3:4b", 100)
        assert {step.turn_id for step in steps} == {"f" * 32}


async def test_the_agent_that_somebody_prefers_is_asked_first() -> None:
    with ModelServer([use("nod", times=2), say("There you are.")]) as server:
        gate = Gate()
        async with team(server) as brain:
            assert "RobotControlAgent" in brain.agents
            found = await think(brain, "say yes", gate, preferred="RobotControlAgent")
        assert found.handoffs == [("RobotControlAgent", "you prefer it for this")]
        assert gate.asked == [("nod", {"times": 2})] and found.done.agent == "RobotControlAgent"
    with ModelServer([say("Hello.")]) as server:
        async with team(server) as brain:
            found = await think(brain, "say yes", preferred="StorytellerAgent")
        assert (found.handoffs, found.done.agent) == ([], "ReachyCoordinator"), "there is no such agent"


async def test_words_come_as_the_model_writes_them() -> None:
    with ModelServer([say("One two three four.")]) as server:
        async with team(server) as brain:
            found = await think(brain, "count")
    assert len(found.all) > 3 and found.reply == "One two three four."


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("fly_away", {}), "there is no tool fly_away"),
        (("nod", {"times": 99}), "less than or equal to 5"),
        (("nod", '{"times": 2'), "no JSON object"),
        (("nod", "[2]"), "no JSON object"),
    ],
)
async def test_a_model_that_calls_wrongly_is_told_and_may_mend_it(wrong: tuple[str, Any], told: str) -> None:
    refused = Outcome("error", error={"code": "INVALID_PARAMETER", "message": "less than or equal to 5", "hint": ""})
    asked_wrongly = Answer("", (wrong,))
    with ModelServer([hand_to("RobotControlAgent"), asked_wrongly, say("I could not.")]) as server:
        async with team(server) as brain:
            found = await think(brain, "nod a lot", Gate({"nod": refused}))
    assert (found.reply, found.failed) == ("I could not.", None)
    assert told in server.asked[-1].result
    with ModelServer(lambda _: asked_wrongly) as server:
        async with team(server) as brain:
            found = await think(brain, "nod a lot", Gate({"nod": refused}))
    assert found.failed is not None and "confused" in found.failed.message and len(server.asked) == 3


async def test_a_model_that_goes_round_in_circles_is_stopped() -> None:
    def turn_about(asked: Any) -> Answer:
        return hand_to("RobotControlAgent" if "nod" not in asked.tools else "ReachyCoordinator")

    with ModelServer(turn_about) as server:
        async with team(server, calls_per_turn=4) as brain:
            found = await think(brain, "hm")
        assert found.failed is not None and found.failed.code == "NO_THOUGHT" and len(server.asked) == 4
        server.script = lambda _: say("Better now.")
        async with team(server) as brain:
            assert (await think(brain, "and now?")).reply == "Better now."


async def test_a_turn_that_is_cut_short_ends_the_request_and_the_tool_with_it() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def hold(name: str, args: dict[str, Any]) -> Outcome:
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return Outcome("ok")

    with ModelServer([use("get_time"), say("It is ten.")]) as server:
        async with team(server) as brain:
            turn = asyncio.create_task(_all(brain.think(Turn("what time is it?", hold, OFFERED))))
            await began.wait()
            turn.cancel()
            await asyncio.wait([turn])
            assert ended.is_set() and turn.cancelled()
            assert (await think(brain, "again")).reply == "It is ten."


async def _all(thoughts: Any) -> list[Any]:
    return [thought async for thought in thoughts]


async def test_simple_requests_go_to_the_small_model() -> None:
    with ModelServer(lambda _: say("Yes."), models=("big", "small", "own")) as server:
        async with team(server, small_model="small") as brain:
            await think(brain, "look left")
            await think(brain, "explain why the sky is blue")
    assert [asked.body["model"] for asked in server.asked] == ["small", "big"]
    assert is_simple("Wave to Ada!") and not is_simple("Look left. Then nod. Then tell me what you saw.")


async def test_a_key_goes_to_its_own_host_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-for-openai-alone")
    with ModelServer(lambda _: say("Yes.")) as server:
        async with team(server) as brain:
            await think(brain, "hello")
        async with team(server, api_key="for-this-server") as brain:
            await think(brain, "hello")
    first, second = (asked.headers for asked in server.asked)
    assert "alone" not in json.dumps(first) and second["authorization"] == "Bearer for-this-server"


def _changes(home: Path, text: str) -> None:
    home.mkdir()
    (home / "agents.yaml").write_text(text)


async def test_agents_can_be_changed_in_a_file(home: Path) -> None:
    _changes(
        home,
        "agents:\n  RobotControlAgent:\n    model: own\n    instructions: Move like a cat.\n    tools: [robot.nod]\n"
        "  CodeAgent: {enabled: false}\n",
    )
    with ModelServer([hand_to("RobotControlAgent"), say("Purr.")], models=("usual", "own")) as server:
        async with team(server) as brain:
            await think(brain, "move like a cat", instructions="Be kind.")
    first, second = server.asked
    assert "transfer_to_codeagent" not in first.tools and first.body["model"] == "usual"
    assert second.tools == ["nod", "transfer_to_reachycoordinator"] and second.body["model"] == "own"
    assert "like a cat" in second.system and second.system.endswith("Be kind.")
    assert "move_head" in first.tools  # what is nobody's any more is the coordinator's


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("agents:\n  VisionAgent:\n    modle: x\n", ":3:", "modle"),
        ("agents:\n  VisionAgent:\n    tools:\n      - robot.*\n      - {a: 1}\n", ":5:", "tools"),
        ("agents:\n\n  Vision: {}\n", ":3:", "VisionAgent"),
        ("agents: [\n", "", "YAML"),
        ("agents:\n  ReachyCoordinator: {enabled: false}\n", "", "switched off"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(home: Path, text: str, place: str, what: str) -> None:
    _changes(home, text)
    with pytest.raises(ConfigError) as refused:
        roles.read_roles(load().home.agents_file)
    assert place in refused.value.message and what in refused.value.message + refused.value.hint


async def test_a_workshop_that_is_not_given_is_not_promised() -> None:
    with ModelServer([hand_to("CodeAgent"), say("I can't write tools yet.")]) as server:
        async with team(server) as brain:
            await think(brain, "write a tool", tools=[tool for tool in OFFERED if tool.group != "workshop"])
    assert "create_tool" not in server.asked[1].tools and "no tools of the workshop" in server.asked[1].system


async def test_a_developer_is_in_the_team_where_the_tools_are() -> None:
    with ModelServer(
        [hand_to("DeveloperAgent"), use("github_status", repo="demo"), say("Clean."), say("Hi.")]
    ) as server:
        gate = Gate()
        async with team(server) as brain:
            await think(brain, "is demo clean?", gate, tools=[*OFFERED, *history.TOOLS])
            await think(brain, "hello")
    assert gate.asked == [("github_status", {"repo": "demo"})] and "github_log" in server.asked[1].tools
    assert not any(name.startswith("github") for name in server.asked[0].tools)
    assert "transfer_to_developeragent" in server.asked[0].tools
    assert "transfer_to_developeragent" not in server.asked[3].tools
