"""`reachy-mind voices`: list, try and use."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reachy_mind.body import wav
from tests.fakes.processes import here, here_json
from tests.speech.conftest import needs_flite

pytestmark = pytest.mark.process


def test_they_are_listed_with_licence_and_how_to_get_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(home / "none"))
    told = here("voices", "list").stdout
    assert "kokoro: Apache-2.0" in told
    assert "to get it: reachy-mind models pull kokoro-voice (101 MB)" in told
    assert "af_heart     woman, American" in told
    listed = here_json("voices", "list")
    assert listed["total"] == len(listed["voices"]) >= 38
    assert sum(voice["in_use"] for voice in listed["voices"]) <= 1


@needs_flite
def test_one_is_heard_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "heard.wav"
    told = here_json("voices", "try", "rms", "--text", "Hello there.", "--mood", "sad", "--output", str(file))
    assert told["voice"] == "flite rms"
    assert len(wav.read_pcm(file.read_bytes(), 60)) / 32_000 == pytest.approx(told["seconds"], abs=0.01)
    assert 0.3 < told["seconds"] < 4
    for wrong, said in (
        (("rms", "--mood", "odd"), "there is no mood 'odd'"),
        (("rmss",), "there is no voice called rmss"),
        (("rms", "--output", str(tmp_path / "no" / "folder.wav")), "can't be written"),
    ):
        failed = here("voices", "try", *wrong)
        assert failed.returncode == 1
        assert said in failed.stderr
        assert "hint: " in failed.stderr


def test_one_is_made_the_usual_voice(home: Path) -> None:
    assert "the usual voice is slt from the next start on" in here("voices", "use", "slt").stdout
    file = home / "config.yaml"
    assert yaml.safe_load(file.read_text())["speech"]["voice_name"] == "slt"
    file.write_text(file.read_text() + "  voice: piper\n")
    here("voices", "use", "af_heart")
    assert yaml.safe_load(file.read_text())["speech"] == {"voice_name": "af_heart", "voice": "auto"}
    assert here_json("voices", "use", "auto")["value"] == ""
    assert here("config", "show").returncode == 0
    assert here("voices", "use", "nobody").returncode == 1
