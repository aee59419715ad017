"""Stored demonstrations: read back as they were, trimmed, deleted, and whole after a crash."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.demonstrations import lerobot_format, video
from reachy_mind.learning.demonstrations.demonstration import DatasetInvalid, Demonstration, UnknownDemonstration
from reachy_mind.learning.demonstrations.store import DemonstrationStore
from tests.learning.demonstrations.shown import filmed, turn


@pytest.fixture
def store(tmp_path: Path) -> DemonstrationStore:
    return DemonstrationStore(tmp_path / "datasets")


def same(one: Demonstration, other: Demonstration) -> bool:
    rows = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("states", "actions", "targets"))
    names = ("id", "task", "source", "fps", "person", "created_at", "tool_calls")
    return rows and all(getattr(one, name) == getattr(other, name) for name in names)


def test_a_demonstration_is_read_back_as_it_was(store: DemonstrationStore) -> None:
    targets = np.tile(np.array([0.2, -0.1, 1.0, 0.4], dtype=np.float32), (41, 1))
    one, other = turn(targets=targets), turn("wave", count=21, source="by_hand", person="")
    store.add([one], "mine")
    (added,) = store.add([other], "mine")
    assert added.id == other.id and added.episode.task == "wave"
    back = store.load("mine")
    assert same(back[0], one) and same(back[1], other)
    assert same(store.get(one.id), one)
    listed = [one.as_dict() for one in store.listing().demonstrations]
    assert [entry["duration_s"] for entry in listed] == [2.0, 1.0]
    assert listed[0]["actions"] == [{"name": "robot.look", "args": {"yaw": 30}, "status": "ok"}]


def test_deleting_and_trimming_leave_a_whole_dataset(store: DemonstrationStore) -> None:
    first, second, third = turn("a"), turn("b", count=31), turn("c", count=11)
    store.add([first, second, third])
    store.trim(second.id, 0.5, 1.0)
    store.remove(first.id)
    left = store.load("demonstrations")
    assert [one.id for one in left] == [second.id, third.id]
    assert np.array_equal(left[0].states, second.states[10:21]) and same(left[1], third)
    assert left[0].tool_calls[0].at_s == 0.0
    with pytest.raises(UnknownDemonstration):
        store.get(first.id)
    store.remove(second.id)
    store.remove(third.id)
    assert store.names() == [] and store.listing().demonstrations == []


@pytest.mark.parametrize(("start", "end"), [(-1, None), (1, 1), (0.5, 9), (float("nan"), None)])
def test_a_trim_that_keeps_nothing_is_refused(store: DemonstrationStore, start: float, end: float | None) -> None:
    store.add([turn(id="0123456789ab")])
    with pytest.raises(InvalidParameter, match="nothing to keep"):
        store.trim("0123456789ab", start, end)
    assert store.get("0123456789ab").duration == 2.0


def test_camera_frames_are_a_video_that_is_trimmed_too(store: DemonstrationStore) -> None:
    one, other = filmed(), filmed(20, id="0123456789ab")
    store.add([one], "film")
    store.add([other], "film")
    store.trim(one.id, 0.2, 0.4)
    trimmed, kept = store.load("film")
    assert trimmed.video is not None and kept.video is not None
    seen = video.read_video(trimmed.video, 0.0, 5)
    red = [float(image[:, :, 2].mean()) for image in seen]
    assert red == sorted(red) and red[0] == pytest.approx(4 * 250 // 12, abs=12)
    assert len(video.read_video(kept.video, 0.0, 20)) == 20
    with pytest.raises(InvalidParameter, match="camera frames in all"):
        store.add([turn()], "film")
    assert len(store.load("film")) == 2


def test_the_statistics_are_those_of_all_rows(store: DemonstrationStore) -> None:
    store.add([turn(count=41, yaw=0.6)], "mine")
    store.add([turn(count=21, yaw=-1.0)], "mine")
    stats = json.loads((store.folder / "mine" / lerobot_format.STATS_FILE).read_text())["observation.state"]
    rows = np.concatenate([one.states for one in store.load("mine")])
    for name, expected in (("mean", rows.mean(axis=0)), ("std", rows.std(axis=0)), ("min", rows.min(axis=0))):
        assert stats[name] == pytest.approx(expected.tolist(), abs=1e-6)
    assert stats["count"] == [62]


def break_info(folder: Path) -> None:
    (folder / "meta/info.json").write_text("{")


def older_version(folder: Path) -> None:
    info = json.loads((folder / "meta/info.json").read_text())
    (folder / "meta/info.json").write_text(json.dumps(info | {"codebase_version": "v2.1"}))


def another_robot(folder: Path) -> None:
    info = json.loads((folder / "meta/info.json").read_text())
    info["features"]["action"]["names"] = ["shoulder"] * 9
    (folder / "meta/info.json").write_text(json.dumps(info))


def cut_data(folder: Path) -> None:
    file = folder / "data/chunk-000/file-000.parquet"
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[: len(content) // 2])


def link_out(folder: Path) -> None:
    file = folder / "data/chunk-000/file-000.parquet"
    file.rename(folder.parent / "elsewhere")
    file.symlink_to(folder.parent / "elsewhere")


def lose_data(folder: Path) -> None:
    (folder / "data/chunk-000/file-001.parquet").unlink()


@pytest.mark.parametrize("harm", [break_info, older_version, another_robot, cut_data, link_out, lose_data])
def test_a_broken_dataset_is_named_and_left_alone(store: DemonstrationStore, harm: object) -> None:
    store.add([turn(), turn(count=9)], "broken")
    store.add([turn()], "fine")
    harm(store.folder / "broken")  # type: ignore[operator]
    with pytest.raises(DatasetInvalid) as caught:
        store.load("broken")
    assert caught.value.code == "DATASET_INVALID" and caught.value.hint
    with pytest.raises(DatasetInvalid):
        store.add([turn()], "broken")
    assert len(store.load("fine")) == 1
    store.remove_dataset("broken")
    assert store.names() == ["fine"]


@pytest.mark.parametrize("name", ["", ".hidden", "../out", "a/b", "x" * 65])
def test_a_name_that_is_no_folder_is_refused(store: DemonstrationStore, name: str) -> None:
    with pytest.raises(InvalidParameter, match="can't be called"):
        store.add([turn()], name)


def test_not_a_number_is_no_demonstration() -> None:
    states = turn().states.copy()
    states[3, 2] = np.nan
    with pytest.raises(InvalidParameter, match="finite"):
        Demonstration("x", states, states, turn().targets, "tools")
    with pytest.raises(InvalidParameter, match="beyond"):
        Demonstration("x", turn().states * 100, turn().actions, turn().targets, "tools")


def add_and_die(folder: Path, step: int) -> None:
    """Adds a demonstration in a process that is killed at its `step`-th change of the folder's names."""
    left = step
    rename = Path.rename

    def counted(path: Path, target: Path) -> Path:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(path, target)

    Path.rename = counted  # type: ignore[method-assign, assignment]
    DemonstrationStore(folder).add([turn("new")], "mine")


