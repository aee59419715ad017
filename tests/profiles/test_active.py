"""Switching the profile in the middle of a conversation, and what stays when that fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from reachy_mind.body.address import Address
from reachy_mind.brains.brain import Called, Said, Thought, ToolCall, Turn
from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter
from reachy_mind.events import ProfileChanged
from reachy_mind.mind import Mind
from reachy_mind.profiles.profile import BrokenProfile, UnknownProfile
from reachy_mind.speech import flite
from tests.profiles.folders import NEW_FORMAT, OWN_TOOL, folder, profiles, put


def mind(**flags: Any) -> Mind:
    return Mind(load(flags={"robot.address": "none", **flags}))


class Reader:
    """A brain that keeps what it is given, and calls what it is told to."""

    name = "reader"

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self.turns.append(turn)
        if turn.text.startswith("call "):
            tool = turn.text.removeprefix("call ")
            yield Called(ToolCall(tool, {}, await turn.call(tool, {})))
        yield Said("read")


def ways(name: str, key: str) -> list[str]:
    return list(profiles().load(name).manner["en"][key])


async def test_a_sentence_makes_it_somebody_else_at_once_and_back_again() -> None:
    async with mind().session() as it:
        first = await it.ask("hello")
        became = await it.ask("be a poet", conversation=first.conversation)
        assert [(call.name, call.outcome.status) for call in became.tool_calls] == [("set_personality", "ok")]
        assert became.text == it.profile.greeting and it.profile.name == "poet"
        assert (await it.ask("hello", conversation=first.conversation)).text in ways("poet", "greet")
        await it.ask("switch to the grumpy personality", conversation=first.conversation)
        assert (await it.ask("thank you", conversation=first.conversation)).text in ways("grumpy", "thanks")
        await it.ask("be yourself", conversation=first.conversation)
        last = await it.ask("hello", conversation=first.conversation)
        assert last.text and last.text not in ways("grumpy", "greet") + ways("poet", "greet")
        assert last.conversation == first.conversation


async def test_everybody_is_told_and_a_brain_that_reads_gets_text_tools_and_name() -> None:
    brain = Reader()
    async with Mind(load(flags={"robot.address": "none"}), brain=brain).session() as it:
        with it.bus.subscribe(ProfileChanged) as events:
            await it.ask("one")
            profile = await it.use_profile("little friend")
            event = await asyncio.wait_for(events.get(), 5)
            assert isinstance(event, ProfileChanged) and event.name == "little_friend"
            await it.ask("two")
        before, after = brain.turns
        assert (before.profile, after.profile) == ("default", "little_friend")
        assert after.instructions.startswith(profile.instructions) and before.instructions != after.instructions
        names = {tool.name for tool in after.tools}
        assert names == {*profile.tools, "stop", "set_personality", "list_personalities"}
        assert "search_web" in {tool.name for tool in before.tools}


async def test_a_brain_that_makes_up_a_tool_of_another_profile_is_refused() -> None:
    brain = Reader()
    async with Mind(load(flags={"robot.address": "none"}), brain=brain).session() as it:
        for hidden in ("set_permission", "mind.change_setting", "mcp__robot__teleoperate"):
            (call,) = (await it.ask(f"call {hidden}")).tool_calls
            assert call.outcome.status == "denied" and "none of the tools" in (call.outcome.error or {})["message"]
        assert (await it.toolbox.audit.query(tool="mind.set_permission", status="denied"))[1] == 1, "and recorded"
        await it.use_profile("little_friend")
        (call,) = (await it.ask("call list_timers")).tool_calls
        assert call.outcome.status == "ok"
        (call,) = (await it.ask("call get_robot_state")).tool_calls
        assert call.outcome.status == "denied" and "little friend" in (call.outcome.error or {})["message"]
        assert (await it.act("get_time"))["time"]  # a person is not bound by who the robot is


async def test_what_the_profile_does_not_use_is_said_to_be_missing() -> None:
    async with mind().session() as it:
        await it.use_profile("night_watch")
        reply = await it.ask("dance the waltz")
        assert reply.tool_calls == () and "dance" in reply.text


async def test_a_switch_that_fails_leaves_the_old_one() -> None:
    put("broken", tools_txt="nod")
    async with mind().session() as it:
        await it.use_profile("poet")
        for name, error in (("nobody", UnknownProfile), ("broken", BrokenProfile), ("../poet", UnknownProfile)):
            with pytest.raises(error):
                await it.use_profile(name, keep=True)
        reply = await it.ask("switch to the pirate personality")
        assert reply.tool_calls[0].outcome.status == "error" and "pirate" in reply.text
        assert it.profile.name == it.turns.profile.name == "poet"
        assert (await it.ask("hello")).text in ways("poet", "greet")
    assert load().settings.mind.profile == "default"


async def test_it_is_kept_for_the_next_start_only_when_that_was_wished() -> None:
    async with mind().session() as it:
        await it.use_profile("poet")
        assert load().settings.mind.profile == "default"
        await it.ask("be a coach from now on")
    async with mind().session() as it:
        assert it.profile.name == "coach"
    async with mind(**{"mind.profile": "teacher"}).session() as it:  # what is set wins
        assert it.profile.name == "teacher"


async def test_one_that_cant_be_used_at_the_start_is_told_of_and_the_default_one_starts() -> None:
    put("default", tools_txt="nod")
    for name in ("nobody", "default"):
        async with mind(**{"mind.profile": name}).session() as it:
            assert (it.profile.name, it.profile.source) == ("default", "shipped")
            assert name in str(it.profile.problems[0]) and (await it.ask("hello")).text


async def test_own_tools_come_and_go_with_a_profile_that_is_trusted() -> None:
    put("hummer", instructions_txt="You hum.", tools_txt="hum\nnod", hum_py=OWN_TOOL)
    put(
        "hummer",
        get_time_py=OWN_TOOL.replace('"hum"', '"get_time"').replace("Hum(", "Time("),
        tools_txt="hum\nget_time",
    )
    async with mind().session() as it:
        registry = it.toolbox.registry
        await it.use_profile("hummer")
        assert "not trusted" in registry.refused["hummer: hum"]
        assert (await it.toolbox.call("hum")).status == "error"
        profiles().trust.mark("hummer", folder("hummer"))
        await it.use_profile("hummer")
        assert registry.find("hum")[0].qualified == "profile.hum" and "hummer: hum" not in registry.refused
        assert registry.find("get_time")[0].group == "profile" and registry.find("time.get_time")[0].group == "time"
        assert it.toolbox.permissions.decide_tier(registry.find("hum")[0]).tier.label == "confirm"
        (folder("hummer") / "hum.py").write_text(OWN_TOOL + "\n# changed\n")
        await it.use_profile("hummer")
        assert "changed since it was trusted" in registry.refused["hummer: hum"]
        await it.use_profile("default")
        assert "hummer: hum" not in registry.refused
        assert registry.find("get_time")[0].group == "time" and (await it.act("time.get_time"))["time"]


async def test_who_becomes_one_whose_code_fails_is_told_why() -> None:
    put("hummer", instructions_txt="You hum.", tools_txt="hum", hum_py=f"import no_such_thing\n{OWN_TOOL}")
    profiles().trust.mark("hummer", folder("hummer"))
    async with mind().session() as it:
        (problem,) = (await it.personality.become("hummer", keep=False, aloud=False))["problems"]
        assert problem["file"] == "hum.py" and "no_such_thing" in problem["what"]


async def test_one_in_the_new_format_is_used_like_any_other() -> None:
    put("cook", profile_md=NEW_FORMAT)
    async with mind().session() as it:
        assert (await it.ask("be a cook")).text == "Here I am: cook."
        assert it.toolbox.registry.find("sweep_look")[0].source == "built-in"


async def test_a_change_of_who_it_is_shows_at_once_and_removing_it_leads_back() -> None:
    async with mind().session() as it:
        content = {"instructions": "You sail.", "manner": {"en": {"greet": ["Ahoy."]}}}
        await it.personality.save("captain", content, new=True, like="")
        await it.use_profile("captain")
        assert (await it.ask("hello")).text == "Ahoy."
        await it.personality.save("captain", {"manner": {"en": {"greet": ["Avast."]}}}, new=False, like="")
        assert (await it.ask("hello")).text == "Avast."
        await it.personality.remove("Captain")
        assert it.profile.name == "default"
        with pytest.raises(InvalidParameter):
            await it.personality.remove("poet")


async def test_switching_all_the_time_while_others_talk_loses_nothing() -> None:
    async with mind().session() as it:

        async def talk() -> list[str]:
            return [(await it.ask("hello")).text for _ in range(10)]

        async def switch() -> None:
            for name in ("poet", "example", "scientist", "grumpy") * 5:
                await it.use_profile(name)

        told, _ = await asyncio.gather(talk(), switch())
        assert all(told) and it.profile.name == it.turns.profile.name == "grumpy"


async def test_the_examples_tool_moves_the_robot(robot: Address) -> None:
    async with Mind(robot=str(robot), idle=False).session() as it:
        await it.use_profile("example")
        outcome = await it.toolbox.call("sweep_look", {"degrees": 20})
        assert outcome.status == "ok", outcome.error
        assert "look around" in outcome.data["message"]


@pytest.mark.process
async def test_the_voice_changes_with_it_for_everybody_who_speaks() -> None:
    if not flite.available():
        pytest.skip(flite.HINT)
    put("captain", instructions_txt="You sail.", tools_txt="nod", voice_txt="Aiden")
    async with mind(**{"speech.voice": "flite"}).session() as it:

        async def spoken() -> int:
            return sum([len(pcm) async for pcm in it.speech.mouth().synthesize("Hello there, my friend.")])

        mouth = it.speech.mouth()
        usual, name = await spoken(), mouth.name
        await it.use_profile("grumpy")
        assert it.speech.mouth() is mouth and mouth.name != name  # whoever has it speaks with the new voice
        await it.use_profile("night_watch")
        assert mouth.name == name and await spoken() > 1.1 * usual  # the same, but slower
        captain = await it.use_profile("captain")
        assert mouth.name == name and await spoken() == usual and "Aiden" in str(captain.problems[0])
