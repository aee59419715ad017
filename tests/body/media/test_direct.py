"""The robot's own devices: its daemon lets go of them first and gets them back, whatever happens between.

A video file stands for its camera, PulseAudio for its sound card.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import httpx
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.media import Media
from reachy_mind.body.media.direct import find_plugged
from reachy_mind.body.media.providers import MediaChoice, provide
from reachy_mind.config.configuration import load
from reachy_mind.errors import HardwareError, LinkLost, NotReady
from tests.body.media.films import SIZE, film, seen
from tests.body.media.plugs import plug
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.fakes.pulse import MISSING, Pulse, installed

RELEASED = {"available": False, "released": True, "no_media": False}


def media(address: Address, **names: str) -> Media:
    settings = load(flags={f"media.{part}": name for part, name in names.items()}).settings
    return provide(MediaChoice("direct", "it was asked for"), settings, address)


async def is_released(robot: Address) -> bool:
    async with httpx.AsyncClient() as http:
        return bool((await http.get(f"{robot.http}/api/media/status")).json()["released"])


async def test_the_daemon_is_without_its_media_while_we_look_and_has_them_again_after(
    robot: Address, tmp_path: Path
) -> None:
    async with media(robot, camera=film(tmp_path / "film.avi", [90] * 5)).camera() as camera:
        assert await is_released(robot)
        assert seen(await camera.frame())[0] == SIZE
    assert not await is_released(robot)


async def test_it_gets_them_back_when_a_device_can_not_be_opened(robot: Address) -> None:
    found = media(robot, camera="/dev/video99", microphone="nobody's", speaker="nobody's")
    for part in (found.camera, found.microphone, found.speaker):
        with pytest.raises(NotReady, match=r"nobody's|video99"):
            await part().__aenter__()
        assert not await is_released(robot)


@pytest.mark.skipif(not installed(), reason=MISSING)
@pytest.mark.process
async def test_they_are_released_once_and_given_back_by_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manner = Misbehaviour()
    with Pulse(tmp_path / "pulse") as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        async with misbehaving(manner) as daemon:
            found = media(daemon, camera=film(tmp_path / "film.avi", [90] * 5), microphone="pulse", speaker="pulse")
            async with found.microphone() as microphone:
                async with found.camera() as camera, found.speaker() as speaker:
                    await camera.frame()
                    await speaker.write(b"\1\0" * 320)
                    await speaker.drained()
                assert manner.media == RELEASED, "the microphone is still open"
                await anext(aiter(microphone))
            assert manner.media_calls == ["release", "acquire"]
            async with found.camera():
                pass
            assert manner.media_calls == ["release", "acquire"] * 2


async def test_what_another_program_released_stays_released(tmp_path: Path) -> None:
    manner = Misbehaviour(media=RELEASED)
    async with misbehaving(manner) as daemon:
        async with media(daemon, camera=film(tmp_path / "film.avi", [90] * 5)).camera() as camera:
            await camera.frame()
        assert manner.media_calls == [] and manner.media == RELEASED


async def test_a_daemon_that_keeps_its_media_is_not_believed(tmp_path: Path) -> None:
    manner = Misbehaviour(keeps_media=True)
    async with misbehaving(manner) as daemon:
        with pytest.raises(HardwareError, match="still has them"):
            await media(daemon, camera=film(tmp_path / "film.avi", [90] * 5)).camera().__aenter__()
        assert manner.media_calls == ["release", "acquire"], "what was half done is taken back"


async def test_a_daemon_that_has_gone_meanwhile_does_not_keep_us_from_closing(tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack, misbehaving(Misbehaviour()) as daemon:
        await stack.enter_async_context(media(daemon, camera=film(tmp_path / "film.avi", [90] * 5)).camera())
    with pytest.raises(LinkLost, match="does not answer"):
        await media(daemon, camera=film(tmp_path / "film.avi", [90] * 5)).camera().__aenter__()


def test_the_robots_devices_are_known_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug(tmp_path, monkeypatch, cameras=[("Some Webcam", 1)])
    assert not (find_plugged().camera or find_plugged().sound)
    plug(tmp_path, monkeypatch, cameras=[("Arducam_12MP: Arducam_12MP", 2)], card="Reachy Mini Audio")
    assert find_plugged().camera == "/dev/video1" and find_plugged().sound
    assert str(find_plugged()) == "its camera (/dev/video1) and its sound card"


def test_a_camera_that_is_not_plugged_in_is_said(robot: Address) -> None:
    with pytest.raises(NotReady) as refused:
        media(robot).camera()
    assert "Reachy" in refused.value.hint and "media.camera" in refused.value.hint
