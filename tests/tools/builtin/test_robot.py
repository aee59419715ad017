"""Tools that move the robot, on the simulated one: what they say they did is what the robot measured.

All of them share one robot, which takes seconds to wake: each test begins where the one before has left it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from reachy_mind.body.pose import ASLEEP, AWAKE
from reachy_mind.events import RobotMoved, RobotStopped
from reachy_mind.motion import clips
from reachy_mind.motion.client import Motion
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.moves import Frames
from reachy_mind.tools.builtin.head import EYE_FORWARD, EYE_HEIGHT
from reachy_mind.tools.context import Caller
from tests.fakes.processes import Daemon
from tests.tools.builtin.robot import done, refused, toolbox
from tests.waiting import until

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

NEAR = 4.0
"""Degrees that gravity may bend the neck."""

WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("move_head", {"pitch": 100, "yaw": 0, "roll": 0}, "INVALID_PARAMETER"),
    ("move_head", {"yaw": -46}, "INVALID_PARAMETER"),
    ("move_head", {"roll": 31}, "INVALID_PARAMETER"),
    ("move_head", {"direction": "backwards"}, "INVALID_PARAMETER"),
    ("move_head", {"direction": "left", "yaw": 20}, "INVALID_PARAMETER"),
    ("move_head", {}, "INVALID_PARAMETER"),
    ("move_head", {"degrees": 20}, "INVALID_PARAMETER"),
    ("move_head", {"direction": "up", "duration": 0}, "INVALID_PARAMETER"),
    ("look_at", {"yaw": float("nan")}, "INVALID_PARAMETER"),
    ("look_at_world", {"x": 0, "y": 0, "z": 0.2}, "OUT_OF_REACH"),
    ("rotate", {"direction": "up"}, "INVALID_PARAMETER"),
    ("rotate", {"direction": "left", "degrees": 0}, "INVALID_PARAMETER"),
    ("set_antennas", {}, "INVALID_PARAMETER"),
    ("nod", {"times": 9}, "INVALID_PARAMETER"),
    ("express_emotion", {"emotion": "hungry for pizza"}, "INVALID_PARAMETER"),
    ("express_emotion", {"emotion": "happy", "intensity": 2}, "INVALID_PARAMETER"),
    ("dance", {"name": "nod"}, "INVALID_PARAMETER"),
    ("dance", {"name": "macarena"}, "INVALID_PARAMETER"),
    ("play_move", {"name": "no/such"}, "INVALID_PARAMETER"),
    ("set_motor_mode", {"mode": "turbo"}, "INVALID_PARAMETER"),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def motion(daemon: Daemon, description: Path) -> AsyncIterator[Motion]:
    async with Motion(daemon.address, description, idle=False, log_level="error") as connected:
        await connected.wait_connected(10)
        yield connected


def asleep(motion: Motion) -> bool:
    return motion.state.pose.distance(ASLEEP) < 0.3


async def test_what_can_not_be_done_does_not_wake_it(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        assert asleep(motion)
        for name, args, code in WRONG:
            assert ((await refused(box, name, **args))[0]) == code, (name, args)
        assert asleep(motion) and not motion.state.engaged


async def test_how_it_is(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        state = await done(box, "get_robot_state")
        assert state["message"] == "I am asleep; motors off." and state["awake"] is False and state["simulated"] is True
        assert (await done(box, "wake_up"))["motor_mode"] == "enabled"
        assert (await done(box, "wake_up"))["message"] == "I was awake already."
        state = await done(box, "get_status")
        assert state["awake"] is True and state["link"] == "connected" and state["age_ms"] < 1000
        pose = await done(box, "get_pose")
        assert pose["pose"]["pitch"] == pytest.approx(0, abs=NEAR)
        assert pose["antennas"]["right"] == pytest.approx(10, abs=NEAR)

        sensors = await done(box, "get_sensor_data")
        assert len(sensors["joints"]) == 7 and sensors["motors"]["mode"] == "enabled"
        assert set(sensors["absent"]) == {"imu", "temperature", "battery"}
        asked = await done(box, "get_sensor_data", sensors=["link", "imu"])
        assert asked["link"]["status"] == "connected" and "joints" not in asked and list(asked["absent"]) == ["imu"]

        outcome = await box.call("set_motor_mode", {"mode": "gravity_compensation"})
        assert outcome.status == "ok" and outcome.tier == 2 and outcome.data["motor_mode"] == "gravity_compensation"
        assert (await done(box, "set_motor_mode", mode="disabled"))["motor_mode"] == "disabled"
        assert asleep(motion)  # it lay down first
        assert (await done(box, "set_motor_mode", mode="enabled"))["message"] == "My motors are on."
        assert (await done(box, "set_motor_mode", mode="enabled"))["message"] == "My motors were on already."


async def test_it_looks_where_it_is_told(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        with box.parts.bus.subscribe(RobotMoved) as moved:
            told = await done(box, "move_head", direction="left", speed="fast")  # which wakes it, too
            event = await moved.get()
        assert told["final_position"]["yaw"] == pytest.approx(35, abs=NEAR) and told["clamped"] == []
        assert told["message"] == "I am looking to my left."
        assert isinstance(event, RobotMoved) and event.command == "move_head"
        assert math.degrees(motion.state.pose.yaw) == pytest.approx(told["final_position"]["yaw"], abs=1)

        told = await done(box, "move_head", direction="up_right", degrees=15, duration=0.5)
        assert told["final_position"]["yaw"] == pytest.approx(-15, abs=NEAR)
        assert told["final_position"]["pitch"] == pytest.approx(-15, abs=NEAR)

        told = await done(box, "move_head", direction="left", degrees=20, pitch=-10, duration=0.5)
        assert told["final_position"]["yaw"] == pytest.approx(20, abs=NEAR)
        assert told["final_position"]["pitch"] == pytest.approx(-10, abs=NEAR)

        told = await done(box, "move_head", pitch=10, yaw=20, roll=5, duration=0.5)
        for axis, degrees in (("pitch", 10), ("yaw", 20), ("roll", 5)):
            assert told["final_position"][axis] == pytest.approx(degrees, abs=NEAR)

        told = await done(box, "move_head", direction="center", speed="fast")
        assert told["final_position"]["yaw"] == pytest.approx(0, abs=NEAR)


async def test_it_tells_what_it_could_not_do(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        told = await done(box, "move_head", pitch=45, yaw=0, roll=0, duration=0.6)
        assert told["clamped"] == [{"axis": "pitch", "asked": 45.0, "given": 40.0, "unit": "degrees"}]
        assert told["final_position"]["pitch"] == pytest.approx(40, abs=NEAR) and "40 instead of 45" in told["message"]

        told = await done(box, "look_at", yaw=-80, z=10, duration=1.0)
        assert told["final_position"]["yaw"] == pytest.approx(-80, abs=NEAR)
        assert told["final_position"]["body_yaw"] == pytest.approx(-35, abs=NEAR)  # the neck turns by 45
        assert told["final_position"]["z_mm"] == pytest.approx(10, abs=4)

        told = await done(box, "rest", speed="fast")
        assert max(map(abs, told["final_position"].values())) < NEAR

        told = await done(box, "rotate", direction="left", degrees=200, speed="fast")
        assert told["final_position"]["body_yaw"] == pytest.approx(160, abs=NEAR)
        assert told["final_position"]["yaw"] == pytest.approx(160, abs=NEAR)
        assert told["clamped"][0]["axis"] == "body_yaw" and told["clamped"][0]["asked"] == pytest.approx(200, abs=NEAR)
        assert (await refused(box, "rotate", direction="left"))[0] == "OUT_OF_REACH"

        told = await done(box, "rotate", direction="right", degrees=60, speed="fast")
        assert told["final_position"]["body_yaw"] == pytest.approx(100, abs=NEAR)
        assert told["message"] == "I turned right; my body faces 100 degrees left of the front."

        told = await done(box, "move_head", direction="right", speed="fast")  # from where the body faces
        assert told["final_position"]["yaw"] == pytest.approx(65, abs=NEAR)


async def test_it_looks_at_things_in_the_room(tmp_path: Path, motion: Motion, daemon: Daemon) -> None:
    async with toolbox(tmp_path, motion) as box, httpx.AsyncClient(base_url=daemon.url) as simulator:
        x, y, z = (await simulator.get("/sim/v1/scene")).json()["objects"]["apple"]
        await done(box, "look_at_world", x=x, y=y, z=z, duration=0.8)
        m = motion.state.pose.head_matrix()
        eye = [m[i] * EYE_FORWARD + m[i + 2] * EYE_HEIGHT + m[i + 3] for i in (0, 4, 8)]
        eye[2] += motion.kinematics.head_height
        to = [x - eye[0], y - eye[1], z - eye[2]]
        ahead = sum(a * b for a, b in zip(to, (m[0], m[4], m[8]), strict=True)) / math.hypot(*to)
        assert math.degrees(math.acos(ahead)) < NEAR  # the apple is in the middle of the picture


async def test_antennas(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        told = await done(box, "set_antennas", left=60, right=30)
        assert told["antennas"]["left"] == pytest.approx(60, abs=NEAR)
        assert told["antennas"]["right"] == pytest.approx(30, abs=NEAR)
        assert math.degrees(motion.state.pose.antenna_right) == pytest.approx(-30, abs=NEAR)

        recording = asyncio.create_task(motion.record(2.0))
        told = await done(box, "set_antenna_state", left_angle=0, wiggle=True, duration_ms=300)
        lefts = [math.degrees(frame[7]) for frame in (await recording).frames]
        assert min(lefts) < -10 and told["antennas"]["left"] == pytest.approx(0, abs=NEAR)
        assert told["antennas"]["right"] == pytest.approx(30, abs=NEAR)
        assert (await refused(box, "set_antenna_state", duration_ms="soon"))[0] == "INVALID_PARAMETER"


async def test_gestures_emotions_and_recorded_moves(tmp_path: Path, motion: Motion) -> None:
    swing = Frames([replace(AWAKE, antenna_left=math.sin(tick / 15)).as_tuple for tick in range(95)])
    clips.write(Clip("hey", swing), tmp_path / "moves" / "mine" / "hey.json")
    async with toolbox(tmp_path, motion) as box:
        await done(box, "rest", speed="fast")
        for call, axis, size in (
            (done(box, "nod", times=1, speed="fast"), 4, 6),
            (done(box, "shake", times=1, speed="fast"), 5, 15),
            (done(box, "wave", times=1, speed="fast"), 7, 20),
            (done(box, "play_emotion", emotion="surprise", intensity=0), 2, 0.005),
            (done(box, "play_recorded_move", dataset="somebody/mine", move_name="hey"), 7, 20),
        ):
            recording = asyncio.create_task(motion.record(1.2))
            told = await call
            seen = [frame[axis] for frame in (await recording).frames]
            assert max(seen) - min(seen) > (size if axis == 2 else math.radians(size)), told["move"]
            assert max(abs(told["final_position"][name]) for name in ("pitch", "yaw", "roll")) < NEAR
        assert told["move"] == "hey" and told["sound"] == "none"


async def test_stop_ends_a_dance_and_the_call_too(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        dance = asyncio.create_task(box.call("dance", {"name": "twist", "repeat": 20}))
        await until(lambda: motion.state.busy and abs(motion.state.pose.body_yaw) > 0.1)
        assert (await done(box, "stop_emotion", dummy=True))["stopped"] == []  # a dance is none
        assert motion.state.busy
        with box.parts.bus.subscribe(RobotStopped) as stops:
            told = await done(box, "cancel_action", all_actions=True)
            assert isinstance(await stops.get(), RobotStopped)
        assert told["stopped"] == ["twist"] and told["message"] == "I stopped: twist."
        outcome = await dance
        assert outcome.status == "cancelled"
        held = motion.state.command
        assert not motion.state.busy and motion.state.pose.distance(held) < math.radians(NEAR)

        # In the middle of waking up, which takes several steps, a stop is the last word, too.
        assert (await done(box, "go_to_sleep"))["message"] == "I am asleep: head down, motors off."
        assert asleep(motion)
        nod = asyncio.create_task(box.call("nod"))
        await until(lambda: motion.state.engaged)
        await done(box, "stop")
        assert (await nod).status == "cancelled"
        pose = motion.state.pose
        for _ in range(25):  # half a second of what the robot reports
            at = motion.state.at
            await motion.wait_for(lambda state, at=at: state.at > at, 5)
        assert motion.state.pose.distance(pose) < math.radians(1) and not motion.state.busy


async def test_ending_a_dance_or_an_emotion(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        assert (await done(box, "stop_dance"))["message"] == "I am not dancing."
        started = await box.call("dance", {"name": "shimmy", "background": True})
        assert started.status == "started"
        await until(lambda: motion.state.engaged and motion.state.busy)
        assert (await done(box, "stop_dance", dummy=False))["stopped"] == ["shimmy"]
        await motion.wait_for(lambda state: not state.busy, 1)

        sad = asyncio.create_task(box.call("express_emotion", {"emotion": "sad"}))
        await until(lambda: motion.state.busy)
        assert (await done(box, "stop_emotion"))["stopped"] == ["sad"]
        assert (await sad).status == "cancelled"
        await motion.wait_for(lambda state: not state.busy, 1)


async def test_a_newer_command_wins(tmp_path: Path, motion: Motion) -> None:
    async with toolbox(tmp_path, motion) as box:
        older = asyncio.create_task(box.call("dance", {"name": "disco"}, caller=Caller(turn="1")))
        await until(lambda: motion.state.busy and motion.awake)
        newer = await box.call("move_head", {"direction": "right", "speed": "fast"}, caller=Caller(turn="2"))
        assert newer.status == "ok" and newer.data["final_position"]["yaw"] == pytest.approx(-35, abs=NEAR)
        outcome = await older
        assert outcome.status == "cancelled" and outcome.error is not None and "newer" in outcome.error["message"]
