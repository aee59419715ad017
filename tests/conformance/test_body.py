"""What every body must do: one suite for our simulator and for the vendor's daemon.

It runs on the simulator, and also on the daemon at VENDOR_DAEMON (HOST:PORT) when that is set.
"""

from __future__ import annotations

import asyncio
import math
import os
from dataclasses import replace
from uuid import uuid4

import pytest

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.driver import Driver
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import follow
from reachy_mind.body.link import Link
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.body.protocol import MotorMode

VENDOR = os.environ.get("VENDOR_DAEMON", "")


@pytest.fixture(params=["simulator", pytest.param("vendor", marks=pytest.mark.skipif(not VENDOR, reason="no daemon"))])
def robot(request: pytest.FixtureRequest) -> Address:
    if request.param == "vendor":
        return Address.parse(VENDOR)
    address: Address = request.getfixturevalue("simulator_robot")
    return address


@pytest.fixture
def simulator_robot(daemon: object, request: pytest.FixtureRequest) -> Address:
    import httpx

    httpx.post(f"{daemon.url}/sim/v1/reset").raise_for_status()  # type: ignore[attr-defined]
    return daemon.address  # type: ignore[attr-defined,no-any-return]


async def awake(driver: Driver) -> Pose:
    return (await driver.wake()).state.pose


async def test_it_says_who_it_is(link: Link) -> None:
    state = link.state
    assert state.robot and state.version.startswith("1.") and state.simulated
    assert state.mode in set(MotorMode) and len(state.joints) == 7


async def test_states_keep_coming(link: Link) -> None:
    times = []
    async for state in link.states():
        times.append(state.at)
        if len(times) == 25:
            break
    assert times == sorted(set(times))


async def test_waking_raises_the_head_and_keeps_it_there(link: Link, driver: Driver) -> None:
    assert (await awake(driver)).distance(AWAKE) < math.radians(4)
    assert link.state.mode is MotorMode.ENABLED


async def test_a_goto_ends_where_it_was_sent(driver: Driver) -> None:
    await awake(driver)
    wish = replace(AWAKE, yaw=math.radians(25), pitch=math.radians(10), antenna_left=0.6, antenna_right=-0.6)
    assert (await driver.goto(wish, 0.8)).state.pose.distance(wish) < math.radians(3)


async def test_the_body_turns_when_the_head_looks_behind(driver: Driver) -> None:
    await awake(driver)
    behind = replace(AWAKE, yaw=math.radians(110), body_yaw=follow(math.radians(110), 0.0))
    pose = (await driver.goto(behind, 1.5)).state.pose
    assert pose.yaw == pytest.approx(math.radians(110), abs=math.radians(3))
    assert pose.body_yaw == pytest.approx(math.radians(45), abs=math.radians(3))


async def test_a_stream_of_targets_is_followed(link: Link, driver: Driver) -> None:
    await awake(driver)
    for step in range(50):
        await driver.set_target(replace(AWAKE, yaw=math.radians(20) * step / 49))
        await asyncio.sleep(0.01)
    await link.wait_for(lambda state: abs(state.pose.yaw - math.radians(20)) < math.radians(2), timeout=3)


async def test_stop_ends_a_move_before_its_target(link: Link, driver: Driver) -> None:
    await awake(driver)
    await driver.goto(AWAKE, 0.8)
    moving = asyncio.create_task(
        link.task(
            protocol.Task(
                uuid=uuid4(),
                req=protocol.GotoTask(
                    head=list(replace(AWAKE, yaw=0.6).head_matrix()),
                    antennas=None,
                    duration=3.0,
                    method=protocol.Interpolation.MIN_JERK,
                    body_yaw=None,
                ),
                timestamp="2026-01-01T00:00:00Z",  # type: ignore[arg-type]
            ),
            timeout=10,
        )
    )
    await link.wait_for(lambda state: state.pose.yaw > 0.1, timeout=5)
    stopped = (await driver.stop()).state.pose.yaw
    await moving
    assert 0.1 < stopped < 0.55


async def test_an_unreachable_target_leaves_the_robot_where_it_is(
    link: Link, driver: Driver, kinematics: Kinematics
) -> None:
    await awake(driver)
    before = (await driver.goto(AWAKE, 0.5)).state.pose
    far = Pose(z=0.2).head_matrix()
    assert kinematics.joints(far, 0.0) is None
    await link.send(protocol.SetFullTarget(head=list(far)))
    states = [state async for _, state in _numbered(link, 25)]
    assert max(state.pose.distance(before) for state in states) < math.radians(3)


async def test_sleep_lowers_the_head(driver: Driver) -> None:
    await awake(driver)
    state = (await driver.sleep()).state
    assert state.pose.distance(ASLEEP) < math.radians(15)


async def _numbered(link: Link, count: int):  # type: ignore[no-untyped-def]
    number = 0
    async for state in link.states():
        yield number, state
        number += 1
        if number == count:
            return
