"""Code that moves the simulated robot: killed, stopped or orphaned in mid-move, the robot holds still and is free."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from reachy_mind.mind import Mind
from tests.fakes.minds import running
from tests.server.served import calling
from tests.waiting import until, until_sync

pytestmark = [pytest.mark.simulator, pytest.mark.process]

STREAM = """
import math, time
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

def sway() -> dict:
    'Sway without an end.'
    with ReachyMini() as robot:
        start = time.time()
        while True:
            robot.set_target(head=create_head_pose(yaw=20 * math.sin(3 * (time.time() - start))))
            time.sleep(0.02)
"""
GOTO = """
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

def turn(yaw: float = 15) -> dict:
    'Turn the head.'
    with ReachyMini() as robot:
        robot.goto_target(create_head_pose(yaw=yaw), duration=0.6)
        return {'moved': True}
"""


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="sim", memory=False, thinks=False, idle=False).session() as awake:
        await awake.act("robot.wake_up")
        yield awake


async def post(http: httpx.AsyncClient, code: str, **options: Any) -> dict[str, Any]:
    answer = await http.post("/workshop/run", json={"code": code, "allow": "motion", **options}, timeout=90)
    report: dict[str, Any] = answer.json()
    return report


async def sways(mind: Mind) -> None:
    assert mind.motion is not None
    first = mind.motion.state.pose.yaw
    await until(lambda: abs(mind.body().state.pose.yaw - first) > 0.1)


async def holds_still(mind: Mind) -> None:
    """Wait for rest, then see that nothing moves for many states."""
    motion = mind.body()
    await motion._settled()
    rest = motion.state.pose
    count = 0
    async for state in motion.states():
        count += 1
        assert state.pose.distance(rest) < 0.03
        if count > 25:
            return


def sandbox_processes(parent: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in parent.children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # some live for a moment
            if "zygote" in child.cmdline():
                found.append(child)
    return found


def worker_pids(parent: psutil.Process) -> list[int]:
    """The workers are the processes of the sandbox that have no children."""
    found = []
    for child in sandbox_processes(parent):
        with contextlib.suppress(psutil.NoSuchProcess):
            if not child.children():
                found.append(child.pid)
    return found


async def test_killed_in_mid_move_the_robot_holds_and_the_next_call_moves_it(mind: Mind) -> None:
    async with calling(mind) as http:
        swaying = asyncio.create_task(post(http, STREAM, timeout_s=60))
        await sways(mind)
        for pid in worker_pids(psutil.Process()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        report = await swaying
        assert report["status"] == "killed", report
        await holds_still(mind)
        assert (await post(http, GOTO))["result"] == {"moved": True}
        assert mind.body().state.pose.yaw == pytest.approx(0.26, abs=0.05)
        assert (await mind.act("robot.nod", {"times": 1}))["message"]


async def test_a_stop_ends_the_run(mind: Mind) -> None:
    async with calling(mind) as http:
        swaying = asyncio.create_task(post(http, STREAM, timeout_s=60))
        await sways(mind)
        await mind.stop()
        report = await swaying
        assert report["status"] in ("killed", "refused", "error"), report
        await holds_still(mind)
        assert (await post(http, GOTO))["status"] == "ok"


async def test_time_up_in_mid_move_ends_the_lease(mind: Mind) -> None:
    async with calling(mind) as http:
        report = await post(http, STREAM, timeout_s=2)
        assert report["status"] == "killed" and report["error"]["code"] == "TIMEOUT"
        await holds_still(mind)
        assert (await mind.act("robot.nod", {"times": 1}))["message"]


async def test_wild_orders_stay_within_the_limits(mind: Mind) -> None:
    code = """
import math
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

def wild() -> dict:
    'Ask for what no robot can do.'
    refused = 0
    with ReachyMini() as robot:
        for wish in ({"head": create_head_pose(yaw=float("nan"))}, {"antennas": [1e308, float("inf")]},
                     {"body_yaw": "left"}, {"head": [[1, 2], [3, 4]]},
                     {"head": create_head_pose(yaw=20), "duration": -1}):
            try:
                robot.goto_target(**{"duration": 0.3, **wish})
            except Exception:
                refused += 1
        robot.goto_target(create_head_pose(yaw=170, pitch=80, z=1.0), body_yaw=50.0, duration=0.01)
    return {"refused": refused}
"""
    async with calling(mind) as http:
        report = await post(http, code, timeout_s=30)
    assert report["status"] in ("ok", "error"), report
    pose = mind.body().state.pose
    assert abs(pose.body_yaw) < 2.9 and abs(pose.pitch) < 1.0 and pose.z < 0.05


def test_a_mind_that_is_killed_leaves_no_worker(home: Path) -> None:
    with running(home, "--robot", "sim", "--no-idle") as run:
        left: list[psutil.Process] = []

        def kill() -> None:
            parent = psutil.Process(run.process.pid)
            until_sync(lambda: worker_pids(parent))
            left.extend(sandbox_processes(parent))
            run.process.kill()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        content = {"code": STREAM, "allow": "motion", "timeout_s": 60}
        with pytest.raises(httpx.HTTPError):
            httpx.post(f"{run.url}/api/v1/workshop/run", json=content, timeout=60)
        killer.join()
        run.process.wait()
    assert left
    until_sync(lambda: not any(process.is_running() for process in left))
