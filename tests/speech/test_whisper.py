"""The accurate ears. `make test-models` brings what these tests need."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.errors import InvalidParameter, MissingExtra, NotReady
from reachy_mind.models.store import Store
from reachy_mind.speech import espeak, whisper
from tests.speech.conftest import STORE, needs_espeak, needs_flite, needs_whisper, said


@pytest.fixture
async def accurate():
    made = whisper.transcriber(STORE)
    yield made
    await made.aclose()


@needs_whisper
@needs_flite
async def test_it_hears_english_and_finds_the_language(accurate, clips):
    heard = await accurate.transcribe(clips["What is the weather in Lisbon tomorrow?"])
    assert heard.text == "What is the weather in Lisbon tomorrow?"
    assert heard.language == "en"


@needs_whisper
@needs_espeak
async def test_it_hears_another_language(accurate):
    pcm = await said(espeak.voice(language="de"), "Guten Morgen! Das Wetter in Hamburg ist heute sehr gut.")
    heard = await accurate.transcribe(pcm, language="de")
    assert "Guten Morgen" in heard.text
    assert "Hamburg" in heard.text
    assert heard.language == "de"


@needs_whisper
async def test_silence_noise_and_garbage_are_empty(accurate):
    random = np.random.default_rng(5)
    for sound in (b"", bytes(2), bytes(64_000), random.bytes(96_000)):
        assert (await accurate.transcribe(sound)).text == ""
    with pytest.raises(InvalidParameter, match="'klingon'"):
        await accurate.transcribe(bytes(2), language="klingon")


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    with pytest.raises((NotReady, MissingExtra)) as failed:
        whisper.transcriber(Store(tmp_path))
    assert failed.value.hint in ("reachy-mind models pull whisper-base", "pip install 'reachy-mind[whisper]'")
    monkeypatch.setattr(whisper, "LIBRARY", "not_there")
    with pytest.raises(MissingExtra) as failed:
        whisper.transcriber(Store(tmp_path))
    assert failed.value.hint == "pip install 'reachy-mind[whisper]'"
