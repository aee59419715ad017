"""Processes that train, as far as they come without torch."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.learning.environments.environment import RewardWeights
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.process import TrainingProcess, training_command, training_environ

WITH_PARENT = """
import sys, time
from reachy_mind.learning.training.process import end_with_parent
end_with_parent()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.process
async def test_what_goes_wrong_in_the_process_is_known_and_in_the_log(tmp_path: Path) -> None:
    """Without torch, or without the task: there is no training either way."""
    plan = TrainingPlan(task="fly", episodes=1)
    process = TrainingProcess(tmp_path / "wrong", plan, training_environ(load(), plan))
    await process.start()
    error = await process.ended()
    assert error is not None and error.code in ("MISSING_EXTRA", "INVALID_PARAMETER") and not process.alive
    assert f"error: {error.message}" in (tmp_path / "wrong" / "train.log").read_text()


@pytest.mark.process
async def test_a_process_that_is_stopped_at_once_has_not_failed(tmp_path: Path) -> None:
    process = TrainingProcess(tmp_path / "cut", TrainingPlan(), training_environ(load(), TrainingPlan()))
    await process.start()
    await process.stop()
    assert not process.alive and await process.ended() is None
    await process.stop()  # again: nothing is left to do


@pytest.mark.process
def test_a_training_ends_with_who_started_it() -> None:
    argv = [sys.executable, "-c", WITH_PARENT]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.close()  # as when the other process is killed
        assert process.wait(30) == -signal.SIGTERM


def test_the_process_gets_the_whole_plan() -> None:
    plan = TrainingPlan(
        task="track_face",
        algorithm="sac",
        seed=3,
        episodes=7,
        robots=4,
        body="physics",
        randomised=True,
        demonstrations="mine",
        weights=RewardWeights(task=2.0, human=0.5),
    )
    command = " ".join(training_command("mine-2", plan))
    for option in (
        "--name mine-2 --task track_face --algorithm sac --episodes 7 --seed 3 --body physics --robots 4",
        "--demonstrations mine",
        "--randomised",
    ):
        assert option in command
    assert "--curriculum" not in command and "--human" not in command
    environ = training_environ(load(), plan)
    assert environ["REACHY_MIND_LEARNING__TASK_WEIGHT"] == "2.0"
    assert load(environ=environ).settings.learning.human_weight == 0.5
