"""`reachy-mind learn eval --body camera`: figures by the camera alone; interrupted, it ends what renders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from reachy_mind.cli import app
from reachy_mind.errors import InvalidParameter
from tests.waiting import until_sync

pytest.importorskip("torch")
pytestmark = [pytest.mark.process, pytest.mark.simulator]


def told(*arguments: str) -> dict[str, object]:
    result = CliRunner().invoke(app, ["learn", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    figures: dict[str, object] = json.loads(result.stdout.splitlines()[-1])
    return figures


def camera_of(process: psutil.Process) -> psutil.Process | None:
    children = process.children(recursive=True)
    return next((child for child in children if "reachy_mind.sim.camera" in child.cmdline()), None)


def test_a_policy_is_trained_without_the_camera_and_evaluated_with_it(home: Path, description: Path) -> None:
    with pytest.raises(InvalidParameter, match="only evaluated") as refused:
        CliRunner().invoke(app, ["learn", "train", "--body", "camera"], catch_exceptions=False)
    assert "eval --body camera" in str(refused.value.hint)
    assert told("train")["success"] == 1.0
    without, figures = told("eval"), told("eval", "--body", "camera", "--scenes", "2")
    assert figures["camera_scenes"] == 2
    for scenes in ("usual", "unseen_things", "unseen_places"):
        assert figures[f"camera_{scenes}_success"] == 1.0
    assert {name: figures[name] for name in without} == without, "the camera adds figures and changes none"
    leaves_no_camera_when_interrupted()


def leaves_no_camera_when_interrupted() -> None:
    argv = [sys.executable, "-m", "reachy_mind", "learn", "eval", "--body", "camera", "--scenes", "1000"]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, start_new_session=True) as process:
        until_sync(lambda: camera_of(psutil.Process(process.pid)) is not None)
        camera = camera_of(psutil.Process(process.pid))
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=30)[1].decode()
    assert process.returncode == 130 and said == ""
    assert camera is not None and not camera.is_running()
