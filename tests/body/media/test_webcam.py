"""A camera of this machine, with a video file in its place: opened, looked through, looped, closed, gone."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.body.media.webcam import Webcam, cameras, find, first_named
from reachy_mind.errors import LinkLost, MissingExtra, NotReady
from tests.body.media.films import SIZE, emptied, film, seen
from tests.body.media.plugs import plug


def test_cameras_are_found_by_number_path_and_part_of_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug(tmp_path, monkeypatch, cameras=[("Some Webcam", 2), ("Reachy Cam", 1)])
    assert [camera.path for camera in cameras()] == ["/dev/video0", "/dev/video2"], "video1 gives no pictures"
    assert find("") == "/dev/video0"
    assert find("reachy") == "/dev/video2"
    assert first_named(("Arducam_12MP", "Reachy")) == "/dev/video2"
    assert first_named(("Arducam_12MP",)) == ""
    with pytest.raises(NotReady) as refused:
        find("theirs")
    assert "no camera 'theirs'" in refused.value.message and "Some Webcam (/dev/video0)" in refused.value.hint


@pytest.mark.parametrize("device", ["7", "/dev/video7", "nobody's camera", "there/is/none.avi"])
async def test_a_camera_that_is_not_there_is_said(device: str) -> None:
    with pytest.raises(NotReady, match="no camera"):
        await Webcam(device).__aenter__()


async def test_a_film_is_looked_at_from_its_begin_to_its_begin_again(tmp_path: Path) -> None:
    dark, bright = 20, 220
    async with Webcam(film(tmp_path / "film.avi", [dark] * 4 + [bright] * 4)) as camera:
        pictures = [seen(await camera.frame()) for _ in range(24)]
    assert {size for size, _ in pictures} == {SIZE}
    turns = [b > 120 for _, b in pictures]
    changes = sum(one != other for one, other in itertools.pairwise(turns))
    assert changes >= 3, f"dark, bright, dark again, bright again: {turns}"


async def test_everybody_who_looks_at_once_gets_a_picture(tmp_path: Path) -> None:
    async with Webcam(film(tmp_path / "film.avi", [90] * 5)) as camera:
        pictures = await asyncio.gather(*(camera.frame() for _ in range(8)))
    assert all(abs(seen(picture)[1] - 90) < 5 for picture in pictures)


async def test_a_closed_camera_leaves_no_thread_and_can_be_opened_again(tmp_path: Path) -> None:
    camera = Webcam(film(tmp_path / "film.avi", [90] * 5))
    for _ in range(2):
        async with camera:
            await camera.frame()
        with pytest.raises(LinkLost, match="can't be used"):
            await camera.frame()
    assert "webcam" not in [thread.name for thread in threading.enumerate()]


async def test_what_is_no_video_is_said(tmp_path: Path) -> None:
    (tmp_path / "letter.avi").write_text("Dear robot, " * 50)
    with pytest.raises(NotReady, match=r"letter\.avi can't be opened"):
        await Webcam(str(tmp_path / "letter.avi")).__aenter__()


async def test_a_camera_that_gives_nothing_is_said_and_said_again(tmp_path: Path) -> None:
    async with Webcam(emptied(film(tmp_path / "film.avi", [90] * 3))) as camera:
        for _ in range(2):
            with pytest.raises(LinkLost, match="no more pictures"):
                await camera.frame()


async def test_what_it_holds_is_given_back_also_when_it_can_not_be_opened(tmp_path: Path) -> None:
    told: list[str] = []

    @contextlib.asynccontextmanager
    async def hold() -> AsyncIterator[None]:
        told.append("taken")
        try:
            yield
        finally:
            told.append("given back")

    with pytest.raises(NotReady):
        await Webcam("no such camera", lease=hold()).__aenter__()
    assert told == ["taken", "given back"]
    async with Webcam(film(tmp_path / "film.avi", [90] * 3), lease=hold()):
        assert told[2:] == ["taken"]
    assert told[2:] == ["taken", "given back"]


async def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtra) as refused:
        await Webcam("0").__aenter__()
    assert "reachy-mind[media]" in refused.value.hint