@pytest.mark.process
@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_kill_leaves_the_dataset_before_or_after(store: DemonstrationStore, step: int) -> None:
    store.add([turn("old")], "mine")
    child = multiprocessing.get_context("spawn").Process(target=add_and_die, args=(store.folder, step))
    child.start()
    child.join(60)
    assert child.exitcode == (-signal.SIGKILL if step < 2 else 0)
    assert [one.task for one in store.load("mine")] == (["old"] if step < 2 else ["old", "new"])
    store.add([turn("later")], "mine")
    assert store.load("mine")[-1].task == "later"
    assert sorted(path.name for path in store.folder.iterdir()) == [".mine.lock", "mine"]


def test_a_dataset_without_our_sidecar_has_the_same_ids_each_time(store: DemonstrationStore) -> None:
    store.add([turn(), turn()], "mine")
    (store.folder / "mine" / lerobot_format.SIDECAR_FILE).unlink()
    ids = [one.id for one in store.load("mine")]
    assert ids == [one.id for one in store.load("mine")] and len(set(ids)) == 2
    store.remove(ids[0])
    assert [one.id for one in store.load("mine")] == ids[1:]


def test_a_dataset_that_another_program_changed_keeps_what_still_holds(store: DemonstrationStore) -> None:
    first, second, third = turn("a"), turn("b"), turn("c")
    store.add([first, second, third], "mine")
    file = store.folder / "mine" / lerobot_format.SIDECAR_FILE
    content = json.loads(file.read_text())
    file.unlink()
    content["demonstrations"][1]["task"] = "something else"
    file.write_text(json.dumps(content | {"demonstrations": content["demonstrations"][:2]}))
    back = store.load("mine")
    assert [one.task for one in back] == ["a", "b", "c"] and same(back[0], first)
    assert not {one.id for one in back[1:]} & {second.id, third.id} and back[1].person == ""
    store.remove(back[1].id)
    assert [one.task for one in store.load("mine")] == ["a", "c"]


def test_a_copy_of_a_dataset_gets_ids_of_its_own(store: DemonstrationStore) -> None:
    store.add([turn(id="0123456789ab")], "mine")
    (copied,) = store.add(store.load("mine"), "copy")
    assert copied.id != "0123456789ab" and shutil.rmtree(store.folder / "mine") is None
    assert store.get(copied.id).task == "look at the cup"
