"""Kokoro: where it is chosen, what speaks where it can't, and its voices heard by the real ears."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import structlog

from reachy_mind.errors import MissingExtra, NotReady, WorkerError
from reachy_mind.models import speed_record
from reachy_mind.models.store import Store
from reachy_mind.models.unpack import Manifest
from reachy_mind.speech import audio_format, engines, kokoro
from reachy_mind.speech.kokoro_model import levelled
from reachy_mind.speech.kokoro_network import trimmed
from tests.speech.conftest import STORE, needs_flite, needs_kokoro, said
from tests.speech.test_engines import configured
from tests.speech.test_moonshine import words

pytestmark = pytest.mark.process


def damaged(folder: Path) -> Store:
    """A store in which the asset seems to be unpacked, with nothing in it that can be read."""
    store = Store(folder)
    place = folder / kokoro.ASSET
    place.mkdir(parents=True)
    (place / "model.onnx").write_bytes(b"no network")
    Manifest(store.asset(kokoro.ASSET).edition, {}).write(place)
    return store


def measured(store: Store, share: float) -> None:
    """As if it had been measured on this machine before."""
    speed_record.measured_once(kokoro.record(store), kokoro.runtime_version(), lambda: share)


@pytest.fixture
async def voice():
    made = kokoro.voice(STORE)
    yield made
    await made.aclose()


@needs_flite
async def test_damaged_files_make_the_next_voice_speak_and_say_why(tmp_path):
    damaged(tmp_path)
    chosen = engines.mouth(configured(tmp_path)).part
    assert chosen.name == "kokoro af_heart"
    with structlog.testing.capture_logs() as lines:
        assert audio_format.seconds(await said(chosen, "Hello there.")) > 0.3
    assert chosen.name == "flite slt"
    (warning,) = [line for line in lines if "spoken_with" in line]
    assert warning["spoken_with"] == "flite slt"
    assert warning["hint"].endswith("reachy-mind models verify kokoro-voice")
    await chosen.aclose()


async def test_where_it_was_asked_for_there_is_no_other_voice(tmp_path):
    damaged(tmp_path)
    chosen = engines.mouth(configured(tmp_path, voice="kokoro")).part
    with pytest.raises(WorkerError) as failed:
        await said(chosen, "Hello there.")
    assert "models verify kokoro-voice" in failed.value.hint
    await chosen.aclose()


@needs_flite
def test_a_machine_that_is_known_to_be_slow_has_another_voice(tmp_path):
    store = damaged(tmp_path)
    measured(store, 0.9)
    chosen = engines.mouth(configured(tmp_path))
    assert chosen.part.name == "flite slt"
    assert "kokoro takes 0.90 s of a core for a second of sound on this machine" in chosen.why
    assert engines.mouth(configured(tmp_path, voice="kokoro")).part.name == "kokoro af_heart"
    assert engines.mouth(configured(tmp_path, voice_name="bm_george")).part.name == "kokoro bm_george"
    kokoro.record(store).write_text(json.dumps({"machine": "another", "cpu_share": 0.9}))
    assert engines.mouth(configured(tmp_path)).part.name == "kokoro af_heart"


@needs_flite
async def test_one_that_turns_out_to_be_slow_gives_way(tmp_path):
    store = damaged(tmp_path)
    measured(store, 0.9)

    class Slow(kokoro.KokoroVoice):
        async def cpu_share(self, file: Path) -> float:
            return speed_record.known_share(file, kokoro.runtime_version()) or 0.0

    other = engines.mouth(configured(tmp_path, voice="flite")).part
    chosen = kokoro.KokoroOrOther(Slow(store.path(kokoro.ASSET), "af_heart"), kokoro.record(store), lambda: other)
    await chosen.warm()
    assert chosen.name == "flite slt"
    assert audio_format.seconds(await said(chosen, "Hello there.")) > 0.3
    await chosen.aclose()


def test_it_says_what_to_do_when_it_is_not_there(tmp_path, monkeypatch):
    with pytest.raises(NotReady) as failed:
        kokoro.voice(Store(tmp_path))
    assert failed.value.hint == "reachy-mind models pull kokoro-voice"
    assert not kokoro.available(Store(tmp_path, {}))
    monkeypatch.setattr(kokoro, "RUNTIME", "a_runtime_that_is_not_there")
    with pytest.raises(MissingExtra):
        kokoro.voice(Store(tmp_path))


@needs_kokoro
async def test_names_numbers_and_a_question_are_understood(voice, ears):
    heard = (
        await ears.transcribe(await said(voice, "Linda and Paul walked 12 kilometres in 1969. Did you know?"))
    ).text
    assert "linda and paul walked" in words(heard)
    assert "kilomet" in words(heard)
    assert heard.endswith("?")


@needs_kokoro
@pytest.mark.parametrize("name", ["af_bella", "am_michael", "bf_emma", "bm_george"])
async def test_its_voices_differ_and_are_understood(voice, ears, name):
    text = "What is the weather in Lisbon tomorrow?"
    pcm = await said(voice.named(name), text)
    assert pcm != await said(voice, text)
    assert "weather in lisbon" in words((await ears.transcribe(pcm)).text)
    sound = np.abs(np.frombuffer(pcm, "<i2").astype(int))
    assert sound.max() < 32767, "nothing is clipped"
    assert np.flatnonzero(sound > audio_format.SILENT)[0] < 0.1 * audio_format.RATE, "it begins at once"


@needs_kokoro
async def test_every_voice_has_its_file():
    for name in kokoro.VOICES:
        assert (STORE.path(kokoro.ASSET) / "voices" / f"{name}.bin").stat().st_size == 522_240


@needs_kokoro
async def test_a_long_text_is_said_to_its_end(voice, ears):
    pieces = [piece async for piece in voice.synthesize("Supercalifragilistic " * 8 + "and that was the end.")]
    assert "the end" in words((await ears.transcribe(pieces[-1])).text)


@needs_kokoro
async def test_a_killed_process_fails_one_sentence_and_the_next_is_said(voice, until):
    await voice.warm()
    call = asyncio.create_task(said(voice, "This sentence takes a while to say, so there is time to end it. " * 3))
    await until(lambda: voice.engine.status().state == "busy")
    os.kill(voice.engine.status().pid, signal.SIGKILL)
    with pytest.raises(WorkerError, match="SIGKILL"):
        await call
    assert audio_format.seconds(await said(voice, "Here I am again.")) > 0.5


@needs_kokoro
async def test_it_is_measured_once(tmp_path, voice):
    record = tmp_path / "measured" / "kokoro-voice.json"
    share = await voice.cpu_share(record)
    assert 0.01 < share < 20
    record.write_text(json.dumps(json.loads(record.read_text()) | {"cpu_share": 7.5}))
    assert await voice.cpu_share(record) == 7.5


@needs_kokoro
async def test_its_files_stay_as_they_are(voice):
    await said(voice, "Hello.")
    assert (await STORE.verify(kokoro.ASSET)).intact


def test_loud_and_quiet_voices_are_made_equally_loud_and_none_is_clipped():
    tone = np.sin(np.arange(24_000) / 20).astype(np.float32)
    loud, quiet = (levelled(level * tone) for level in (0.6, 0.1))
    assert np.sqrt(np.mean(loud**2)) == pytest.approx(np.sqrt(np.mean(quiet**2)), rel=0.01)
    spiky = np.where(np.arange(24_000) % 4000, 0.1 * tone, 1.0).astype(np.float32)
    assert np.abs(levelled(spiky)).max() <= 0.98
    assert len(levelled(np.zeros(0, np.float32))) == 0
    assert not levelled(np.zeros(24_000, np.float32)).any()


def test_silence_around_what_is_said_is_cut_and_its_noise_fades():
    noise = np.random.default_rng(3).normal(0, 0.001, 48_000).astype(np.float32)
    noise[20_000:30_000] += 0.3
    cut = trimmed(noise)
    assert 10_000 < len(cut) < 10_000 + 0.2 * 24_000
    assert cut[0] == cut[-1] == 0
    assert len(trimmed(np.zeros(100, np.float32))) == 0
    assert np.abs(trimmed(np.array([0.5, 0.5, 0.5], np.float32))).max() > 0
