"""The trial's world: real tools and motion on virtual time."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.body.limits import JOINT_RANGES
from reachy_mind.config.configuration import load
from reachy_mind.errors import LinkLost
from reachy_mind.motion.moves import Goto
from reachy_mind.sim.appearance import ThingLook
from reachy_mind.tools.context import Caller
from reachy_mind.workshop.trial.clock import VirtualClock
from reachy_mind.workshop.trial.event_loop import run
from reachy_mind.workshop.trial.folder import PREFIX
from reachy_mind.workshop.trial.record import TrialRecord
from reachy_mind.workshop.trial.world import TrialWorld

pytestmark = [pytest.mark.simulator, pytest.mark.usefixtures("description")]


def try_out(scenario: Callable[[TrialWorld], Awaitable[Any]], *, seed: int = 0) -> tuple[Any, TrialRecord]:
    clock = VirtualClock(epoch=1_700_000_000.0)

    async def main() -> tuple[Any, TrialRecord]:
        async with TrialWorld(load(), seed=seed) as world:
            return await scenario(world), world.record

    with clock.patched():
        return run(main, clock)


async def call(world: TrialWorld, tool: str, /, **args: Any) -> Any:
    outcome = await world.toolbox.call(tool, args, caller=Caller(kind="program", channel="trial"))
    assert outcome.status == "ok", outcome.error
    return outcome.data


def test_a_tool_moves_the_robot_through_the_real_motion_engine() -> None:
    async def scenario(world: TrialWorld) -> Any:
        return await call(world, "robot.look", yaw=30, duration=1)

    data, record = try_out(scenario)
    assert data["pose"]["yaw"] == pytest.approx(30, abs=2)
    assert math.degrees(record.poses[-1].pose[5]) == pytest.approx(30, abs=2)
    assert [(each.tool, each.status) for each in record.calls] == [("robot.look", "ok")]


def test_an_hour_long_timer_is_announced_after_an_hour() -> None:
    async def scenario(world: TrialWorld) -> None:
        await call(world, "time.set_timer", minutes=60)
        await asyncio.sleep(3700)

    _, record = try_out(scenario)
    (words,) = record.words
    assert words.announced
    assert words.t == pytest.approx(3600, abs=0.1)
    assert "1 hour" in words.text


def test_the_robot_rests_between_two_moves_and_moves_again_after_hours() -> None:
    async def scenario(world: TrialWorld) -> tuple[int, float]:
        await call(world, "robot.look", yaw=20, duration=1)
        await asyncio.sleep(10)
        before = len(world.record.poses)
        await asyncio.sleep(3 * 3600)
        at_rest = len(world.record.poses) - before
        data = await call(world, "robot.look", yaw=-20, duration=1)
        return at_rest, data["pose"]["yaw"]

    (recorded_at_rest, yaw), _ = try_out(scenario)
    assert recorded_at_rest == 0
    assert yaw == pytest.approx(-20, abs=2)


def test_the_limits_of_the_engine_apply_and_what_they_cut_is_recorded() -> None:
    async def scenario(world: TrialWorld) -> tuple[float, ...]:
        await world.motion.play(Goto({"pitch": 2.0}, 0.5))
        return world.motion.state.joints

    joints, record = try_out(scenario)
    for joint, (low, high) in zip(joints, JOINT_RANGES, strict=True):
        assert low - 0.05 <= joint <= high + 0.05
    assert {axis for limit in record.limits for axis in limit.axes} == {"pitch"}
    assert max(recorded.pose[4] for recorded in record.poses) < 1.0


def test_speaking_takes_its_time_and_is_recorded() -> None:
    async def scenario(world: TrialWorld) -> float:
        before = world.elapsed
        await call(world, "voice.speak", text="This is a sentence of some length, said at the usual speed.")
        return world.elapsed - before

    seconds, record = try_out(scenario)
    assert 2 < seconds < 8
    assert record.words[0].text.startswith("This is a sentence")


def test_a_stop_interrupts_a_dance() -> None:
    async def scenario(world: TrialWorld) -> tuple[str, float]:
        dance = asyncio.create_task(world.toolbox.call("robot.dance", {}))
        await asyncio.sleep(2)
        await call(world, "robot.stop")
        outcome = await dance
        return outcome.status, world.elapsed

    (status, elapsed), _ = try_out(scenario)
    assert status == "cancelled"
    assert elapsed < 4


def test_the_same_seed_gives_the_same_movement() -> None:
    async def scenario(world: TrialWorld) -> None:
        await call(world, "robot.dance", name="two_step")

    (_, first), (_, second) = try_out(scenario, seed=3), try_out(scenario, seed=3)
    assert first.poses == second.poses
    assert len(first.poses) > 100


def test_the_scene_changes_at_its_time() -> None:
    ball = ThingLook(shape="sphere", half_sizes=(0.03, 0.0, 0.0), color=(1.0, 0.0, 0.0), mass=0.05)

    async def scenario(world: TrialWorld) -> list[set[str]]:
        def things() -> set[str]:
            return {thing.name for thing in world.scene.world.things}

        world.at(20, lambda w: w.scene.add_thing(ball, (0.4, 0.1), name="ball"))
        world.at(30, lambda w: w.scene.add_person("ada", (1.0, 0.0), height=1.7, looking="robot"))
        world.at(40, lambda w: w.scene.world.things.remove("duck"))
        seen = []
        for _ in range(3):
            await asyncio.sleep(15)
            seen.append(things())
        assert [person.name for person in world.scene.world.people] == ["ada"]
        return seen

    (early, middle, late), _ = try_out(scenario)
    assert "ball" not in early
    assert {"ball", "duck"} <= middle
    assert "duck" not in late


def test_a_lost_link_is_told_and_comes_back() -> None:
    async def scenario(world: TrialWorld) -> tuple[str, str, float]:
        world.body.link.lost = "the cable was pulled"
        world.body.wake()
        await asyncio.sleep(1)
        status = world.motion.status
        with pytest.raises(LinkLost):
            _ = world.motion.state
        world.body.link.lost = ""
        world.body.wake()
        await asyncio.sleep(1)
        data = await call(world, "robot.look", yaw=10, duration=1)
        return status, world.motion.status, data["pose"]["yaw"]

    (lost, back, yaw), _ = try_out(scenario)
    assert (lost, back) == ("lost", "connected")
    assert yaw == pytest.approx(10, abs=2)


def test_nothing_of_the_user_is_touched_and_nothing_is_left(home: Path) -> None:
    async def scenario(world: TrialWorld) -> Path:
        await call(world, "time.set_timer", minutes=5)
        return world.toolbox.parts.configuration.home.folder

    killed = tempfile.mkdtemp(prefix=f"{PREFIX}{2**22 + 1}-", dir="/dev/shm")
    folder, _ = try_out(scenario)
    assert not Path(killed).exists()
    assert not home.exists()
    assert not folder.exists()


def test_a_context_calls_tools_and_holds_the_body() -> None:
    async def scenario(world: TrialWorld) -> tuple[str, bool, bool]:
        async with world.context() as ctx:
            outcome = await ctx.call("robot.nod")
            assert ctx.hold is not None
            await ctx.hold.take()
            held = ctx.hold.has
        return outcome.status, held, ctx.hold.has

    (status, held, afterwards), _ = try_out(scenario)
    assert (status, held, afterwards) == ("ok", True, False)


def test_a_trial_has_no_network() -> None:
    async def scenario(world: TrialWorld) -> Any:
        return await world.toolbox.call("web.search_web", {"query": "robots"})

    outcome, _ = try_out(scenario)
    assert outcome.error["code"] == "NOT_READY"
