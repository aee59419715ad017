"""The mind as a program uses it: sessions, asking, idle, and what happens when parts fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.body.address import Address
from reachy_mind.brains.brain import Said, Thought, Turn
from reachy_mind.config.configuration import load
from reachy_mind.errors import ConfigError, LinkLost, NotReady
from reachy_mind.events import Announced, MindChanged
from reachy_mind.mind import Mind
from tests.waiting import until


async def test_a_session_asks_and_is_answered(robot: Address) -> None:
    mind = Mind(robot=str(robot), idle=True, memory=True)
    async with mind.session():
        response = await mind.ask("Wave hello!")
        assert response.error is None and response.text
        assert [(call.name, call.outcome.status) for call in response.tool_calls] == [("wave", "ok")]
        assert response.cost_usd == 0.0
    assert mind.state == "shutdown"


async def test_it_is_initialized_and_shut_down_by_hand(robot: Address) -> None:
    mind = Mind(robot=str(robot))
    with pytest.raises(NotReady):
        await mind.ask("hello")
    await mind.initialize()
    try:
        assert mind.state == "ready"
        with pytest.raises(NotReady):
            await mind.initialize()
        assert (await mind.ask("hello there")).text
    finally:
        await mind.shutdown()
    await mind.shutdown()  # once more does nothing


async def test_a_program_with_exact_control(robot: Address) -> None:
    async with Mind(robot=str(robot)).session() as mind:
        assert (await mind.ask("Wake up and say hello!")).error is None
        mind.idle.pause()
        response = await mind.ask("Look left, then right, then nod", context={"room": "kitchen"})
        assert [call.name for call in response.tool_calls] == ["move_head", "move_head", "nod"]
        assert {call.outcome.status for call in response.tool_calls} == {"ok"}
        mind.idle.resume()


async def test_one_that_is_only_to_act_does_so_without_a_brain_and_thinks_when_it_is_asked() -> None:
    configuration = load(flags={"robot.address": "none", "mind.brain": "claude"})
    async with Mind(configuration, thinks=False).session() as mind:
        assert (await mind.act("get_time"))["time"]
        with pytest.raises(NotReady, match="claude"):
            await mind.ask("what time is it?")
    async with Mind(load(flags={"robot.address": "none"}), thinks=False).session() as mind:
        answers = await asyncio.gather(mind.ask("what time is it?"), mind.ask("what day is it?"))
        assert [answer.tool_calls[0].outcome.status for answer in answers] == ["ok", "ok"]


async def test_without_a_robot_it_still_answers() -> None:
    async with Mind(robot="none").session() as mind:
        response = await mind.ask("what time is it?")
        assert [call.name for call in response.tool_calls] == ["get_time"] and response.error is None
        refused = await mind.ask("nod")
        assert refused.tool_calls[0].outcome.status == "error" and "robot" in refused.text


async def test_nothing_of_a_conversation_is_kept_without_memory(home: Path) -> None:
    async with Mind(robot="none", memory=False).session() as mind:
        response = await mind.ask("good morning pomegranate")
        assert (await mind.conversations.turns(response.conversation))[1] == 1
    assert b"pomegranate" not in (home / "mind.db").read_bytes()


async def test_conversations_are_there_tomorrow() -> None:
    async with Mind(robot="none").session() as mind:
        said = (await mind.ask("hello")).conversation
    async with Mind(robot="none").session() as mind:
        (turn,), _ = await mind.conversations.turns(said)
        assert turn.said == "hello" and turn.reply


@pytest.mark.process
async def test_a_robot_that_is_not_there_is_an_error_and_leaves_nothing(home: Path) -> None:
    mind = Mind(load(flags={"robot.address": "127.0.0.1:9", "robot.connect_timeout_s": 1.0}))
    with pytest.raises(LinkLost):
        await mind.initialize()
    async with Mind(robot="none").session() as other:
        assert (await other.ask("hello")).error is None


async def test_wrong_permissions_stop_it_at_once(home: Path) -> None:
    rules(home, "rules:\n- {pattern: x, tier: 9}\n")
    with pytest.raises(ConfigError, match=r"permissions\.yaml:2"):
        await Mind(robot="none").initialize()


async def test_states_are_told() -> None:
    mind = Mind(robot="none")
    with mind.bus.subscribe(MindChanged) as events:
        async with mind.session():
            await mind.ask("hello")
        states = []
        while len(states) < 5:
            event = await events.get()
            assert isinstance(event, MindChanged)
            states.append(event.state)
    assert states == ["initializing", "ready", "processing", "ready", "shutdown"]


async def test_an_announcement_becomes_part_of_its_conversation() -> None:
    async with Mind(robot="none").session() as mind:
        said = (await mind.ask("hello")).conversation
        mind.bus.publish(Announced(text="The tea is ready.", about="timer 1", conversation=said))
        turns: list[str] = []

        async def read() -> bool:
            records, _ = await mind.conversations.turns(said)
            turns[:] = [record.reply for record in records]
            return "The tea is ready." in turns

        await until(read)
        assert turns[-1] == "The tea is ready."


def rules(home: Path, text: str) -> None:
    home.mkdir()
    (home / "permissions.yaml").write_text(text)


class Slow:
    """A brain that thinks for as long as it is let."""

    name = "slow"

    async def think(self, _: Turn) -> AsyncIterator[Thought]:
        yield Said("hm")
        await asyncio.sleep(3600)


async def test_a_shutdown_cuts_a_turn_short() -> None:
    async with Mind(robot="none", brain=Slow()).session() as mind:
        asking = asyncio.create_task(mind.ask("think"))
        await until(lambda: mind.state == "processing")
    response = await asking
    assert response.error is not None and response.error["code"] == "INTERRUPTED"


async def test_tools_of_the_users_own_come_first(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o700)
    (folder / "greet.py").write_text(
        "from reachy_mini_conversation_app.tools.core_tools import Tool\n"
        "class Greet(Tool):\n"
        "    name = 'greet'\n"
        "    description = 'Greet somebody.'\n"
        "    parameters_schema = {'type': 'object', 'properties': {'who': {'type': 'string'}}, 'required': ['who']}\n"
        "    async def __call__(self, deps, **kwargs):\n"
        "        return {'message': 'hello ' + kwargs['who']}\n"
    )
    (folder / "broken.py").write_text("import nothing_like_it\n")
    rules(home, "rules:\n- {pattern: greet, tier: autonomous}\n")
    monkeypatch.setenv("REACHY_MIND_TOOLS__FOLDER", str(folder))
    async with Mind(robot="none").session() as mind:
        outcome = await mind.toolbox.call("greet", {"who": "Ada"})
        assert outcome.data == {"message": "hello Ada"}
        assert any("broken" in name for name in mind.toolbox.registry.refused)


async def test_a_brain_is_chosen_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    async with Mind(robot="none", brain="reflex").session() as mind:
        assert (await mind.ask("what is 6 times 7?")).brain == "reflex" and mind.thinking.brain().name == "reflex"
