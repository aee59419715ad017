"""Head trackers by name: built-in, with the owner's model, plug-ins; and the errors of unavailable ones."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.config.configuration import load
from reachy_mind.errors import MindError, MissingExtra, NotReady, WorkerError
from reachy_mind.eyes import head_trackers
from reachy_mind.eyes.faces import Face, FaceDetector
from tests.eyes import onnx_file
from tests.eyes.photos import picture

WIDE = np.zeros((360, 640, 3), np.uint8)


def chosen(name: str, model: Path | None = None) -> FaceDetector:
    return head_trackers.choose(load(flags={"eyes.tracker": name, "eyes.tracker_model": model}))


async def found(detector: FaceDetector) -> list[Face]:
    async with contextlib.aclosing(detector):
        return await detector.detect(picture(WIDE))


def places(*rows: tuple[float, ...]) -> np.ndarray:
    """The output of a YOLO network: these detections, and as many empty candidates."""
    nothing = [(0.0,) * len(rows[0])] * 20
    return np.array([*rows, *nothing], np.float32).T[None]


@pytest.mark.process
async def test_yolo_with_a_model_of_faces(tmp_path: Path) -> None:
    # In points of a square of 64, of which a picture 640x360 fills the middle 36 rows.
    model = onnx_file.write(
        tmp_path / "faces.onnx",
        places((16, 32, 8, 9, 0.9), (17, 32, 8, 9, 0.8), (48, 41, 8, 9, 0.6), (30, 30, 4, 4, 0.4)),
    )
    first, second = await found(chosen("yolo", model))
    assert first.score == pytest.approx(0.9) and first.box.centre == pytest.approx((0.25, 0.5))
    assert second.box.centre == pytest.approx((0.75, 0.75)) and second.box.height == pytest.approx(0.25)


@pytest.mark.process
async def test_yolo_with_a_model_of_people_looks_at_their_heads(tmp_path: Path) -> None:
    names = "{0: 'person', 1: 'duck'}"
    model = onnx_file.write(tmp_path / "people.onnx", places((32, 32, 16, 36, 0.9, 0.1)), names=names)
    [face] = await found(chosen("yolo", model))
    assert face.box.top == pytest.approx(0.0) and face.box.bottom < 0.3
    assert face.box.centre[0] == pytest.approx(0.5) and face.box.width < 0.15


@pytest.mark.process
async def test_a_model_of_another_layout_says_so(tmp_path: Path) -> None:
    model = onnx_file.write(tmp_path / "other.onnx", np.zeros((1, 300, 6), np.float32))
    with pytest.raises(WorkerError, match="not the layout"):
        await found(chosen("yolo", model))


@pytest.mark.process
async def test_a_file_that_is_no_model_says_so(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    with pytest.raises(WorkerError) as error:
        await found(chosen("yolo", tmp_path / "broken.onnx"))
    assert "eyes.tracker_model" in error.value.hint


@pytest.mark.parametrize(
    ("name", "model", "said", "hint"),
    [
        ("off", None, "switched off", "--head-tracker"),
        ("yolo", None, "has no model", "eyes.tracker_model"),
        ("yolo", Path("nowhere.onnx"), "no file", "eyes.tracker_model"),
        ("haar", None, "no head tracker called 'haar'", "bundled, yolo, mediapipe"),
    ],
)
def test_what_there_is_not_is_said(name: str, model: Path | None, said: str, hint: str) -> None:
    with pytest.raises(NotReady, match=said) as error:
        chosen(name, model)
    assert hint in error.value.hint


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for name, extra in ("bundled", "vision"), ("yolo", "vision"), ("mediapipe", "mediapipe"):
        with pytest.raises(MissingExtra) as error:
            chosen(name)
        assert f"reachy-mind[{extra}]" in error.value.hint


PLUG_IN = """
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.faces import Face

class Everywhere:
    name = "everywhere"
    async def detect(self, picture):
        return [Face(Box(0, 0, 1, 1), 1.0)]
    async def aclose(self):
        pass

def make(eyes):
    return Everywhere()

def broken(eyes):
    raise ValueError("out of order")
"""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed third-party package."""
    (tmp_path / "their_tracker.py").write_text(PLUG_IN)
    about = tmp_path / "their_tracker-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-tracker\nVersion: 1.0\n")
    points = "everywhere = their_tracker:make\nbroken = their_tracker:broken\n"
    (about / "entry_points.txt").write_text(f"[reachy_mind.head_trackers]\n{points}")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("plug_in")
async def test_a_plug_in_of_somebody_elses() -> None:
    assert [face.score for face in await found(chosen("everywhere"))] == [1.0]
    with pytest.raises(MindError, match="out of order"):
        chosen("broken")
    with pytest.raises(NotReady) as error:
        chosen("nobodys")
    assert "everywhere" in error.value.hint
