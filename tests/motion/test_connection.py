"""The connection to the robot: misbehaving daemons, other versions, other apps that hold the robot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.pose import AWAKE
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import HardwareError, LinkLost, RobotBusy, VersionMismatch
from reachy_mind.motion.client import Motion
from tests.fakes.daemon import Misbehaviour, misbehaving

pytestmark = pytest.mark.process


def quiet(address: Address, description: Path, **options: object) -> Motion:
    return Motion(address, description, idle=False, log_level="critical", **options)  # type: ignore[arg-type]


def hold(robot: Address, name: str | None) -> None:
    httpx.put(f"{robot.http}/sim/v1/app-lock", json={"holder_name": name}).raise_for_status()


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
