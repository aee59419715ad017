"""LeRobot's own code reads the datasets that we write, and we read those that it writes.

Runs where `script/test-lerobot` has put LeRobot's environment (LEROBOT_PYTHON).
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reachy_mind.learning.demonstrations import video
from reachy_mind.learning.demonstrations.demonstration import POSE_NAMES, Demonstration
from reachy_mind.learning.demonstrations.store import DemonstrationStore
from reachy_mind.learning.demonstrations.transfer import (
    export_dataset,
    import_dataset,
    pull_demonstrations,
    push_demonstrations,
)
from tests.fakes.writable_hub import WritableHub
from tests.learning.demonstrations.shown import filmed, turn

PYTHON = os.environ.get("LEROBOT_PYTHON", "")
CAMERA = "observation.images.camera"
REPOSITORY = "reachy-mind/written"

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason="no environment with LeRobot"),
    pytest.mark.process,
    pytest.mark.timeout(400),
]


@dataclass
class Read:
    """What LeRobot's reader found: `report` in words, `items` with the values of every row."""

    report: dict[str, Any]
    items: dict[str, NDArray[Any]]


def lerobot(script: str, *arguments: object, hub: WritableHub | None = None) -> str:
    """Runs one of our scripts in LeRobot's environment, without a network, or with `hub` alone."""
    argv = [PYTHON, "-B", str(Path(__file__).with_name(f"{script}.py")), *map(str, arguments)]
    theirs = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    theirs |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": os.environ["HF_HOME"]}
    if hub is not None:
        theirs |= {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": hub.url, "HF_TOKEN": hub.token}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300, env=theirs)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def read(folder: Path, out: Path) -> Read:
    out.mkdir(parents=True, exist_ok=True)
    report = json.loads(lerobot("read", folder, out).splitlines()[-1])
    with np.load(out / "items.npz") as items:
        return Read(report, {name.replace("|", "/"): items[name] for name in items.files})


@pytest.fixture(autouse=True)
def huggingface_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "huggingface"))


@pytest.fixture
def store(tmp_path: Path) -> DemonstrationStore:
    return DemonstrationStore(tmp_path / "datasets")


def assert_same_rows(found: Read, shown: list[Demonstration]) -> None:
    """Every value of every row, and what is said about them, are those of `shown`."""
    lengths = [len(one.states) for one in shown]
    report, items = found.report, found.items
    assert (report["episodes"], report["frames"], report["fps"]) == (len(shown), sum(lengths), shown[0].fps)
    assert report["lengths"] == lengths and report["tasks_of_episodes"] == [[one.task] for one in shown]
    assert report["task_of_items"] == [one.task for one in shown for _ in one.states]
    assert set(report["tasks"]) == {one.task for one in shown}
    assert np.array_equal(items["task_index"].ravel(), [report["tasks"][one.task] for one in shown for _ in one.states])
    for name, rows in (("observation.state", "states"), ("action", "actions"), ("observation.target", "targets")):
        if name in items:
            assert np.array_equal(items[name], np.concatenate([getattr(one, rows) for one in shown])), name
    frames = np.concatenate([np.arange(length) for length in lengths])
    assert np.array_equal(items["frame_index"].ravel(), frames)
    assert items["timestamp"].ravel() == pytest.approx(frames / shown[0].fps, abs=1e-6)
    assert np.array_equal(items["episode_index"].ravel(), np.repeat(np.arange(len(shown)), lengths))
    assert np.array_equal(items["index"].ravel(), np.arange(sum(lengths)))
    assert report["names"]["observation.state"] == list(POSE_NAMES) == report["names"]["action"]
    state = np.concatenate([one.states for one in shown])
    for name, expected in (("min", state.min(axis=0)), ("max", state.max(axis=0)), ("mean", state.mean(axis=0))):
        assert report["stats"]["observation.state"][name] == pytest.approx(expected.tolist(), abs=1e-6)
    assert report["stats"]["action"]["count"] == [sum(lengths)]


