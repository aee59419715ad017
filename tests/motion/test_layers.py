"""Idling, postures, gaze and speech on top of moves, with a real simulated robot."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest

from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.client import Motion

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def motion(at_rest: Motion) -> Motion:
    return at_rest


async def test_idle_breathes_and_can_be_switched_off(motion: Motion) -> None:
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    motion.idle(on=False)
    await held_still(motion)


async def test_idle_rests_while_somebody_is_answered_and_goes_on_afterwards(motion: Motion) -> None:
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    motion.rest_idle(on=True)
    await held_still(motion)
    motion.rest_idle(on=False)
    was = motion.state.pose.z
    await motion.wait_for(lambda state: abs(state.pose.z - was) > 0.002, timeout=15)


async def held_still(motion: Motion) -> None:
    """Until the pose has not changed for half a second: breathing would change it."""
    unchanged, last = 0, (0.0,)
    async for state in motion.states():
        now = tuple(round(value, 4) for value in state.pose.as_tuple)
        unchanged, last = (unchanged + 1, last) if now == last else (0, now)
        if unchanged > 25:
            return


async def test_a_robot_that_idles_goes_to_sleep_and_stays_down(motion: Motion) -> None:
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    assert (await motion.sleep()).state.pose.distance(ASLEEP) < math.radians(15)
    await motion.wake()
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)


async def test_layers_reach_the_robot(motion: Motion) -> None:
    motion.listening(on=True)
    await motion.wait_for(lambda state: abs(state.pose.roll) > math.radians(4), timeout=5)
    motion.listening(on=False)
    motion.idle(on=True)
    motion.gaze(0.5, 0.1, time.monotonic() + 5)
    await motion.wait_for(lambda state: state.pose.yaw > 0.4, timeout=8)


async def test_a_long_speech_of_many_packets_moves_the_robot_and_an_empty_one_ends_it(motion: Motion) -> None:
    syllables = ([0.9] * 15 + [0.2] * 10) * 240
    assert motion.speech(syllables, time.monotonic() - 55)
    await motion.wait_for(lambda state: state.pose.pitch > math.radians(1.5), timeout=4)
    motion.speech([], time.monotonic())
    await motion.wait_for(lambda state: state.added == Pose() and state.pose.distance(AWAKE) < 0.05, timeout=5)


async def test_a_move_while_the_robot_thinks_and_speaks_arrives_and_keeps_nothing_of_it(motion: Motion) -> None:
    """The robot is not where the move ends, but where it ends plus its posture: no failure, and it does not add up."""
    motion.posture("thinking")
    motion.speech(([0.9] * 15 + [0.2] * 10) * 60, time.monotonic())
    for antenna in (0.3, 0.5, 0.3, 0.5):
        await motion.wait_for(lambda state: state.pose.pitch < math.radians(-6), timeout=5)
        await motion.goto(replace(motion.state.command, antenna_left=antenna), 0.3)
    wish = replace(AWAKE, antenna_left=0.5)
    await motion.wait_for(lambda state: state.command.distance(wish) < math.radians(3), timeout=5)


async def test_a_posture_nobody_knows_and_speech_that_is_none_are_refused(motion: Motion) -> None:
    with pytest.raises(InvalidParameter, match="sulking"):
        motion.posture("sulking")
    for envelope, t0, start in ([0.5], math.nan, 0), ([0.5], 0.0, -1), (["loud"], 0.0, 0):
        with pytest.raises(InvalidParameter):
            motion.speech(envelope, t0, start=start)  # type: ignore[arg-type]


async def test_answers_do_not_wait_for_idling_to_end(motion: Motion) -> None:
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    arrival = await motion.goto(replace(AWAKE, antenna_left=2.5, antenna_right=-2.5), 0.4)
    assert arrival.state.pose.antenna_left == pytest.approx(2.5, abs=0.1)
