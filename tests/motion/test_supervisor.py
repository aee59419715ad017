"""What happens when the motion process, its client or the daemon is killed, frozen or hangs in the middle of a move."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import psutil
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.pose import AWAKE
from reachy_mind.errors import HardwareError, LinkLost
from reachy_mind.events import Bus, Event, LinkChanged, MotionRestarted, Subscription
from reachy_mind.motion.client import Motion
from tests.fakes.processes import Daemon
from tests.waiting import until


def quiet(address: Address, description: Path, **options: object) -> Motion:
    return Motion(address, description, idle=False, log_level="critical", **options)  # type: ignore[arg-type]


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

        async def under_way() -> bool:
            return (await http.get("/api/state/present_head_pose")).json()["yaw"] >= 0.1

        async def off() -> bool:
            return (await http.get("/api/motors/status")).json()["mode"] == "disabled"

        await until(under_way)
        main.kill()
        await main.wait()
        await until(off)
        pose = (await http.get("/api/state/present_head_pose")).json()
    assert pose["z"] < -0.03, "it lies down before its motors go off"
    assert await asyncio.to_thread(psutil.wait_procs, children, 10) == (children, [])


async def test_a_frozen_motion_process_goes_on_without_a_burst(motion: Motion) -> None:
    await motion.wake()
    moving = asyncio.create_task(motion.goto(replace(AWAKE, yaw=0.5), 3.0))
    await motion.wait_for(lambda state: state.pose.yaw > 0.05, timeout=5)
    os.kill(motion.pid, signal.SIGSTOP)
    await asyncio.sleep(1.0)  # the freeze, which is what the test is about
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
