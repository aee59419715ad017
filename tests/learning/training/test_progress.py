"""How far runs are: told truly also of a process that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reachy_mind.errors import Busy
from reachy_mind.learning.training.curriculum import EASIEST, WHOLE, Curriculum
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve
from reachy_mind.learning.training.listing import list_runs
from reachy_mind.learning.training.plan import PLAN_FILE, TrainingPlan
from reachy_mind.learning.training.progress import ProgressFile, read_progress

HOLDING = """
import sys, time
from pathlib import Path
from reachy_mind.learning.training.progress import ProgressFile
with ProgressFile(Path(sys.argv[1])).held(50) as progress:
    progress.reached(20)
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_run_says_how_it_ended(tmp_path: Path) -> None:
    assert read_progress(tmp_path) is None
    with ProgressFile(tmp_path).held(50) as progress:
        progress.reached(10)
        now = read_progress(tmp_path)
        assert now is not None and (now.state, now.episode, now.episodes) == ("running", 10, 50)
    assert read_progress(tmp_path).state == "done"
    with pytest.raises(KeyboardInterrupt), ProgressFile(tmp_path).held(50):
        raise KeyboardInterrupt
    assert read_progress(tmp_path).state == "interrupted"
    with pytest.raises(OSError, match="no room"), ProgressFile(tmp_path).held(50):
        raise OSError("no room")
    failed = read_progress(tmp_path)
    assert failed.state == "failed" and "no room" in failed.reason and failed.episode == 10


@pytest.mark.process
def test_a_killed_run_is_interrupted_and_two_do_not_train_at_once(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", HOLDING, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None and child.stdout.readline() == b"held\n"
        assert read_progress(tmp_path).state == "running"
        with pytest.raises(Busy, match=tmp_path.name), ProgressFile(tmp_path).held(50):
            pass
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        after = read_progress(tmp_path)
        assert after is not None and (after.state, after.episode) == ("interrupted", 20)
        with ProgressFile(tmp_path).held(50):
            pass
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_runs_are_listed_also_one_that_can_not_be_read(tmp_path: Path) -> None:
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
    (tmp_path / "good" / PLAN_FILE).write_text(TrainingPlan(task="beat", algorithm="sac").model_dump_json())
    LearningCurve(tmp_path / "good" / "curve.jsonl").append(CurvePoint(50, 0.4, 1.5, 0.01, 3.0))
    (tmp_path / "bad" / PLAN_FILE).write_text('{"task": 7}')
    bad, good = (run.as_dict() for run in list_runs(tmp_path))
    assert bad["state"] == "unreadable" and "plan.json" in bad["reason"]
    assert (good["task"], good["algorithm"], good["state"]) == ("beat", "sac", "new")
    assert good["success_rate"] == 0.4 and good["curve"] == [[50, 0.4]] and good["episode"] == 50


def test_a_curriculum_gets_harder_only_after_success() -> None:
    first = Curriculum()
    assert first.difficulty == EASIEST and first.after(0.2) == first
    steps = [first]
    while steps[-1].difficulty < WHOLE:
        steps.append(steps[-1].after(0.9))
    assert len(steps) > 2 and steps[-1].after(1.0).difficulty == WHOLE
