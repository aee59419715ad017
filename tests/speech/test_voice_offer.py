"""Which natural voice is offered to a machine, and the list of all voices."""

from __future__ import annotations

import dataclasses
import platform
from pathlib import Path

import pytest

from reachy_mind.models import speed_record
from reachy_mind.models.machine import Machine
from reachy_mind.models.store import Store
from reachy_mind.models.unpack import Manifest
from reachy_mind.models.voice_names import VOICES
from reachy_mind.speech import espeak, kokoro
from reachy_mind.speech.voice_list import listed_voices
from reachy_mind.speech.voice_offer import voice_offer
from tests.speech.test_engines import configured, programs

GB = 1_000_000_000
DESKTOP = Machine(memory=16 * GB, free_memory=12 * GB, cores=8, on_battery=False, free_disk=100 * GB)


@pytest.fixture
def machine(monkeypatch):
    """Makes this machine another one."""

    def become(processor: str = "x86_64", **changes: int) -> None:
        monkeypatch.setattr(Machine, "here", lambda _: dataclasses.replace(DESKTOP, **changes))
        monkeypatch.setattr(platform, "machine", lambda: processor)

    become()
    return become


def pulled(folder: Path, name: str) -> Store:
    store = Store(folder)
    (folder / name).mkdir(parents=True)
    Manifest(store.asset(name).edition, {}).write(folder / name)
    return store


def offered(folder: Path, **speech: object) -> str | None:
    return voice_offer(configured(folder, **speech), Store(folder)).as_dict()["name"]


def test_kokoro_is_offered_to_machines_that_can_and_piper_to_the_others(tmp_path, machine):
    assert offered(tmp_path) == "kokoro-voice"
    machine("aarch64")
    assert offered(tmp_path) == "piper-voice"
    machine(cores=1)
    assert offered(tmp_path) == "piper-voice"
    machine(memory=2 * GB)
    assert offered(tmp_path) == "piper-voice"
    machine(free_disk=100_000_000)
    assert offered(tmp_path) is None


def test_what_was_found_to_be_slow_is_not_offered_again(tmp_path, machine):
    store = pulled(tmp_path, "kokoro-voice")
    assert offered(tmp_path) is None
    speed_record.measured_once(kokoro.record(store), kokoro.runtime_version(), lambda: 2.0)
    assert offered(tmp_path) == "piper-voice"
    pulled(tmp_path, "piper-voice")
    assert offered(tmp_path) is None


def test_nothing_is_offered_where_a_voice_was_chosen_or_none_would_fit(tmp_path, machine):
    assert offered(tmp_path, voice="flite") is None
    assert offered(tmp_path, voice="none") is None
    assert offered(tmp_path, language="de") is None
    assert offered(tmp_path, voice="piper") == "piper-voice"
    assert voice_offer(configured(tmp_path), Store(tmp_path), skip={"kokoro-voice"}).asset.name == "piper-voice"


def test_the_terminal_gets_one_line_with_size_licence_and_command(tmp_path, machine):
    line = voice_offer(configured(tmp_path), Store(tmp_path)).line()
    assert line.startswith("Kokoro, 28 natural voices: ")
    assert "reachy-mind models pull kokoro-voice (101 MB, Apache-2.0" in line
    assert "\n" not in line
    machine("aarch64")
    assert "GPL-3.0-or-later" in voice_offer(configured(tmp_path), Store(tmp_path)).line()


def test_every_voice_is_listed_with_what_it_takes(tmp_path, monkeypatch):
    programs(tmp_path / "programs", monkeypatch, "flite")
    found = {(voice.engine, voice.name): voice for voice in listed_voices(configured(tmp_path), "flite rms")}
    assert len(found) == sum(len(names) for names in VOICES.values())
    heart, rms, robot = found["kokoro", "af_heart"], found["flite", "rms"], found["espeak", "m1"]
    assert (heart.installed, heart.asset, heart.hint) == (False, "kokoro-voice", "reachy-mind models pull kokoro-voice")
    assert (heart.about, found["kokoro", "bm_george"].about) == ("woman, American", "man, British")
    assert heart.size > 90_000_000
    assert heart.licence.startswith("Apache-2.0")
    assert (rms.installed, rms.in_use, rms.hint) == (True, True, "")
    assert (robot.installed, robot.hint) == (False, espeak.HINT)
    assert [voice.name for voice in found.values() if voice.in_use] == ["rms"]
    german = listed_voices(configured(tmp_path, language="de"), "espeak de+f2")
    assert [voice.name for voice in german if voice.in_use] == ["f2"]
