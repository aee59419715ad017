"""`reachy-mind sim` in place of the vendor's daemon: programs for that daemon move the robot as they are."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from tests.waiting import until

pytestmark = pytest.mark.process


@contextlib.contextmanager
def simulator(*flags: str) -> Iterator[httpx.Client]:
    argv = [sys.executable, "-m", "reachy_mind", "sim", "--fastapi-port", "0", "--headless", *flags]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as sim:
        assert sim.stdout is not None
        try:
            port = json.loads(sim.stdout.readline())["port"]
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
                yield client
        finally:
            sim.terminate()


def goto(client: httpx.Client, yaw: float) -> None:
    """A program of the vendor's that says nothing but where to go."""
    pose = {"x": 0.0, "y": 0.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": yaw}
    client.post("/api/move/goto", json={"head_pose": pose, "duration": 0.3}).raise_for_status()


def moving(client: httpx.Client) -> bool:
    return bool(client.get("/api/move/running").json())


def head_yaw(client: httpx.Client) -> float:
    return float(client.get("/api/state/present_head_pose").json()["yaw"])


async def test_a_program_for_the_vendors_daemon_moves_the_robot_without_waking_it() -> None:
    with simulator("--scene", "minimal") as client:
        status = client.get("/api/daemon/status").json()
        assert status["state"] == "running"
        assert status["backend_status"]["motor_control_mode"] == "enabled"
        assert client.get("/sim/v1/scene").json()["scene"] == "table"
        goto(client, 0.4)
        await until(lambda: abs(head_yaw(client) - 0.4) < 0.05)


async def test_it_sleeps_when_told_not_to_wake_up() -> None:
    with simulator("--no-wake-up-on-start", "--scene", "empty") as client:
        status = client.get("/api/daemon/status").json()
        assert status["backend_status"]["motor_control_mode"] == "disabled"
        goto(client, 0.4)
        await until(lambda: not moving(client))
        assert abs(head_yaw(client)) < 0.1
