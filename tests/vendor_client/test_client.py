"""The vendor's own Python client drives our simulator.

Runs where `script/test-vendor` has put the vendor's environment (VENDOR_PYTHON).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.body.pose import AWAKE, Pose
from tests.fakes.processes import Daemon
from tests.sim.test_recordings import keep, text

PYTHON = os.environ.get("VENDOR_PYTHON", "")
DATASET = "reachy-mind/vendor-client"
TURN = text(*((t / 50, Pose(yaw=0.4 * math.sin(math.pi * t / 100))) for t in range(101)), (2.1, AWAKE))

pytestmark = [pytest.mark.skipif(not PYTHON, reason="no vendor's environment"), pytest.mark.process]


@pytest.fixture(scope="module")
def found(description: Path, compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the vendor's client measured."""
    home = tmp_path_factory.mktemp("huggingface")
    keep(home / "hub", DATASET, "turn", TURN)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("HF_HOME", str(home))
        environment.setenv("HF_HUB_OFFLINE", "1")
        environment.setenv("REACHY_MINI_TELEMETRY", "0")
        script = Path(__file__).with_name("drive.py")
        with Daemon(description, compiled) as daemon:
            argv = [PYTHON, "-B", str(script), str(daemon.port), DATASET]
            theirs = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=100, env=theirs)
    assert done.returncode == 0, done.stderr[-3000:]
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def test_it_connects_wakes_the_robot_and_reads_its_state(found: dict[str, Any]) -> None:
    assert found["state"] == ["running", "1.13.0", "enabled"] and found["joints"] == [7, 2]
    assert abs(found["awake_z"]) < 0.003


def test_set_target_goto_target_and_look_at_world_arrive(found: dict[str, Any]) -> None:
    assert found["set_target"] == pytest.approx(math.radians(10), abs=0.03)
    assert found["goto_target"] == pytest.approx(math.radians(-20), abs=0.04)
    wish, measured = found["look_at_world"]
    assert wish > 0.3 and measured == pytest.approx(wish, abs=0.04)


def test_motors_switched_meanwhile_end_no_movement_and_another_client_moves_the_same_robot(
    found: dict[str, Any],
) -> None:
    assert found["motors_switched_meanwhile"] == pytest.approx(math.radians(-10), abs=0.03)
    assert found["another_client"] == pytest.approx(math.radians(10), abs=0.03)


def test_a_dance_moves_the_head(found: dict[str, Any]) -> None:
    assert found["dance"] > 0.1


def test_a_recorded_move_is_played_by_the_client_and_by_the_daemon(found: dict[str, Any]) -> None:
    assert found["moves"] == ["turn"]
    assert found["recorded"] > 0.3 and found["recorded_by_daemon"] == pytest.approx(0.4, abs=0.07)


def test_recording_and_motor_modes(found: dict[str, Any]) -> None:
    assert found["recording"] == 1
    assert found["gravity_compensation"] == "gravity_compensation" and found["asleep"] == "disabled"
