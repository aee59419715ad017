"""The motion process and its client, with a real simulated robot and with daemons that misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.limits import follow
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose, wrapped
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import (
    HardwareError,
    InvalidParameter,
    LinkLost,
    NotReady,
    OutOfReach,
    RobotBusy,
    VersionMismatch,
)
from reachy_mind.events import Bus, Event, LinkChanged, MotionRestarted, Subscription
from reachy_mind.motion.client import Motion
from reachy_mind.motion.moves import Goto
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.fakes.processes import Daemon


def quiet(address: Address, description: Path, **options: object) -> Motion:
    return Motion(address, description, idle=False, log_level="critical", **options)  # type: ignore[arg-type]


def hold(robot: Address, name: str | None) -> None:
    httpx.put(f"{robot.http}/sim/v1/app-lock", json={"holder_name": name}).raise_for_status()


# Who may be driven


async def test_nobody_at_the_address_is_a_clear_error_not_a_hang(description: Path) -> None:
    async with quiet(Address("127.0.0.1", 1), description) as motion:
        with pytest.raises(LinkLost, match=r"127\.0\.0\.1:1"):
            await motion.wait_connected(0.5)


@pytest.mark.parametrize("version", ["1.9.3", "2.0.0"])
async def test_a_daemon_of_another_age_is_refused_with_its_version(description: Path, version: str) -> None:
    manner = Misbehaviour(version=version)
    async with misbehaving(manner) as address, quiet(address, description) as motion:
        with pytest.raises(VersionMismatch, match=version):
            await motion.wait_connected(5)
        assert motion.status == "refused" and manner.received == []


@pytest.mark.parametrize("version", ["1.10.2", "1.14.0", None])
async def test_daemons_that_should_do_are_tried(description: Path, version: str | None) -> None:
    async with misbehaving(Misbehaviour(version=version)) as address, quiet(address, description) as motion:
        await motion.wait_connected(5)


async def test_a_daemon_that_is_not_running_says_why_it_is_not_used(description: Path) -> None:
    async with misbehaving(Misbehaviour(state="error")) as address, quiet(address, description) as motion:
        with pytest.raises(LinkLost, match="error"):
            await motion.wait_connected(1)


async def test_a_daemon_without_app_lock_is_fine(description: Path) -> None:
    async with misbehaving(Misbehaviour(lock_status=404)) as address, quiet(address, description) as motion:
        await motion.wait_connected(5)


async def test_messages_we_do_not_know_are_skipped(description: Path) -> None:
    strange = ['{"type": "telepathy"}', "not json", '{"type": "head_pose", "head_pose": "up"}', "[]"]
    async with misbehaving(Misbehaviour(frames=strange)) as address, quiet(address, description) as motion:
        assert (await motion.wait_connected(5)).pose.distance(AWAKE) < 1e-6


async def test_body_yaw_is_ours_as_soon_as_we_are_connected(description: Path) -> None:
    manner = Misbehaviour()
    async with misbehaving(manner) as address, quiet(address, description) as motion:
        await motion.wait_connected(5)
        assert manner.received[0] == {"type": "set_automatic_body_yaw", "enabled": False}


async def test_ok_means_nothing_when_the_motors_stay_as_they_were(description: Path) -> None:
    manner = Misbehaviour(ignores_motor_modes=True)
    async with misbehaving(manner) as address, quiet(address, description) as motion:
        await motion.wait_connected(5)
        with pytest.raises(HardwareError, match="still enabled"):
            await motion.motor_mode(MotorMode.DISABLED)


async def test_a_robot_that_does_not_follow_is_reported_and_not_dragged(description: Path) -> None:
    """The fake accepts every target and never moves."""
    async with misbehaving(Misbehaviour()) as address, quiet(address, description) as motion:
        await motion.wait_connected(5)
        await motion.motor_mode(MotorMode.ENABLED)
        with pytest.raises(HardwareError, match="does not follow"):
            await motion.goto(replace(AWAKE, yaw=0.8), 2.5)
        await motion.wait_for(lambda state: state.command.distance(AWAKE) < 0.05, timeout=5)


async def test_a_robot_held_by_another_app_is_left_alone_until_it_is_free(robot: Address, description: Path) -> None:
    hold(robot, "dance_party")
    async with quiet(robot, description) as motion:
        with pytest.raises(RobotBusy, match="dance_party"):
            await motion.wait_connected(5)
        hold(robot, None)
        await motion.wait_status("connected", 10)


async def test_our_own_lock_does_not_keep_us_out(robot: Address, description: Path) -> None:
    hold(robot, "reachy_mind")
    async with quiet(robot, description) as motion:
        await motion.wait_connected(5)


async def test_a_robot_taken_by_another_app_is_let_go(motion: Motion, robot: Address) -> None:
    hold(robot, "dance_party")
    await motion.wait_status("refused", 10)
    with pytest.raises(RobotBusy, match="dance_party"):
        _ = motion.state
    with pytest.raises(RobotBusy):
        await motion.goto(AWAKE)


# Wishes


async def test_motors_off_means_no_goto(motion: Motion) -> None:
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
    await motion.wake()
    arrival = await motion.goto(replace(AWAKE, pitch=math.radians(80)), 0.8, clamp=True)
    assert arrival.state.pose.pitch == pytest.approx(math.radians(40), abs=math.radians(3))
    assert [(c.axis, round(math.degrees(c.given))) for c in arrival.clamped] == [("pitch", 40)]


async def test_gotos_queue_and_sag_does_not_add_up(motion: Motion) -> None:
    await motion.wake()
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
    await motion.wake()
    recording = asyncio.create_task(motion.record(2.0))
    await motion.play(Wave())
    recorded = await recording
    yaws = [frame[5] for frame in recorded.frames]
    assert max(yaws) > 0.2 and min(yaws) < -0.2
    assert recorded.duration == pytest.approx(2.0, abs=0.1)
    again = await motion.play(recorded)
    assert again.state.pose.yaw == pytest.approx(recorded.frames[-1][5], abs=0.05)


async def test_a_long_move_of_many_packets_arrives_whole(motion: Motion) -> None:
    await motion.wake()
    slow = type("Slow", (), {"duration": 20.0, "evaluate": lambda self, t: replace(AWAKE, yaw=0.02 * t)})()
    await motion.play(slow, wait=False)
    await motion.wait_for(lambda state: state.pose.yaw > 0.03, timeout=10)
    assert (await motion.stop()).state.pose.yaw < 0.2


async def test_stop_holds_at_once_and_ends_what_waited(motion: Motion) -> None:
    await motion.wake()
    moves = [asyncio.create_task(motion.goto(replace(AWAKE, yaw=yaw), 2.0)) for yaw in (0.8, -0.8)]
    await motion.wait_for(lambda state: state.pose.yaw > 0.2, timeout=5)
    stopped = (await motion.stop()).state.pose.yaw
    for move in moves:
        with pytest.raises(HardwareError, match="stopped"):
            await move
    assert 0.2 < stopped < 0.8


async def test_one_lease_at_a_time(motion: Motion) -> None:
    await motion.wake()
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
    await motion.wake()
    await motion.motor_mode(MotorMode.GRAVITY_COMPENSATION)
    with pytest.raises(NotReady, match="gravity_compensation"):
        await motion.goto(AWAKE)
    await motion.motor_mode(MotorMode.ENABLED)
    await motion.goto(AWAKE, 0.5)
    await motion.sleep()
    assert motion.state.mode is MotorMode.DISABLED and motion.state.pose.distance(ASLEEP) < 0.25


async def test_idle_breathes_and_can_be_switched_off(motion: Motion) -> None:
    await motion.wake()
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    motion.idle(on=False)


async def test_a_robot_that_idles_goes_to_sleep_and_stays_down(motion: Motion) -> None:
    await motion.wake()
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    assert (await motion.sleep()).state.pose.distance(ASLEEP) < math.radians(15)
    await motion.wake()
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)


async def test_layers_reach_the_robot(motion: Motion) -> None:
    await motion.wake()
    motion.listening(on=True)
    await motion.wait_for(lambda state: abs(state.pose.roll) > math.radians(4), timeout=5)
    motion.listening(on=False)
    motion.idle(on=True)
    motion.gaze(0.5, 0.1, time.monotonic() + 5)
    await motion.wait_for(lambda state: state.pose.yaw > 0.4, timeout=8)


async def test_a_long_speech_of_many_packets_moves_the_robot_and_an_empty_one_ends_it(motion: Motion) -> None:
    await motion.wake()
    syllables = ([0.9] * 15 + [0.2] * 10) * 240
    assert motion.speech(syllables, time.monotonic() - 55)
    await motion.wait_for(lambda state: state.pose.pitch > math.radians(1.5), timeout=4)
    motion.speech([], time.monotonic())
    await motion.wait_for(lambda state: state.added == Pose() and state.pose.distance(AWAKE) < 0.05, timeout=5)


async def test_a_move_while_the_robot_thinks_and_speaks_arrives_and_keeps_nothing_of_it(motion: Motion) -> None:
    """The robot is not where the move ends, but where it ends plus its posture: no failure, and it does not add up."""
    await motion.wake()
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


# Faults


async def seen(subscription: Subscription) -> list[Event]:
    subscription.close()
    events = []
    with contextlib.suppress(StopAsyncIteration):
        while True:
            events.append(await subscription.get())
    return events


async def test_the_motion_process_killed_in_mid_move_is_started_again_and_says_so(
    robot: Address, description: Path
) -> None:
    bus = Bus()
    events = bus.subscribe()
    async with quiet(robot, description, bus=bus) as motion:
        await motion.wait_connected(10)
        await motion.wake()
        moving = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.8), 5.0))
        await motion.wait_for(lambda state: state.pose.yaw > 0.05, timeout=5)
        os.kill(motion.pid, signal.SIGKILL)
        with pytest.raises(LinkLost):
            await moving
        await motion.wait_status("connected", 10)
        state = await motion.wait_for(lambda s: s.engaged, timeout=10)
        assert 0.02 < state.pose.yaw < 0.5, "the robot held, and is taken up from there"
        assert (await motion.goto(AWAKE, 0.5)).state.pose.distance(AWAKE) < math.radians(3)
    restarts = [event for event in await seen(events) if isinstance(event, MotionRestarted)]
    assert [event.exit_code for event in restarts] == [-signal.SIGKILL]


async def test_the_main_process_killed_in_mid_move_lays_the_robot_down(robot: Address, description: Path) -> None:
    code = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom dataclasses import replace\n"
        "from reachy_mind.body.address import Address\nfrom reachy_mind.body.pose import AWAKE\n"
        "from reachy_mind.motion.client import Motion\n"
        "async def main():\n"
        "    async with Motion(Address.parse(sys.argv[1]), Path(sys.argv[2])) as motion:\n"
        "        await motion.wait_connected(10); await motion.wake(); print('up', flush=True)\n"
        "        await motion.goto(replace(AWAKE, yaw=0.8), 8.0)\n"
        "asyncio.run(main())\n"
    )
    pipe = asyncio.subprocess.PIPE
    main = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(robot), str(description), stdout=pipe, stderr=subprocess.DEVNULL
    )
    assert main.stdout is not None
    await main.stdout.readline()
    children = psutil.Process(main.pid).children()
    async with httpx.AsyncClient(base_url=robot.http) as http:
        while (await http.get("/api/state/present_head_pose")).json()["yaw"] < 0.1:
            await asyncio.sleep(0.02)
        main.kill()
        await main.wait()
        while (await http.get("/api/motors/status")).json()["mode"] != "disabled":
            await asyncio.sleep(0.05)
        pose = (await http.get("/api/state/present_head_pose")).json()
    assert pose["z"] < -0.03, "it lies down before its motors go off"
    assert await asyncio.to_thread(psutil.wait_procs, children, 10) == (children, [])


async def test_a_frozen_motion_process_goes_on_without_a_burst(motion: Motion) -> None:
    await motion.wake()
    moving = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.5), 3.0))
    await motion.wait_for(lambda state: state.pose.yaw > 0.05, timeout=5)
    os.kill(motion.pid, signal.SIGSTOP)
    await asyncio.sleep(1.0)
    os.kill(motion.pid, signal.SIGCONT)
    assert (await moving).state.pose.yaw == pytest.approx(0.5, abs=0.05)
    assert (await motion.lateness())["skipped"] >= 50


async def test_a_motion_process_that_hangs_is_replaced(motion: Motion) -> None:
    await motion.wake()
    hung = motion.pid
    os.kill(hung, signal.SIGSTOP)
    await motion.wait_status("lost", 10)
    await motion.wait_status("connected", 10)
    await motion.wait_for(lambda state: state.engaged, timeout=10)
    assert motion.pid != hung
    await motion.goto(replace(AWAKE, yaw=0.2), 0.5)


@pytest.mark.parametrize("yaw", [180, -170])
async def test_it_looks_behind_and_back(motion: Motion, yaw: float) -> None:
    await motion.wake()
    for degrees in (yaw, -yaw if abs(yaw) < 180 else 0):
        angle = math.radians(degrees)
        wish = replace(AWAKE, yaw=angle, body_yaw=follow(angle, motion.state.command.body_yaw))
        arrival = await motion.goto(wish, 2.0)
        assert abs(wrapped(arrival.state.pose.yaw - angle)) < math.radians(8)


async def test_answers_do_not_wait_for_idling_to_end(motion: Motion) -> None:
    await motion.wake()
    motion.idle(on=True)
    await motion.wait_for(lambda state: abs(state.pose.z) > 0.002, timeout=10)
    arrival = await motion.goto(replace(AWAKE, antenna_left=2.5, antenna_right=-2.5), 0.4)
    assert arrival.state.pose.antenna_left == pytest.approx(2.5, abs=0.1)


async def test_a_daemon_killed_in_mid_move_is_waited_for(description: Path, compiled: Path) -> None:
    bus = Bus()
    events = bus.subscribe(LinkChanged)
    with Daemon(description, compiled) as daemon:
        async with quiet(daemon.address, description, bus=bus) as motion:
            await motion.wait_connected(10)
            await motion.wake()
            moving = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.5), 5.0))
            await motion.wait_for(lambda state: state.pose.yaw > 0.02, timeout=5)
            daemon.kill()
            with pytest.raises((HardwareError, LinkLost)):
                await moving
            await motion.wait_status("lost", 10)
            with Daemon(description, compiled, port=daemon.port):
                await motion.wait_status("connected", 20)
                assert not motion.state.engaged, "the new daemon's robot sleeps"
                assert (await motion.wake()).state.pose.distance(AWAKE) < math.radians(6)
    statuses = [event.status for event in await seen(events) if isinstance(event, LinkChanged)]
    changes = [b for a, b in zip(["", *statuses], statuses, strict=False) if a != b and b in ("connected", "lost")]
    assert changes[:3] == ["connected", "lost", "connected"]


async def test_a_daemon_frozen_for_a_while_is_noticed_and_survived(description: Path, compiled: Path) -> None:
    with Daemon(description, compiled) as daemon:
        async with quiet(daemon.address, description) as motion:
            await motion.wait_connected(10)
            await motion.wake()
            daemon.pause()
            try:
                await motion.wait_status("lost", 15)
            finally:
                daemon.resume()
            await motion.wait_status("connected", 20)
            await motion.wait_for(lambda state: state.engaged, timeout=5)
            await motion.goto(replace(AWAKE, yaw=0.2), 0.5)


async def test_a_queue_of_gotos_is_cleared(motion: Motion) -> None:
    await motion.wake()
    for yaw in (0.5, -0.5):
        await motion.play(Goto.to(replace(AWAKE, yaw=yaw), 2.0), wait=False)
    await motion.wait_for(lambda state: state.busy, timeout=5)
    motion.clear()
    await motion.wait_for(lambda state: not state.busy, timeout=5)


async def test_a_move_ends_when_whoever_plays_it_is_cancelled(motion: Motion) -> None:
    await motion.wake()
    turning = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.9), 8.0))
    await motion.wait_for(lambda state: state.pose.yaw > 0.1, 8)
    turning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turning
    await motion.wait_for(lambda state: not state.busy, 2)
    assert motion.state.command.yaw < 0.8
