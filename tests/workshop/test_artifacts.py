"""Files that leave the sandbox: safe names, in the folder of their run, within limits."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.workshop import artifacts
from reachy_mind.workshop.artifacts import Artifacts, remove_old_runs, safe_name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("photo.jpg", "photo.jpg"),
        ("../../etc/passwd", "passwd"),
        ("/home/ada/.ssh/authorized_keys", "authorized_keys"),
        ("..", "file"),
        ("", "file"),
        (".bashrc", "bashrc"),
        ("a\x00b\n.txt", "a_b_.txt"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("-rf", "rf"),
        ("f\u00fcr dich.png", "fur_dich.png"),
        ("x" * 500 + ".txt", "x" * 100 + ".txt"),
    ],
)
def test_a_name_stays_in_its_folder(tmp_path: Path, name: str, kept: str) -> None:
    assert safe_name(name) == kept
    file = Artifacts(tmp_path, "run").keep(name, b"content")
    assert file == tmp_path / "run" / kept and file.read_bytes() == b"content"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    files = Artifacts(tmp_path, "run")
    assert [files.keep("a.txt", bytes([n])).name for n in range(3)] == ["a.txt", "a-2.txt", "a-3.txt"]
    outside = tmp_path / "outside"
    (tmp_path / "run" / "link.txt").symlink_to(outside)
    with pytest.raises(MindError):
        files.keep("link.txt", b"through a link")
    assert not outside.exists()


def test_a_run_has_its_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts, "MAX_BYTES", 10)
    files = Artifacts(tmp_path, "run")
    files.keep("a", b"12345678")
    with pytest.raises(MindError, match="more than a run may keep"):
        files.keep("b", b"123")
    monkeypatch.setattr(artifacts, "MAX_FILES", 1)
    with pytest.raises(MindError, match="more than a run may keep"):
        files.keep("b", b"")
    for name in ("..", "a/b", "", "-x"):
        with pytest.raises(InvalidParameter):
            Artifacts(tmp_path, name)


def test_the_oldest_runs_go_first(tmp_path: Path) -> None:
    for age, name in enumerate(("newest", "middle", "oldest")):
        Artifacts(tmp_path, name).keep("file", bytes(10_000))
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    remove_old_runs(tmp_path, keep=tmp_path / "newest", most=30_000)
    assert sorted(run.name for run in tmp_path.iterdir()) == ["middle", "newest"]
    remove_old_runs(tmp_path, keep=tmp_path / "newest", most=0)
    assert [run.name for run in tmp_path.iterdir()] == ["newest"]


def test_calls_at_the_same_time_keep_no_more_than_one_after_the_other(tmp_path: Path) -> None:
    kept = Artifacts(tmp_path, "run")

    def keep(_: int) -> bool:
        try:
            return kept.keep("photo.jpg", b"x").is_file()
        except TooMany:
            return False

    with ThreadPoolExecutor(32) as pool:
        done = list(pool.map(keep, range(4 * artifacts.MAX_FILES)))
    assert done.count(True) == len(kept.files) == len(set(kept.files)) == artifacts.MAX_FILES


def test_empty_files_take_room_too(tmp_path: Path) -> None:
    for name in ("first", "second"):
        for _ in range(10):
            Artifacts(tmp_path, name).keep("empty", b"")
    remove_old_runs(tmp_path, keep=tmp_path / "second", most=50_000)
    assert [run.name for run in tmp_path.iterdir()] == ["second"]
