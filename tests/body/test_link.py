from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.driver import Driver
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.link import Link
from reachy_mind.body.pose import AWAKE, Pose
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
from reachy_mind.events import Bus, LinkChanged
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.fakes.processes import Daemon


async def test_nobody_at_the_address_is_a_clear_error_not_a_hang() -> None:
    async with Link(Address("127.0.0.1", 1)) as link:
        with pytest.raises(LinkLost, match=r"127\.0\.0\.1:1"):
            await link.wait_connected(0.5)
        with pytest.raises(LinkLost):
            await link.send(protocol.StopMove())


@pytest.mark.parametrize("version", ["1.9.3", "0.4.0", "2.0.0"])
async def test_a_daemon_of_another_age_is_refused_with_its_version(version: str) -> None:
    async with misbehaving(Misbehaviour(version=version)) as address, Link(address) as link:
        with pytest.raises(VersionMismatch, match=version):
            await link.wait_connected(5)
        assert link.status == "refused"


@pytest.mark.parametrize("version", ["1.10.2", "1.14.0", None, "dev"])
async def test_daemons_that_should_do_are_tried(version: str | None) -> None:
    async with misbehaving(Misbehaviour(version=version)) as address, Link(address) as link:
        await link.wait_connected(5)


async def test_a_daemon_that_is_not_running_says_why_it_is_not_used() -> None:
    async with misbehaving(Misbehaviour(state="error")) as address, Link(address) as link:
        with pytest.raises(LinkLost, match="error"):
            await link.wait_connected(0.5)


async def test_a_daemon_without_app_lock_is_fine() -> None:
    async with misbehaving(Misbehaviour(lock_status=404)) as address, Link(address) as link:
        await link.wait_connected(5)


async def test_messages_we_do_not_know_are_skipped() -> None:
    strange = ['{"type": "telepathy"}', "not json", '{"type": "head_pose", "head_pose": "up"}', "[]"]
    async with misbehaving(Misbehaviour(frames=strange)) as address, Link(address) as link:
        assert (await link.wait_connected(5)).pose.distance(AWAKE) < 1e-6


async def test_body_yaw_is_ours_as_soon_as_we_are_connected() -> None:
    manner = Misbehaviour()
    async with misbehaving(manner) as address, Link(address) as link:
        await link.wait_connected(5)
        assert manner.received[0] == {"type": "set_automatic_body_yaw", "enabled": False}


async def test_a_silent_daemon_counts_as_lost() -> None:
    async with misbehaving(Misbehaviour(frames=None)) as address, Link(address) as link:
        with pytest.raises(LinkLost, match="silent"):
            await link.wait_connected(4)


async def test_ok_means_nothing_when_the_motors_stay_as_they_were(kinematics: Kinematics) -> None:
    async with misbehaving(Misbehaviour(ignores_motor_modes=True)) as address, Link(address) as link:
        await link.wait_connected(5)
        with pytest.raises(HardwareError, match="still enabled"):
            await Driver(link, kinematics).set_motor_mode(MotorMode.DISABLED)


async def test_finished_means_nothing_when_the_head_is_elsewhere(kinematics: Kinematics) -> None:
    async with misbehaving(Misbehaviour(finishes_without_moving=True)) as address, Link(address) as link:
        await link.wait_connected(5)
        with pytest.raises(HardwareError, match="short of the target"):
            await Driver(link, kinematics).goto(replace(AWAKE, yaw=0.4), 0.1)


async def test_a_robot_held_by_another_app_is_left_alone(robot: Address) -> None:
    hold(robot, "dance_party")
    async with Link(robot) as link:
        with pytest.raises(RobotBusy, match="dance_party"):
            await link.wait_connected(5)
        hold(robot, None)
        await link.wait_status("connected", 10)


async def test_our_own_lock_does_not_keep_us_out(robot: Address) -> None:
    hold(robot, "reachy_mind")
    async with Link(robot) as link:
        await link.wait_connected(5)


