"""What every body must do: one suite for our simulator and for the vendor's daemon.

It runs on the simulator, and also on the daemons at VENDOR_DAEMON and VENDOR_MOCKUP (HOST:PORT) when they are set.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import replace

import httpx
import pytest
from websockets.asyncio.client import connect

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import reachable_body_yaw
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import HardwareError
from reachy_mind.motion.client import Motion
from tests.waiting import until


async def awake(motion: Motion) -> Pose:
    return (await motion.wake()).state.pose


async def arrive(motion: Motion, wish: Pose, duration: float, within: float = math.radians(3)) -> Pose:
    """Where the robot is once it is there. The vendor's simulation falls behind real time and settles after a goto."""
    await awake(motion)
    await motion.goto(wish, duration)
    return (await motion.wait_for(lambda state: state.pose.distance(wish) < within, timeout=20)).pose


async def test_it_says_who_it_is(motion: Motion) -> None:
    state = motion.state
    assert state.robot and state.version.startswith("1.") and state.simulated
    assert state.mode in set(MotorMode) and len(state.joints) == 7


async def test_states_keep_coming(motion: Motion) -> None:
    times = []
    async for state in motion.states():
        times.append(state.at)
        if len(times) == 25:
            break
    assert times == sorted(set(times))


async def test_waking_raises_the_head_and_keeps_it_there(motion: Motion) -> None:
    await motion.sleep()  # the vendor's bodies are as another test has left them, and one that is awake is not woken
    assert (await awake(motion)).distance(AWAKE) < math.radians(4)
    assert motion.state.mode is MotorMode.ENABLED


async def test_a_goto_ends_where_it_was_sent(motion: Motion) -> None:
    wish = replace(AWAKE, yaw=math.radians(25), pitch=math.radians(10), antenna_left=0.6, antenna_right=-0.6)
    await arrive(motion, wish, 0.8)


async def test_the_body_turns_when_the_head_looks_behind(motion: Motion) -> None:
    behind = replace(AWAKE, yaw=math.radians(110), body_yaw=reachable_body_yaw(math.radians(110), 0.0))
    pose = await arrive(motion, behind, 1.5, within=math.radians(6))
    assert pose.body_yaw == pytest.approx(math.radians(45), abs=math.radians(6))


async def test_a_stream_of_targets_is_followed(motion: Motion) -> None:
    await arrive(motion, AWAKE, 1.5)
    far, sent = math.radians(20), 0
    with motion.teleoperate() as send:
        async for state in motion.states():
            if abs(state.pose.yaw - far) < math.radians(2):
                break
            sent += 1
            send(replace(AWAKE, yaw=far * min(sent / 50, 1.0)))  # who falls silent for half a second has let go
    assert sent >= 40, "it went along with the targets, not ahead of them"


async def test_stop_ends_a_move_before_its_target(motion: Motion) -> None:
    await arrive(motion, AWAKE, 0.8)
    moving = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.6), 3.0))
    await motion.wait_for(lambda state: state.pose.yaw > 0.1, timeout=5)
    stopped = (await motion.stop()).state.pose.yaw
    with pytest.raises(HardwareError, match="stopped"):
        await moving
    assert 0.1 < stopped < 0.55


async def test_an_unreachable_target_leaves_the_robot_where_it_is(robot: Address, kinematics: Kinematics) -> None:
    """Of the daemon itself: this is why we check reach before we send anything."""
    far = Pose(z=0.2).head_matrix()
    assert kinematics.joints(far, 0.0) is None
    async with httpx.AsyncClient(base_url=robot.http) as http:
        await http.post("/api/motors/set_mode/enabled")
        await http.post("/api/move/goto", json={"head_pose": {"z": -0.01}, "duration": 1.0})

        async def there() -> bool:
            return abs((await http.get("/api/state/present_head_pose")).json()["z"] + 0.01) <= 0.001

        await until(there)
    async with connect(robot.socket) as socket:
        heights = []
        for number in range(150):
            if number == 50:
                await socket.send(protocol.SetFullTarget(head=list(far)).model_dump_json())
            message = json.loads(await socket.recv())
            if message["type"] == "head_pose":
                heights.append(message["head_pose"][2][3])
    assert max(heights) - min(heights) < 0.005


async def test_sleep_lowers_the_head(motion: Motion) -> None:
    await awake(motion)
    state = (await motion.sleep()).state
    assert state.pose.distance(ASLEEP) < math.radians(15)
