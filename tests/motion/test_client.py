"""The motion process and its client, with a real simulated robot."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest

from reachy_mind.body.limits import reachable_body_yaw
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose, wrap_angle
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import HardwareError, InvalidParameter, NotReady, OutOfReach, RobotBusy
from reachy_mind.motion.client import Motion
from reachy_mind.motion.moves import Goto

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def motion(at_rest: Motion) -> Motion:
    return at_rest


async def test_motors_off_means_no_goto(motion: Motion) -> None:
    await motion.motor_mode(MotorMode.DISABLED)
    with pytest.raises(NotReady, match="disabled"):
        await motion.goto(AWAKE)


@pytest.mark.parametrize(
    ("wish", "duration", "error"),
    [
        (Pose(pitch=math.nan), 1.0, InvalidParameter),
        (Pose(pitch=math.radians(80)), 1.0, OutOfReach),
        (AWAKE, math.nan, InvalidParameter),
        (AWAKE, 0.0, InvalidParameter),
        (AWAKE, 1e9, InvalidParameter),
    ],
)
async def test_a_bad_wish_never_reaches_the_robot(
    motion: Motion, wish: Pose, duration: float, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await motion.goto(wish, duration)


async def test_clamping_goes_as_far_as_it_can_and_says_so(motion: Motion) -> None:
    arrival = await motion.goto(replace(AWAKE, pitch=math.radians(80)), 0.8, clamp=True)
    assert arrival.state.pose.pitch == pytest.approx(math.radians(40), abs=math.radians(3))
    assert [(c.axis, round(math.degrees(c.given))) for c in arrival.clamped] == [("pitch", 40)]


async def test_gotos_queue_and_sag_does_not_add_up(motion: Motion) -> None:
    turned = replace(AWAKE, yaw=math.radians(60))
    await motion.goto(turned, 0.8)
    for antenna in (0.3, 0.6):
        await motion.goto(replace(motion.state.command, antenna_left=antenna), 0.3)
    assert motion.state.command.distance(replace(turned, antenna_left=0.6)) < math.radians(0.2)
    both = await asyncio.gather(motion.goto(replace(AWAKE, yaw=0.2), 0.3), motion.goto(AWAKE, 0.3))
    assert both[-1].state.pose.distance(AWAKE) < math.radians(3)


class Wave:
    duration = 1.5

    def evaluate(self, t: float) -> Pose:
        return replace(AWAKE, yaw=0.3 * math.sin(2 * math.pi * t / 1.5))


async def test_a_move_in_python_is_played_and_recorded(motion: Motion) -> None:
    recording = asyncio.create_task(motion.record(2.0))
    await motion.play(Wave())
    recorded = await recording
    yaws = [frame[5] for frame in recorded.frames]
    assert max(yaws) > 0.2 and min(yaws) < -0.2
    assert recorded.duration == pytest.approx(2.0, abs=0.1)
    again = await motion.play(recorded)
    assert again.state.pose.yaw == pytest.approx(recorded.frames[-1][5], abs=0.05)


async def test_a_long_move_of_many_packets_arrives_whole(motion: Motion) -> None:
    slow = type("Slow", (), {"duration": 20.0, "evaluate": lambda self, t: replace(AWAKE, yaw=0.02 * t)})()
    await motion.play(slow, wait=False)
    await motion.wait_for(lambda state: state.pose.yaw > 0.03, timeout=10)
    assert (await motion.stop()).state.pose.yaw < 0.2


async def test_stop_holds_at_once_and_ends_what_waited(motion: Motion) -> None:
    moves = [asyncio.create_task(motion.goto(replace(AWAKE, yaw=yaw), 2.0)) for yaw in (0.8, -0.8)]
    await motion.wait_for(lambda state: state.pose.yaw > 0.2, timeout=5)
    stopped = (await motion.stop()).state.pose.yaw
    for move in moves:
        with pytest.raises(HardwareError, match="stopped"):
            await move
    assert 0.2 < stopped < 0.8


async def test_one_lease_at_a_time(motion: Motion) -> None:
    with motion.teleoperate() as send:
        with pytest.raises(RobotBusy), motion.teleoperate():
            pass
        send(Pose(pitch=9.0))
        await motion.wait_for(lambda state: state.command.pitch > 0.5, timeout=5)
        await motion.stop()
        with pytest.raises(RobotBusy, match="stopped"):
            send(AWAKE)
    with motion.teleoperate():
        pass


async def test_limp_and_back(motion: Motion) -> None:
    await motion.motor_mode(MotorMode.GRAVITY_COMPENSATION)
    with pytest.raises(NotReady, match="gravity_compensation"):
        await motion.goto(AWAKE)
    await motion.motor_mode(MotorMode.ENABLED)
    await motion.goto(AWAKE, 0.5)
    await motion.sleep()
    assert motion.state.mode is MotorMode.DISABLED and motion.state.pose.distance(ASLEEP) < 0.25


@pytest.mark.parametrize("yaw", [180, -170])
async def test_it_looks_behind_and_back(motion: Motion, yaw: float) -> None:
    for degrees in (yaw, -yaw if abs(yaw) < 180 else 0):
        angle = math.radians(degrees)
        wish = replace(AWAKE, yaw=angle, body_yaw=reachable_body_yaw(angle, motion.state.command.body_yaw))
        arrival = await motion.goto(wish, 2.0)
        assert abs(wrap_angle(arrival.state.pose.yaw - angle)) < math.radians(8)


async def test_a_queue_of_gotos_is_cleared(motion: Motion) -> None:
    for yaw in (0.5, -0.5):
        await motion.play(Goto.to(replace(AWAKE, yaw=yaw), 2.0), wait=False)
    await motion.wait_for(lambda state: state.busy, timeout=5)
    motion.clear()
    await motion.wait_for(lambda state: not state.busy, timeout=5)


async def test_a_move_ends_when_whoever_plays_it_is_cancelled(motion: Motion) -> None:
    turning = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.9), 8.0))
    await motion.wait_for(lambda state: state.pose.yaw > 0.1, 8)
    turning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turning
    await motion.wait_for(lambda state: not state.busy, 2)
    assert motion.state.command.yaw < 0.8
