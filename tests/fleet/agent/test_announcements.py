"""What a device says by itself: rendered once by the voice of the machine, kept, and heard without it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.config.configuration import Configuration
from reachy_mind.fleet.agent.announcements import Announcer
from reachy_mind.fleet.agent.null_speaker import NullSpeaker
from reachy_mind.fleet.agent.phrases import PHRASES, fixed_phrases, phrase_text
from reachy_mind.fleet.agent.sound import SoundOutput
from tests.fleet.agent.captures import RATE, read_capture
from tests.waiting import until

MakeAnnouncer = Callable[[Configuration], "asynccontextmanager[Announcer]"]  # type: ignore[valid-type]


@pytest.fixture
def make_announcer(tmp_path: Path) -> MakeAnnouncer:
    @asynccontextmanager
    async def make(configuration: Configuration) -> AsyncIterator[Announcer]:
        async with (
            SoundOutput(lambda mixer: NullSpeaker(mixer, tmp_path / "heard.wav")) as sound,
            Announcer(configuration, sound, tmp_path / "phrases") as announcer,
        ):
            yield announcer

    return make  # type: ignore[return-value]


def test_every_language_has_every_phrase_with_the_same_names() -> None:
    for phrases in PHRASES.values():
        assert set(phrases) == set(PHRASES["en"])
        for phrase, text in phrases.items():
            assert text.count("{by}") == PHRASES["en"][phrase].count("{by}")


def test_a_language_without_phrases_gets_english_ones() -> None:
    assert phrase_text("online", "fi") == phrase_text("online", "en")


def test_a_name_that_is_filled_in_stays_short_and_in_one_line() -> None:
    text = phrase_text("acknowledged", "en", by="Ana\nMaria " + "x" * 500)
    assert text.startswith("Ana Maria x") and len(text) < 150 and "\n" not in text


async def test_without_a_voice_a_chime_is_heard_in_place_of_a_sentence(
    make_announcer: MakeAnnouncer, settings: Callable[..., Configuration], tmp_path: Path
) -> None:
    async with make_announcer(settings()) as announcer:
        assert await announcer.say("online") is False
        assert int(np.abs(read_capture(tmp_path / "heard.wav").samples.astype(np.int32)).max()) > 1000
        assert announcer.said == "I am connected again."


@pytest.mark.process
@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
async def test_fixed_phrases_are_kept_and_heard_at_once_without_any_voice(
    make_announcer: MakeAnnouncer,
    settings: Callable[..., Configuration],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    speaking = settings(reachy_mind_speech__voice="flite", reachy_mind_device__emergency_text="Help is needed here.")
    async with make_announcer(speaking) as announcer:
        assert announcer.text_of("emergency") == "Help is needed here."
        texts = [announcer.text_of("emergency"), *fixed_phrases("en").values()]
        await until(lambda: all(announcer.is_kept(text) for text in texts if text != PHRASES["en"]["emergency"]))
        kept = await announcer.speech("Help is needed here.", "en")
        assert len(kept) > RATE
    monkeypatch.setenv("PATH", "/nowhere")
    async with make_announcer(speaking) as announcer:
        assert await announcer.say("emergency") is True
    samples = read_capture(tmp_path / "heard.wav").samples
    assert int(np.abs(samples.astype(np.int32)).max()) > 1000 and len(samples) >= len(kept) // 2