async def test_a_robot_taken_by_another_app_is_let_go(link: Link, robot: Address) -> None:
    hold(robot, "dance_party")
    await link.wait_status("refused", 10)
    with pytest.raises(RobotBusy, match="dance_party"):
        await link.send(protocol.StopMove())
    with pytest.raises(RobotBusy, match="dance_party"):
        _ = link.state


async def test_motors_off_means_no_goto(driver: Driver) -> None:
    with pytest.raises(NotReady, match="disabled"):
        await driver.goto(AWAKE)


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
    driver: Driver, wish: Pose, duration: float, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await driver.goto(wish, duration)


async def test_clamping_goes_as_far_as_it_can_and_says_so(driver: Driver) -> None:
    await driver.wake()
    arrival = await driver.goto(replace(AWAKE, pitch=math.radians(80)), 0.8, clamp=True)
    assert arrival.state.pose.pitch == pytest.approx(math.radians(40), abs=math.radians(3))
    assert [(c.axis, round(math.degrees(c.given))) for c in arrival.clamped] == [("pitch", 40)]


async def test_sag_does_not_add_up_over_many_wishes(driver: Driver) -> None:
    await driver.wake()
    turned = replace(AWAKE, yaw=math.radians(60))
    await driver.goto(turned, 0.8)
    for antenna in (0.3, 0.6, 0.9):
        await driver.goto(replace(driver.here, antenna_left=antenna), 0.3)
        assert driver.here == replace(turned, antenna_left=antenna)


async def test_a_second_goto_while_one_runs_is_refused_not_lost(link: Link, driver: Driver) -> None:
    await driver.wake()
    first = asyncio.create_task(driver.goto(replace(AWAKE, yaw=0.5), 1.0))
    await link.wait_for(lambda state: state.pose.yaw > 0.05, timeout=5)
    with pytest.raises(HardwareError, match="running"):
        await driver.goto(replace(AWAKE, yaw=-0.5), 0.5)
    assert (await first).state.pose.yaw == pytest.approx(0.5, abs=0.04)


async def test_daemon_killed_in_mid_move_the_link_says_so_and_comes_back(description: Path, compiled: Path) -> None:
    bus = Bus()
    kinematics = Kinematics(description / "kinematics_data.json")
    with Daemon(description, compiled) as daemon, bus.subscribe(LinkChanged) as changes:
        async with Link(daemon.address, bus=bus) as link:
            await link.wait_connected(10)
            driver = Driver(link, kinematics)
            await driver.wake()
            moving = asyncio.create_task(driver.goto(replace(AWAKE, yaw=0.5), 5.0))
            await link.wait_for(lambda state: state.pose.yaw > 0.02, timeout=5)
            daemon.kill()
            with pytest.raises(LinkLost):
                await moving
            await link.wait_status("lost", 10)
            with Daemon(description, compiled, port=daemon.port):
                await link.wait_status("connected", 20)
                assert (await driver.wake()).state.pose.distance(AWAKE) < math.radians(4)
    seen = []
    with contextlib.suppress(StopAsyncIteration):
        while True:
            seen.append(getattr(await changes.get(), "status", "missed"))
    assert [s for s in seen if s in ("connected", "lost")][:3] == ["connected", "lost", "connected"]


async def test_daemon_frozen_for_a_while_is_noticed_and_survived(description: Path, compiled: Path) -> None:
    with Daemon(description, compiled) as daemon:
        async with Link(daemon.address) as link:
            await link.wait_connected(10)
            daemon.pause()
            try:
                await link.wait_status("lost", 15)
            finally:
                daemon.resume()
            await link.wait_status("connected", 20)


def hold(robot: Address, name: str | None) -> None:
    httpx.put(f"{robot.http}/sim/v1/app-lock", json={"holder_name": name}).raise_for_status()


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("reachy-mini.local", "reachy-mini.local", 8000), ("10.0.0.7:9", "10.0.0.7", 9), ("[::1]:7", "::1", 7)],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = Address.parse(text)
    assert (address.host, address.port) == (host, port)
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize("text", ["", "a:b", "host:99999", "host/path", "user@host"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter):
        Address.parse(text)
