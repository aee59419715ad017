"""Rules about the motors, on a simulated robot: what sleeps is not woken by another way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from reachy_mind.motion.client import Motion
from reachy_mind.tools.context import Caller
from tests.tools.builtin.robot import toolbox
from tests.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.slow]


async def test_a_robot_that_may_not_be_woken_sleeps_on_and_moves_once_it_is_awake(
    tmp_path: Path, motion: Motion
) -> None:
    rules = "rules: [{pattern: robot.wake_up, tier: forbidden}, {pattern: robot.set_motor_mode, tier: forbidden}]"
    ways = {"move_head": {"direction": "left"}, "play_move": {"name": "tilt"}, "look": {"yaw": 10}, "wave": {}}
    async with toolbox(tmp_path, motion) as box:
        box.permissions.adopt(rules)
        for tool, args in ways.items():
            outcome = await box.call(tool, args)
            assert outcome.status == "denied" and outcome.error is not None, tool
            assert "switches the motors on" in outcome.error["message"]
        assert not motion.awake
        await motion.wake()
        assert (await box.call("move_head", {"direction": "left", "speed": "fast"})).status == "ok"
        # It falls asleep while a program waits for the body: the program does not wake it.
        box.permissions.adopt("rules: [{pattern: robot.wake, tier: forbidden}, {pattern: wake_up, tier: forbidden}]")
        asleep = asyncio.create_task(box.call("sleep", caller=Caller("person")))
        await until(lambda: motion.state.busy)
        late = await box.call("move_head", {"direction": "right"}, caller=Caller("program"))
        assert (await asleep).status == "ok"
        assert late.status == "denied" and not motion.awake
