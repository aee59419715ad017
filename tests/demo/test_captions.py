"""The captions of a film: what was shown is under the picture, code and what the robot sees are on it."""

from __future__ import annotations

import io

from PIL import Image, ImageChops

from reachy_mind.demo.captions import PICTURE, SIZE, Captions
from reachy_mind.demo.record import DemoLine


def picture(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", PICTURE, (shade, shade, shade)).save(file, "JPEG")
    return file.getvalue()


def drawn(captions: Captions, inset: bytes | None = None) -> Image.Image:
    return Image.open(io.BytesIO(captions.draw(picture(200), inset)))


def changed(before: Image.Image, after: Image.Image) -> tuple[int, int, int, int] | None:
    """The rectangle in which two frames differ by more than the noise of JPEG."""
    return ImageChops.difference(before, after).convert("L").point(lambda value: 255 * (value > 60)).getbbox()


def test_what_is_said_is_under_the_picture_and_leaves_it_free() -> None:
    captions = Captions("Demo 1")
    before = drawn(captions)
    captions.take(DemoLine("narration", "I look through my camera. " * 8))
    after = drawn(captions)
    assert after.size == SIZE
    left, top, right, bottom = changed(before, after) or (0, 0, 0, 0)
    assert top >= PICTURE[1] - 2, "the picture stays free"
    assert right <= SIZE[0] and bottom <= SIZE[1] and right - left > SIZE[0] / 2


def test_the_newest_lines_stay_when_there_are_too_many() -> None:
    captions = Captions("Demo 1")
    for number in range(20):
        captions.take(DemoLine("robot", f"line {number}"))
    full = drawn(captions)
    captions.take(DemoLine("figure", "the newest of all"))
    assert changed(full, drawn(captions)) is not None


def test_code_is_shown_until_the_next_step_and_its_camera_in_a_corner() -> None:
    captions = Captions("Demo 2")
    before = drawn(captions)
    captions.take(DemoLine("code", "async def watch():\n    return {}"))
    code = changed(before, drawn(captions)) or (0, 0, 0, 0)
    assert code[3] < PICTURE[1] and code[0] < 20, "on the picture, at its left"
    captions.take(DemoLine("step", "2. What it wrote"))
    captions.take(DemoLine("step", ""))
    corner = changed(drawn(captions), drawn(captions, picture(20))) or (0, 0, 0, 0)
    assert corner[0] > SIZE[0] / 2 and corner[3] < PICTURE[1] / 2
