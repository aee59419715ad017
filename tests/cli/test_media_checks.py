"""What `doctor` says about camera, microphone and loudspeaker: who provides them, why, and what was tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.body.address import Address
from reachy_mind.cli.media_checks import examine_media
from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import load
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership
from tests.body.media.films import film
from tests.fakes.daemon import Misbehaviour, misbehaving
from tests.fakes.processes import command
from tests.fakes.pulse import MISSING, Pulse, installed


async def found(robot: str, **media: object) -> dict[str, Finding]:
    settings = load(flags={"robot.address": robot} | {f"media.{name}": value for name, value in media.items()})
    return {finding.name: finding for finding in await examine_media(settings)}


async def test_a_simulator_that_runs_is_tried(robot: Address) -> None:
    checks = await found(str(robot))
    assert all(check.ok for check in checks.values()) and list(checks) == ["media", "camera", "microphone", "speaker"]
    assert checks["media"].detail.startswith("sim, because a simulator of ours answers")
    assert "640x360" in checks["camera"].detail and "dB" in checks["microphone"].detail
    assert "silence" in checks["speaker"].detail


async def test_one_that_does_not_run_is_not_and_that_is_said() -> None:
    checks = await found("sim")
    assert list(checks) == ["media"] and checks["media"].ok and "not tried" in checks["media"].detail


@pytest.mark.skipif(not installed(), reason=MISSING)
@pytest.mark.process
async def test_this_computers_own_are_opened_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Pulse(tmp_path / "pulse") as pulse:
        for name, value in pulse.environment.items():
            monkeypatch.setenv(name, value)
        path = film(tmp_path / "film.avi", [90] * 5)
        checks = await found("none", provider="local", camera=path, microphone="pulse", speaker="pulse")
    assert all(check.ok for check in checks.values()), checks
    assert "160x90" in checks["camera"].detail and "pulse, 16000 Hz, mono" in checks["speaker"].detail


async def test_each_that_is_missing_has_its_own_reason_and_fix(robot: Address) -> None:
    checks = await found(str(robot), provider="direct", microphone="nobody's", speaker="nobody's")
    assert "never tried" in checks["media"].detail
    for name, setting in (("camera", "media.camera"), ("microphone", "media.microphone"), ("speaker", "media.speaker")):
        assert not checks[name].ok and checks[name].optional and setting in checks[name].fix


async def test_a_robot_whose_media_can_not_be_had_is_told_with_what_would_help() -> None:
    async with misbehaving(Misbehaviour()) as daemon:
        media = (await found(str(daemon), provider="vendor"))["media"]
    assert not media.ok and media.optional and "media.vendor_python is not set" in media.detail and media.fix


async def test_what_a_mind_uses_is_left_alone(tmp_path: Path) -> None:
    with Ownership(Home.find()) as owner:
        owner.announce(1)
        checks = await found("none", provider="local", camera=film(tmp_path / "film.avi", [90] * 5))
    assert list(checks) == ["media"] and "a mind runs" in checks["media"].detail


@pytest.mark.process
def test_doctor_prints_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_SPEECH__EARS", "none")  # which take a while to be tried: test_commands does
    monkeypatch.setenv("REACHY_MIND_SPEECH__VOICE", "none")
    done = command("doctor", "--robot", "none")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done
    assert "off  media: none, because there is no robot" in lines
    assert lines[lines.index("off  media: none, because there is no robot") + 1].startswith("     fix: media.provider")
