"""The camera by the API with each media provider: a picture, or the reason why there is none."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.media import on_demand_camera as eyes
from reachy_mind.config.configuration import load
from reachy_mind.errors import NotReady
from reachy_mind.mind import Mind
from tests.body.media.films import SIZE, film, seen
from tests.fakes import vendor_sdk
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.server.served import calling
from tests.waiting import until


def mind(robot: str, **media: object) -> Mind:
    return Mind(load(flags={"robot.address": robot} | {f"media.{name}": value for name, value in media.items()}))


async def looked(one: Mind) -> tuple[dict[str, Any], httpx.Response]:
    """What is said about the camera, and the answer to one look through it."""
    async with calling(one) as http:
        said = (await http.get("/vision")).json()
        return said, await http.get("/vision/frame", timeout=60)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return film(tmp_path / "film.avi", [90] * 5)


async def test_the_simulators(robot: Address) -> None:
    async with mind(str(robot)).session() as one:
        said, picture = await looked(one)
        assert said["available"] and said["provider"] == "sim" and str(robot) in said["because"]
        assert seen(picture.content)[0] == (640, 360)
        async with one.media.microphone() as microphone:
            assert len(await anext(aiter(microphone))) == 640


async def test_this_computers_own_without_any_robot(path: str) -> None:
    async with mind("none", provider="local", camera=path).session() as one:
        said, picture = await looked(one)
        assert said["provider"] == "local" and seen(picture.content)[0] == SIZE
        eye = one.eye()
    with pytest.raises(NotReady, match="not running"):
        one.eye()
    assert "webcam" not in [thread.name for thread in threading.enumerate()]
    assert eye.last_error is None


async def test_the_robots_own_while_its_daemon_has_let_go(robot: Address, path: str) -> None:
    async def is_released() -> bool:
        async with httpx.AsyncClient() as http:
            return bool((await http.get(f"{robot.http}/api/media/status")).json()["released"])

    async with mind(str(robot), provider="direct", camera=path).session() as one:
        assert not await is_released(), "nobody has looked yet"
        said, picture = await looked(one)
        assert said["provider"] == "direct" and seen(picture.content)[0] == SIZE
        assert await is_released()
    assert not await is_released()


@pytest.mark.process
async def test_the_vendors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SDK_LOG", str(tmp_path / "log"))
    async with (
        misbehaving(Misbehaviour()) as daemon,
        mind(str(daemon), vendor_python=vendor_sdk.python(tmp_path)).session() as one,
    ):
        said, picture = await looked(one)
        assert said["provider"] == "vendor" and seen(picture.content)[0] == (64, 36)


async def test_none_says_why_and_what_would_help() -> None:
    async with mind("none").session() as one:
        said, picture = await looked(one)
        assert not said["available"] and said["provider"] == "none" and "no robot" in said["reason"]
        assert "media.provider=local" in said["hint"]
        assert picture.status_code == 503 and picture.json()["error"]["code"] == "NOT_READY"


async def test_a_camera_that_can_not_be_opened_may_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    async with mind("none", provider="local", camera=str(path)).session() as one:
        said, refused = await looked(one)
        assert said["available"] and refused.status_code == 503
        assert "no camera" in refused.json()["error"]["message"]
        film(path, [90] * 5)
        said, picture = await looked(one)
        assert "no camera" in said["trouble"] and picture.status_code == 200
        assert (await looked(one))[0]["trouble"] == ""


async def test_a_camera_that_nobody_looks_through_is_closed(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eyes, "IDLE_CLOSE_S", 0.05)
    async with mind("none", provider="local", camera=path).session() as one:
        for _ in range(2):
            await one.eye().frame()
            await until(lambda: "webcam" not in [thread.name for thread in threading.enumerate()])