def test_lerobot_reads_what_we_store(store: DemonstrationStore, tmp_path: Path) -> None:
    targets = np.tile(np.array([0.2, -0.1, 1.0, 0.4], dtype=np.float32), (31, 1))
    shown = [turn("look at the cup", 41), turn("wave"), turn("look at the cup", 31, targets=targets), turn("nod", 5)]
    store.add(shown, "mine")
    store.trim(shown[1].id, 0.5, 1.5)
    store.remove(shown[0].id)
    kept = store.load("mine")
    found = read(store.folder / "mine", tmp_path / "read")
    assert_same_rows(found, kept)
    assert found.report["robot_type"] == "reachy_mini"
    assert found.report["features"]["observation.target"] == ["float32", [4]]
    assert found.report["some_episodes"] == {"chosen": [0, 2], "found": [0, 2]}
    assert found.report["batch"]["action"] == [4, 9] and len(found.report["files"]) == 3
    # Actions around a row, which policies that plan ahead are trained on: those of its episode, padded at its ends.
    starts = np.cumsum([0, *(len(one.states) for one in kept)])
    for number, one in enumerate(kept):
        for row in (0, 1, len(one.states) - 1):
            rows = [min(max(row + step, 0), len(one.states) - 1) for step in (-2, 0, 1)]
            item = starts[number] + row
            assert np.array_equal(found.items["around/action"][item], one.actions[rows])
            assert found.items["around/action_is_pad"][item].tolist() == [
                row < 2,
                False,
                row == len(one.states) - 1,
            ]


def test_lerobot_decodes_the_camera_frames_that_we_store(store: DemonstrationStore, tmp_path: Path) -> None:
    shown = [filmed(12), filmed(20, task="wave"), filmed(9, task="nod")]
    store.add(shown, "film")
    store.trim(shown[1].id, 0.2, 0.6)
    store.remove(shown[2].id)
    kept = store.load("film")
    found = read(store.folder / "film", tmp_path / "read")
    assert_same_rows(found, kept)
    assert found.report["features"][CAMERA] == ["video", [48, 64, 3]]
    pictures = [*shown[0].images, *shown[1].images[4:13]]
    wanted = np.stack([picture[:, :, ::-1].transpose(2, 0, 1) for picture in video.decoded(pictures)]) / 255.0
    assert np.abs(found.items[CAMERA] - wanted).max() < 0.06
    around = found.items["around/frames"]
    assert np.abs(around - wanted[[-3, -1, -1]]).max() < 0.06
    stats = found.report["stats"][CAMERA]
    assert np.array(stats["mean"]).shape == (3, 1, 1)
    assert np.array(stats["mean"]).ravel() == pytest.approx(wanted.mean(axis=(0, 2, 3)), abs=0.03)
    assert np.array(stats["std"]).ravel() == pytest.approx(wanted.std(axis=(0, 2, 3)), abs=0.03)
    if found.report["torchcodec"]:
        pytest.skip(f"torchcodec can't be loaded: {found.report['torchcodec']}")
    assert np.abs(found.items["torchcodec/frames"] - wanted).max() < 0.06


def test_lerobot_reads_a_dataset_of_more_than_one_chunk(store: DemonstrationStore, tmp_path: Path) -> None:
    shown = [turn(f"task {number % 7}", 2, yaw=number / 2000, tool_calls=()) for number in range(1003)]
    store.add(shown, "many")
    found = read(store.folder / "many", tmp_path / "read")
    assert_same_rows(found, store.load("many"))
    assert found.report["files"][-1] == "data/chunk-001/file-002.parquet" and len(found.report["files"]) == 1003


def test_lerobot_goes_on_with_a_dataset_of_ours_and_we_with_its(store: DemonstrationStore, tmp_path: Path) -> None:
    store.add([turn("wave"), turn("look at the cup", 21)], "mine")
    before = store.load("mine")
    export_dataset(store, "mine", tmp_path / "out")
    lerobot("write", "resume", tmp_path / "out")
    found = read(tmp_path / "out", tmp_path / "read")
    assert found.report["lengths"] == [41, 21, 11] and list(found.report["tasks"])[-1] == "nod"
    assert found.items["action"][-1][5] == pytest.approx(0.02 * 10 + 0.5 + 0.01, abs=1e-6)
    import_dataset(store, tmp_path / "out", "back")
    back = store.load("back")
    assert [one.task for one in back] == ["wave", "look at the cup", "nod"]
    assert all(np.array_equal(one.states, other.states) for one, other in zip(before, back, strict=False))


