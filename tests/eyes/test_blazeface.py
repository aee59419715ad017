"""The bundled face detector on real photographs: faces where they are, and none elsewhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import AssetError, MissingExtra, NotReady
from reachy_mind.eyes.blazeface import ASSET, BlazeFace, create_blazeface
from reachy_mind.eyes.boxes import Box
from reachy_mind.models.store import Store
from tests.conftest import MODELS
from tests.eyes.photos import on_grey, photo, picture, shrunk

ASTRONAUT = Box(0.36, 0.12, 0.54, 0.34)
"""Where her face is, by eye."""


@pytest.fixture(scope="module")
def detector() -> BlazeFace:
    store = Store(MODELS)
    if store.status(ASSET).state != "ready":
        asyncio.run(store.pull(ASSET))
    return create_blazeface(store)


async def test_a_face_and_both_its_eyes(detector: BlazeFace) -> None:
    [face] = await detector.detect(picture(photo("astronaut.png")))
    assert face.box.iou(ASTRONAUT) > 0.6 and face.score > 0.8
    (left_x, left_y), (right_x, right_y) = face.eyes
    assert face.box.left < left_x < right_x < face.box.right
    assert left_y == pytest.approx(0.2, abs=0.03) and right_y == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize(("width", "height", "left", "top"), [(1000, 560, 470, 40), (560, 1000, 40, 470)])
async def test_a_face_in_a_wide_and_in_a_tall_picture(
    detector: BlazeFace, width: int, height: int, left: int, top: int
) -> None:
    whole = on_grey(photo("astronaut.png"), width, height, left, top)
    [face] = await detector.detect(picture(whole))
    x, y = face.box.centre
    assert x * width == pytest.approx(left + 0.44 * 512, abs=15)
    assert y * height == pytest.approx(top + 0.23 * 512, abs=15)


async def test_two_faces_surest_first(detector: BlazeFace) -> None:
    near = photo("astronaut.png")
    both = np.concatenate([near, on_grey(shrunk(near, 400), 512, 512, 56, 56)], axis=1)
    first, second = await detector.detect(picture(both))
    assert first.score >= second.score
    assert sorted(round(face.box.centre[0], 1) for face in (first, second)) == [0.2, 0.7]


@pytest.mark.parametrize("name", ["coffee.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png", "text.png"])
async def test_no_face_where_there_is_none(detector: BlazeFace, name: str) -> None:
    assert await detector.detect(picture(photo(name))) == []


@pytest.mark.parametrize("shape", [(8, 8, 3), (8, 4000, 3), (3000, 8, 3)])
async def test_odd_pictures_do_no_harm(detector: BlazeFace, shape: tuple[int, int, int]) -> None:
    assert await detector.detect(picture(np.zeros(shape, np.uint8))) == []


async def test_it_can_be_closed_and_used_again(detector: BlazeFace) -> None:
    await detector.aclose()
    assert len(await detector.detect(picture(photo("astronaut.png")))) == 1


async def test_a_damaged_model_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.tflite").write_bytes(b"no model at all, but long enough to be read as one")
    with pytest.raises(NotReady, match="face detector") as error:
        await BlazeFace(tmp_path / "model.tflite").detect(picture(photo("astronaut.png")))
    assert "verify" in error.value.hint


def test_without_the_model_it_says_what_to_pull(tmp_path: Path) -> None:
    with pytest.raises(NotReady) as error:
        create_blazeface(Store(tmp_path))
    assert "models pull face-detector" in error.value.hint and not isinstance(error.value, AssetError | MissingExtra)
