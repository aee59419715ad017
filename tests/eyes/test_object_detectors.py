"""Selection of object detectors, and what the downloadable ones find in photographs (`make test-models`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.address import Address
from reachy_mind.config.settings import EyesSettings
from reachy_mind.errors import NotReady
from reachy_mind.eyes import object_detectors, yolo11, yolov4
from reachy_mind.eyes.objects import ObjectDetector
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.scene_analysis import SceneAnalysis
from reachy_mind.models.catalogue import CATALOGUE
from reachy_mind.models.store import Store
from tests.conftest import MODELS
from tests.eyes.pictures import photograph

SIMULATOR = Address("127.0.0.1", 1)
PULLED = [name for name in (yolov4.NAME, yolo11.NAME) if Store(MODELS).status(name).state == "ready"]
"""A test that needs one which is not on this machine is skipped: `make test-models` pulls the permissive one."""


def test_a_simulated_camera_is_its_own_detector(tmp_path: Path) -> None:
    assert object_detectors.choose(EyesSettings(detector="auto"), Store(tmp_path), SIMULATOR).name == "sim"
    assert object_detectors.choose(EyesSettings(detector="sim"), Store(tmp_path), SIMULATOR).name == "sim"
    with pytest.raises(NotReady, match="simulated camera"):
        object_detectors.choose(EyesSettings(detector="sim"), Store(tmp_path), None)


@pytest.mark.parametrize(
    ("choice", "hint"), [("auto", "yolov4-tiny"), ("yolov4-tiny", "yolov4-tiny"), ("yolo11n", "yolo11n")]
)
def test_what_was_not_pulled_says_how(tmp_path: Path, choice: str, hint: str) -> None:
    with pytest.raises(NotReady, match="nothing yet that recognises") as told:
        object_detectors.choose(EyesSettings(detector=choice), Store(tmp_path), None)
    assert told.value.hint == f"reachy-mind models pull {hint}"


def test_none_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotReady, match="told not to"):
        object_detectors.choose(EyesSettings(detector="none"), Store(tmp_path), SIMULATOR)


async def test_a_photograph_is_not_the_simulators(tmp_path: Path) -> None:
    """It knows its own pictures; for others there has to be a detector, or it says so."""
    observer = SceneAnalysis(EyesSettings(detector="auto"), Store(tmp_path), SIMULATOR)
    with pytest.raises(NotReady) as told:
        await observer.answer("is there a cat?", photograph("chelsea.png"))
    assert "models pull" in told.value.hint
    await observer.aclose()


def test_the_default_is_permissive_and_the_other_says_its_licence() -> None:
    assert "AGPL" not in CATALOGUE[yolov4.NAME].licence and "public domain" in CATALOGUE[yolov4.NAME].licence
    assert CATALOGUE[yolo11.NAME].licence.startswith("AGPL-3.0")


@pytest.fixture(params=[yolov4.NAME, yolo11.NAME])
async def detector(request: pytest.FixtureRequest) -> AsyncIterator[ObjectDetector]:
    if request.param not in PULLED:
        pytest.skip(f"reachy-mind models pull {request.param}")
    made = object_detectors.choose(EyesSettings(detector=request.param), Store(MODELS), None)
    yield made
    await made.aclose()


@pytest.mark.process
async def test_photographs(detector: ObjectDetector) -> None:
    """An astronaut, a cup of coffee, a motorcycle, a man with a camera, a cat."""
    for name, thing, sure in (
        ("astronaut.png", "person", 0.8),
        ("coffee.png", "cup", 0.6),
        ("motorcycle_left.png", "motorcycle", 0.8),
        ("camera.png", "person", 0.6),
        ("chelsea.png", "cat", 0.3),
    ):
        found = await detector.detect(photograph(name))
        assert found[0].name == thing and found[0].score > sure and found[0].detector == detector.name, (name, found)
        assert found[0].box.area > 0.1
    assert await detector.detect(photograph("brick.png")) == []


@pytest.mark.process
async def test_odd_pictures(detector: ObjectDetector) -> None:
    for height, width in ((8, 8), (9, 3000), (4000, 6000)):
        assert await detector.detect(Picture(np.full((height, width, 3), 90, np.uint8), 0.0)) == []


@pytest.mark.process
async def test_questions_about_a_photograph(detector: ObjectDetector) -> None:
    observer = SceneAnalysis(EyesSettings(detector=detector.name), Store(MODELS), None)
    try:
        assert (await observer.answer("is there a cup?", photograph("coffee.png"))).text.startswith("Yes, I see a cup")
        assert (await observer.answer("is there a dog?", photograph("coffee.png"))).text.startswith("I see no dog.")
        assert (await observer.answer("who is there?", photograph("astronaut.png"))).text == "I see one person."
    finally:
        await observer.aclose()


class Describing:
    """A model that sees, as far as this needs one."""

    name = "describing"

    def __init__(self, *, ready: bool) -> None:
        self.ready, self.facts = ready, ""

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:  # noqa: ARG002
        if not self.ready:
            raise NotReady("no model answers")
        self.facts = facts
        return f"{prompt} A cat."


async def test_open_questions_go_to_a_model_that_sees(tmp_path: Path) -> None:
    observer = SceneAnalysis(EyesSettings(detector="none"), Store(tmp_path), None)
    cat = photograph("chelsea.png")
    answer = await observer.answer("Is it happy?", cat, describer=Describing(ready=True))
    assert (answer.text, answer.by) == ("Is it happy? A cat.", "describing")
    with pytest.raises(NotReady):
        await observer.answer("Is it happy?", cat, describer=Describing(ready=False))
    await observer.aclose()
