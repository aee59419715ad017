"""Selection of the media provider for each setting and robot, and the errors of unavailable devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.media import Camera
from reachy_mind.body.media import providers as choosing
from reachy_mind.body.media.direct import on_this_machine
from reachy_mind.body.media.on_demand_camera import OnDemandCamera
from reachy_mind.body.media.providers import MediaChoice, choose, provide
from reachy_mind.config.configuration import load
from reachy_mind.config.settings import Settings
from reachy_mind.errors import LinkLost, NotReady
from tests.body.media.films import emptied, film, seen
from tests.body.media.plugs import plug
from tests.fakes.daemon import Misbehaviour, misbehaving

FAR = Address("192.0.2.7", 8000)


def settings(robot: str = "none", **media: str) -> Settings:
    return load(flags={"robot.address": robot} | {f"media.{name}": value for name, value in media.items()}).settings


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "PROBE_TIMEOUT_S", 0.5)


@pytest.mark.parametrize(
    ("robot", "wish", "provider", "reason"),
    [
        ("sim", "auto", "sim", "simulated"),
        ("sim", "sim", "sim", "simulated"),
        ("sim", "local", "local", "media.provider is local"),
        ("sim", "none", "none", "media.provider is none"),
        ("none", "auto", "none", "there is no robot"),
        ("none", "direct", "none", "there is no robot"),
        ("none", "vendor", "none", "there is no robot"),
        ("none", "local", "local", "media.provider is local"),
    ],
)
async def test_what_is_chosen_without_asking_anybody(robot: str, wish: str, provider: str, reason: str) -> None:
    chosen = await choose(settings(robot, provider=wish), None)
    assert chosen.provider == provider and reason in chosen.reason
    assert provider != "none" or "media.provider=local" in chosen.hint


async def test_a_simulator_of_ours_is_known_wherever_it_is(robot: Address) -> None:
    chosen = await choose(settings(str(robot)), robot)
    assert chosen.provider == "sim" and str(robot) in chosen.reason
    async with provide(chosen, settings(str(robot)), robot).camera() as camera:
        assert seen(await camera.frame())[0] == (640, 360)
    assert (await choose(settings(str(robot), provider="sim"), robot)).provider == "sim"
    assert (await choose(settings(str(robot), provider="direct"), robot)).provider == "direct"


async def test_a_robot_is_no_simulator_whatever_is_wished() -> None:
    async with misbehaving(Misbehaviour()) as daemon:
        chosen = await choose(settings(str(daemon), provider="sim"), daemon)
        assert chosen.provider == "none" and "no simulator" in chosen.reason


async def test_a_robot_elsewhere_needs_the_vendors_software() -> None:
    without = await choose(settings(str(FAR)), FAR)
    assert without.provider == "none" and "on another machine" in without.reason
    assert "reachy-mind media setup" in without.hint and "media.provider=local" in without.hint
    assert (await choose(settings(str(FAR), vendor_python="/usr/bin/python3"), FAR)).provider == "vendor"
    wished = await choose(settings(str(FAR), provider="vendor"), FAR)
    assert wished.provider == "none" and "media.vendor_python is not set" in wished.reason


@pytest.mark.parametrize(
    ("camera", "card", "python", "provider"),
    [
        ("Reachy Mini Camera", "Reachy Mini Audio", "", "direct"),
        ("", "Reachy Mini Audio", "/usr/bin/python3", "direct"),
        ("Some Webcam", "Some Card", "/usr/bin/python3", "vendor"),
        ("Some Webcam", "Some Card", "", "none"),
    ],
)
async def test_a_robot_on_this_machine_is_used_directly_where_its_devices_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, camera: str, card: str, python: str, provider: str
) -> None:
    plug(tmp_path, monkeypatch, cameras=[(camera, 1)] if camera else [], card=card)
    async with misbehaving(Misbehaviour()) as daemon:
        wish = settings(str(daemon), **({"vendor_python": python} if python else {}))
        chosen = await choose(wish, daemon)
    assert chosen.provider == provider
    if provider == "direct":
        assert "its sound card is plugged in" in chosen.reason
    if provider == "none":
        assert "not plugged into this machine" in chosen.reason


def test_loopback_is_this_machine() -> None:
    here = ("localhost", "127.0.0.1", "127.1.2.3", "::1")
    assert all(on_this_machine(Address(host)) for host in here) and not on_this_machine(FAR)
    assert not on_this_machine(Address("reachy-mini.local"))


def test_none_refuses_all_three_with_the_reason() -> None:
    nothing = provide(MediaChoice("none", "there is no robot", "do this"), settings(), None)
    for part, what in (
        (nothing.camera, "camera"),
        (nothing.microphone, "microphone"),
        (nothing.speaker, "loudspeaker"),
    ):
        with pytest.raises(NotReady) as refused:
            part()
        assert refused.value.message == f"there is no {what}: there is no robot" and refused.value.hint == "do this"


async def test_an_eye_opens_with_the_first_look_and_again_after_trouble(tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.avi", [90] * 5)
    broken = emptied(film(tmp_path / "broken.avi", [90] * 5))
    made: list[str] = []
    queue = [broken, whole]

    def camera() -> Camera:
        made.append(queue[0])
        return provide(MediaChoice("local", ""), settings(camera=queue.pop(0)), None).camera()

    async with OnDemandCamera(camera) as eye:
        assert made == [], "nobody has looked yet"
        with pytest.raises(LinkLost):
            await eye.frame()
        assert eye.last_error is not None and "no more pictures" in eye.last_error.message
        await eye.frame()
        await eye.frame()
        assert made == [broken, whole] and eye.last_error is None
