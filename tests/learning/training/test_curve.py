"""The learning curve: what a reader finds after a torn write, and after a run was resumed."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.training.checkpoints import Checkpoints
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve


def point(episode: int) -> CurvePoint:
    return CurvePoint(episode, success=episode / 7, reward=-1.5 * episode, violations=episode % 3, time=episode * 0.1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "curve.jsonl"


def test_points_are_read_as_they_were_appended(path: Path) -> None:
    curve = LearningCurve(path)
    assert (curve.points(), curve.last()) == ((), None)
    for episode in (0, 10, 20):
        curve.append(point(episode))
    assert LearningCurve(path).points() == (point(0), point(10), point(20))
    assert LearningCurve(path).last() == point(20)


def test_a_torn_last_line_is_ignored_wherever_it_ends_and_replaced_by_the_next(path: Path) -> None:
    curve = LearningCurve(path)
    curve.append(point(1))
    one = path.read_bytes()
    curve.append(point(2))
    two = path.read_bytes()
    for end in range(len(one), len(two)):
        path.write_bytes(two[:end])
        assert LearningCurve(path).points() == (point(1),)
        LearningCurve(path).append(point(2))
        assert path.read_bytes() == two


def test_a_last_line_that_a_power_cut_left_as_zeros_is_replaced(path: Path) -> None:
    curve = LearningCurve(path)
    curve.append(point(1))
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(40) + b"\n")
    assert curve.points() == (point(1),)
    curve.append(point(2))
    assert path.read_bytes().startswith(whole) and curve.points() == (point(1), point(2))


@pytest.mark.parametrize("change", [lambda line: b"{}\n", lambda line: line[5:], lambda line: line.replace(b"2", b"0")])
def test_a_damaged_line_before_the_last_is_an_error_that_names_it(path: Path, change: Callable[[bytes], bytes]) -> None:
    curve = LearningCurve(path)
    for episode in (1, 2, 3):
        curve.append(point(episode))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((lines[0], change(lines[1]), lines[2])))
    for use in (curve.points, lambda: LearningCurve(path).append(point(4)), lambda: curve.truncate(1)):
        with pytest.raises(AssetError, match="line 2 of") as caught:
            use()
        assert caught.value.hint


def test_a_point_that_does_not_follow_or_is_no_number_is_refused(path: Path) -> None:
    curve = LearningCurve(path)
    curve.append(point(5))
    for episode in (5, 4):
        with pytest.raises(InvalidParameter, match="not after 5"):
            curve.append(point(episode))
    with pytest.raises(InvalidParameter, match="reward is nan"):
        curve.append(CurvePoint(6, 0.0, math.nan, 0, 1.0))
    assert curve.points() == (point(5),)


def test_truncating_drops_what_is_after_the_checkpoint(path: Path) -> None:
    curve = LearningCurve(path)
    assert curve.truncate(3) == 0 and not path.exists()
    for episode in (1, 2, 3):
        curve.append(point(episode))
    assert curve.truncate(3) == 0
    assert curve.truncate(1) == 2 and curve.points() == (point(1),)
    curve.append(point(2))
    assert curve.points() == (point(1), point(2))
    assert curve.truncate(0) == 2 and curve.points() == ()


def test_truncating_removes_a_torn_line(path: Path) -> None:
    curve = LearningCurve(path)
    curve.append(point(1))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"epis')
    assert curve.truncate(1) == 0 and path.read_bytes() == whole


def train(folder: Path, start: int, end: int) -> None:
    """A run whose state is a number that each episode changes; a checkpoint at every third episode."""
    checkpoints, curve = Checkpoints(folder / "checkpoints"), LearningCurve(folder / "curve.jsonl")
    state = int(checkpoints.load_latest().content) if start else 1
    for episode in range(start + 1, end + 1):
        state = (state * 48271 + episode) % 2147483647
        curve.append(CurvePoint(episode, state % 100 / 100, state / 7, state % 5, episode * 0.5))
        if episode % 3 == 0:
            checkpoints.save(episode, str(state).encode(), {"success": state % 100 / 100})


@pytest.mark.parametrize("corrupt", [False, True])
def test_a_resumed_curve_equals_an_uninterrupted_one(tmp_path: Path, corrupt: bool) -> None:
    train(tmp_path / "straight", 0, 20)
    cut = tmp_path / "cut"
    train(cut, 0, 11)
    with (cut / "curve.jsonl").open("ab") as file:
        file.write(b'{"episode": 12, "succ')
    checkpoints = Checkpoints(cut / "checkpoints")
    if corrupt:
        (cut / "checkpoints" / f"{checkpoints.infos()[-1].id}.checkpoint").write_bytes(b"1")
    loaded = checkpoints.load_latest()
    assert loaded.info.episode == (6 if corrupt else 9)
    LearningCurve(cut / "curve.jsonl").truncate(loaded.info.episode)
    train(cut, loaded.info.episode, 20)
    assert (cut / "curve.jsonl").read_bytes() == (tmp_path / "straight" / "curve.jsonl").read_bytes()