def test_lerobots_dataset_tools_work_on_ours(store: DemonstrationStore, tmp_path: Path) -> None:
    shown = [filmed(12), filmed(20, task="wave"), filmed(9, task="nod")]
    store.add(shown, "film")
    store.add([filmed(7, task="bow")], "other")
    lerobot("write", "merge", tmp_path / "both", store.folder / "film", store.folder / "other")
    lerobot("write", "delete", tmp_path / "both", tmp_path / "less")
    found = read(tmp_path / "less", tmp_path / "read")
    assert_same_rows(found, [*shown[1:], turn("bow", 7)])
    import_dataset(store, tmp_path / "less", "back")
    back = store.load("back")
    assert [(one.task, len(one.states)) for one in back] == [("wave", 20), ("nod", 9), ("bow", 7)]
    for one, other in zip(back, shown[1:], strict=False):
        assert np.array_equal(one.states, other.states) and one.video is not None
        seen = video.read_video(one.video, one.video_start, len(one.states))
        wanted = video.decoded(other.images)
        assert max(np.abs(a.astype(int) - b).max() for a, b in zip(seen, wanted, strict=True)) < 25


@pytest.mark.parametrize("film", ["", "h264", "libsvtav1"])
def test_we_import_what_lerobot_writes(store: DemonstrationStore, tmp_path: Path, film: str) -> None:
    lerobot("write", "new", tmp_path / "theirs", *([film] if film else []))
    imported = import_dataset(store, tmp_path / "theirs", "taken")
    assert [(one.episode.task, one.episode.length) for one in imported] == [
        ("look at the cup", 21),
        ("wave", 13),
        ("look at the cup", 17),
    ]
    taken = store.load("taken")
    for number, one in enumerate(taken):
        expected = (0.02 * np.arange(len(one.states)) + 0.1 * number).astype(np.float32)
        assert np.array_equal(one.states[:, 5], expected) and np.array_equal(one.actions, one.states + np.float32(0.01))
        assert one.fps == 20 and one.source == "teleoperation" and one.filmed == bool(film)
        if one.video is not None:
            seen = np.stack(video.read_video(one.video, one.video_start, len(one.states)))
            red = seen[:, :, :, 2].mean(axis=(1, 2))
            assert red == pytest.approx(10.0 * np.arange(len(one.states)), abs=12)
            assert seen[:, :, :, 1].mean() == pytest.approx(40 + 40 * number, abs=12)
    found = read(store.folder / "taken", tmp_path / "read")
    assert_same_rows(found, taken)


async def test_the_hubs_own_client_and_our_upload_do_the_same(store: DemonstrationStore, tmp_path: Path) -> None:
    store.add([filmed(12), filmed(20, task="wave")], "film")
    with WritableHub(REPOSITORY) as ours, WritableHub(REPOSITORY) as theirs:
        await push_demonstrations(store, "film", REPOSITORY, endpoint=ours.url, token=ours.token)
        lerobot("write", "pull", tmp_path / "pulled", hub=ours)
        lerobot("write", "push", tmp_path / "pulled", hub=theirs)
        assert ours.tags == theirs.tags == ["v3.0"] and ours.refused == theirs.refused == []
        data = {name: content for name, content in ours.files.items() if name not in ("README.md", ".gitattributes")}
        assert {name: theirs.files.get(name) for name in data} == data
        taken = await pull_demonstrations(store, REPOSITORY, "back", endpoint=theirs.url, token=theirs.token)
    assert [one.episode.task for one in taken] == ["look at the cup", "wave"]


def test_the_statistics_are_those_that_lerobot_computes(store: DemonstrationStore, tmp_path: Path) -> None:
    lerobot("write", "new", tmp_path / "theirs", "h264")
    theirs = json.loads((tmp_path / "theirs/meta/stats.json").read_text())
    import_dataset(store, tmp_path / "theirs", "taken")
    ours = json.loads((store.folder / "taken/meta/stats.json").read_text())
    assert set(theirs) <= set(ours)
    for feature, found in theirs.items():
        assert set(found) == set(ours[feature]), feature
        for name, values in found.items():
            assert np.shape(ours[feature][name]) == np.shape(values), (feature, name)
            if name == "count" or (feature, name) == (CAMERA, "std"):
                continue  # a std of pictures is wrong there: their squares overflow a byte
            span = np.max(found["max"]) - np.min(found["min"])
            loose = 0.06 if feature == CAMERA else 0.03 * span if name.startswith("q") else 1e-5
            assert np.ravel(ours[feature][name]) == pytest.approx(np.ravel(values), abs=loose), (feature, name)
