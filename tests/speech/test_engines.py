"""Which ears and which voice are used, and what is said when there are none."""

from __future__ import annotations

from pathlib import Path

import pytest
import structlog

from reachy_mind.config.configuration import Configuration, load
from reachy_mind.models import voice_names
from reachy_mind.models.store import Store
from reachy_mind.speech import engines, espeak, flite, kokoro, moonshine, piper, voices, whisper
from tests.conftest import MODELS
from tests.speech.conftest import needs_espeak, needs_flite, needs_piper, needs_whisper, said


def configured(models: Path = MODELS, **speech: object) -> Configuration:
    flags = {f"speech.{name}": value for name, value in speech.items()}
    return load(flags={**flags, "models.folder": models})


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """A machine that has these programs and no others."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(folder))


def test_ears_are_moonshine_unless_told_otherwise(tmp_path):
    chosen = engines.ears(configured())
    assert chosen.part is not None
    assert chosen.part.name.startswith("moonshine ")
    assert chosen.why.startswith("first choice for en")
    off = engines.ears(configured(ears="none"))
    assert (off.part, off.why) == (None, "switched off (speech.ears: none)")
    missing = engines.ears(configured(tmp_path, ears="whisper"))
    assert missing.part is None
    assert missing.fix in ("reachy-mind models pull whisper-base", "pip install 'reachy-mind[whisper]'")


def test_a_small_machine_takes_the_small_models_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "has_little_memory", lambda: True)
    chosen = engines.ears(configured())
    assert chosen.part is not None and chosen.part.name == "moonshine tiny"
    assert "moonshine-base" not in chosen.why
    voice = engines.mouth(configured()).part
    assert voice is None or "kokoro" not in voice.name


@needs_whisper
def test_another_language_is_for_whisper():
    chosen = engines.ears(configured(language="de"))
    assert chosen.part is not None
    assert chosen.part.name == "whisper"
    assert chosen.why == "moonshine does not know the language de"


def test_without_its_library_ears_say_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(moonshine, "LIBRARY", "not_there")
    monkeypatch.setattr(whisper, "LIBRARY", "not_there_either")
    chosen = engines.ears(configured(tmp_path))
    assert chosen.part is None
    assert "the 'speech' extra" in chosen.why
    assert chosen.fix == "pip install 'reachy-mind[speech]'"


def test_without_the_extra_a_program_speaks(monkeypatch, tmp_path):
    """The core alone: what measures kokoro asks for a runtime that is not installed."""
    monkeypatch.setattr(kokoro, "RUNTIME", "not_there")
    programs(tmp_path / "none", monkeypatch)
    chosen = engines.mouth(configured(tmp_path))
    assert "the 'speech' extra" in chosen.why
    assert chosen.fix == "pip install 'reachy-mind[speech]'"
    programs(tmp_path / "one", monkeypatch, "flite")
    assert engines.mouth(configured(tmp_path)).part.name == "flite slt"


def test_the_best_voice_that_is_there_is_taken(tmp_path, monkeypatch):
    bare = tmp_path / "models"
    programs(tmp_path / "none", monkeypatch)
    chosen = engines.mouth(configured(bare))
    assert chosen.part is None
    missing = ("kokoro is not on this machine", "piper is not on this machine", "flite is not installed")
    assert chosen.why == "; ".join([*missing, "espeak-ng is not installed"])
    assert chosen.fix == espeak.HINT
    programs(tmp_path / "one", monkeypatch, "espeak-ng")
    assert engines.mouth(configured(bare)).part.name == "espeak en-us+m1"
    programs(tmp_path / "both", monkeypatch, "espeak-ng", "flite")
    assert engines.mouth(configured(bare)).part.name == "flite slt"
    assert engines.mouth(configured(bare, voice="espeak")).part.name == "espeak en-us+m1"
    assert engines.mouth(configured(bare, voice="none")).part is None
    german = engines.mouth(configured(bare, language="de"))
    assert german.part.name == "espeak de+m1"
    assert german.part.languages == ("de",)
    assert engines.mouth(configured(bare, voice="piper")).fix == "reachy-mind models pull piper-voice"
    nobody = engines.mouth(configured(bare, language="xyz"))
    assert nobody.part is None
    assert nobody.fix == "choose another speech.language"


@needs_piper
def test_piper_is_taken_once_it_was_pulled(tmp_path):
    (tmp_path / "piper-voice").symlink_to(MODELS / "piper-voice")
    assert engines.mouth(configured(tmp_path)).part.name == "piper joe"


@needs_flite
@pytest.mark.process
async def test_speed_reaches_the_voice(tmp_path):
    quick = engines.mouth(configured(tmp_path, voice="flite", speed=2.0)).part
    plain = engines.mouth(configured(tmp_path, voice="flite")).part
    assert len(await said(quick, "How do you do?")) < 0.7 * len(await said(plain, "How do you do?"))


@needs_flite
@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("", "flite slt"),
        ("cedar", "flite awb"),
        (" Marin\n", "flite slt"),
        ("onyx", "flite awb"),
        ("echo", "flite rms"),
        ("rms", "flite rms"),
        ("flite kal16", "flite kal16"),
    ],
)
def test_a_profile_names_a_voice(wanted, name):
    with structlog.testing.capture_logs() as lines:
        assert engines.mouth(configured(voice="flite"), wanted).part.name == name
    assert lines == []


@needs_flite
def test_an_unknown_name_is_the_usual_voice_and_one_line_in_the_log():
    with structlog.testing.capture_logs() as lines:
        assert engines.mouth(configured(voice="flite"), "$(ls) --help").part.name == "flite slt"
    assert [line["wanted"] for line in lines] == ["$(ls) --help"]


def test_every_engine_has_a_voice_for_every_name_of_openai():
    for engine, names in voice_names.OPENAI_NAMES.items():
        assert {"alloy", "cedar", "marin", "verse"} <= set(names)
        assert all(voice_names.voice_name(engine, name) in voice_names.VOICES[engine] for name in names)


@needs_espeak
@needs_flite
async def test_every_voice_that_is_named_exists():
    for name in flite.VOICES:
        assert await said(flite.voice(name), "Yes.")
    made = [await said(flite.voice(name), "Yes.") for name in flite.VOICES]
    assert len(set(made)) == len(made)
    for name in espeak.VOICES:
        assert await said(espeak.voice(name), "Yes.")
    for language in espeak.LANGUAGES:
        assert await said(espeak.voice(language=language), "Oslo 12"), language


@needs_flite
@needs_espeak
def test_without_its_libraries_no_voice_is_chosen(monkeypatch):
    monkeypatch.setattr(voices, "LIBRARIES", ("not_there",))
    chosen = engines.mouth(configured())
    assert chosen.part is None
    assert chosen.fix == "pip install 'reachy-mind[speech]'"


def test_a_store_without_piper_for_this_machine_has_no_piper(tmp_path):
    assert not piper.available(Store(tmp_path, {}))
