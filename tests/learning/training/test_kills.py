"""Training state after SIGKILL: before and after every system call of a change, and from outside in mid-save."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reachy_mind.learning.training.checkpoints import Checkpoints
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve

pytestmark = pytest.mark.process

MEGABYTE = 1 << 20

EVERY_CALL = """
import os, shutil, signal, sys
from pathlib import Path
from reachy_mind.learning.training.checkpoints import Checkpoints
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve

before, folders, change = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
CALLS = {"open", "write", "pwrite", "flush", "fsync", "close", "chmod", "rename", "replace", "unlink", "remove",
         "ftruncate", "mkdir", "flock", "__exit__"}


def act(folder):
    checkpoints, curve = Checkpoints(folder, keep=2), LearningCurve(folder / "curve.jsonl")
    match change:
        case "save":
            checkpoints.save(4, b"weights of 4", {"success": 0.1})
        case "rollback":
            checkpoints.rollback()
        case "append":
            curve.append(CurvePoint(4, 0.5, 1.0, 0.0, 4.0))
        case "truncate":
            curve.truncate(1)


def killed_at(number, folder):
    seen = 0

    def watch(frame, event, function):
        nonlocal seen
        if event in ("c_call", "c_return") and function.__name__ in CALLS:
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

    sys.setprofile(watch)
    act(folder)
    os._exit(0)


number = 0
while True:
    folder = folders / f"{number:03d}"
    shutil.copytree(before, folder)
    child = os.fork()
    if child == 0:
        killed_at(number, folder)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    assert os.WTERMSIG(status) == signal.SIGKILL
    number += 1
"""

SAVING = """
import sys
from pathlib import Path
from reachy_mind.learning.training.checkpoints import Checkpoints

checkpoints = Checkpoints(Path(sys.argv[1]), keep=2)
episode = 0
while True:
    episode += 1
    checkpoints.save(episode, bytes([episode % 251]) * (8 << 20), {"success": 0.5})
    print(episode, flush=True)
"""


def run_killed(tmp_path: Path, change: str) -> list[Path]:
    """The folders that a change left, killed at one call after another; the last one was not killed."""
    folders = tmp_path / "killed"
    folders.mkdir()
    subprocess.run([sys.executable, "-c", EVERY_CALL, tmp_path / "before", folders, change], check=True, timeout=100)
    return sorted(folders.iterdir())


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """Three checkpoints, of which the first is the best, and a curve of three points."""
    folder = tmp_path / "before"
    for episode, success in ((1, 0.9), (2, 0.1), (3, 0.2)):
        Checkpoints(folder, keep=2).save(episode, f"weights of {episode}".encode(), {"success": success})
        LearningCurve(folder / "curve.jsonl").append(CurvePoint(episode, success, 1.0, 0.0, float(episode)))
    return folder


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [("save", [1, 2, 3], [1, 3, 4]), ("rollback", [1, 2, 3], [1, 2])],
    ids=["save", "rollback"],
)
def test_a_kill_leaves_the_checkpoints_before_or_after(
    tmp_path: Path, before: Path, change: str, old: list[int], new: list[int]
) -> None:
    found = []
    for folder in run_killed(tmp_path, change):
        checkpoints = Checkpoints(folder, keep=2)
        found.append([info.episode for info in checkpoints.infos()])
        for info in checkpoints.infos():
            assert checkpoints.load(info.id).content == f"weights of {info.episode}".encode()
        checkpoints.save(9, b"weights of 9", {"success": 0.0})  # the run goes on, and clears away what the kill left
        assert {path.name for path in folder.iterdir()} - {".lock", "manifest.json", "curve.jsonl"} == {
            f"{info.id}.checkpoint" for info in checkpoints.infos()
        }
    changed = found.index(new)
    assert changed > 10 and len(found) > changed + 1, "the kills were not on both sides of the change"
    assert found == [old] * changed + [new] * (len(found) - changed)


@pytest.mark.parametrize(("change", "new"), [("append", [1, 2, 3, 4]), ("truncate", [1])], ids=["append", "truncate"])
def test_a_kill_leaves_the_curve_before_or_after(tmp_path: Path, before: Path, change: str, new: list[int]) -> None:
    found = []
    for folder in run_killed(tmp_path, change):
        curve = LearningCurve(folder / "curve.jsonl")
        found.append([point.episode for point in curve.points()])
        curve.append(CurvePoint(9, 0.0, 0.0, 0.0, 9.0))
        assert [json.loads(line)["episode"] for line in (folder / "curve.jsonl").open()] == [*found[-1], 9]
    changed = found.index(new)
    assert changed > 2 and len(found) > changed + 1, "the kills were not on both sides of the change"
    assert found == [[1, 2, 3]] * changed + [new] * (len(found) - changed)


def test_the_first_save_of_a_run_may_be_killed(tmp_path: Path) -> None:
    (tmp_path / "before").mkdir()
    found = []
    for folder in run_killed(tmp_path, "save"):
        checkpoints = Checkpoints(folder)
        found.append([info.episode for info in checkpoints.infos()])
        assert checkpoints.save(5, b"next", {}) == checkpoints.latest()
    changed = found.index([4])
    assert found == [[]] * changed + [[4]] * (len(found) - changed)


def test_a_process_killed_from_outside_in_mid_save_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SAVING, tmp_path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            saved = [int(process.stdout.readline()) for _ in range(3)]
        finally:
            process.send_signal(signal.SIGKILL)
        saved += [int(line) for line in process.stdout]
    loaded = Checkpoints(tmp_path).load_latest()
    assert loaded.info.episode in (saved[-1], saved[-1] + 1) and loaded.refused == ()
    assert loaded.content == bytes([loaded.info.episode % 251]) * (8 * MEGABYTE)
