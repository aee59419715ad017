"""Which Moonshine hears: base where it is there, whole and quick enough, else tiny, which says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import structlog

from reachy_mind.errors import NotReady, WorkerError
from reachy_mind.models.store import Store
from reachy_mind.models.unpack import Manifest
from reachy_mind.speech import audio_format, engines, moonshine
from tests.speech.conftest import STORE, needs_base, needs_flite
from tests.speech.test_engines import configured
from tests.speech.test_moonshine import words

pytestmark = pytest.mark.process
TINY = moonshine.library_folder() / "assets" / "tiny-en"


def with_base(folder: Path, **files: bytes) -> Store:
    """A store in which the asset seems to be unpacked, with these files; tiny's in the place of the others."""
    store = Store(folder)
    place = folder / moonshine.ASSET
    place.mkdir(parents=True)
    for name in ("encoder_model", "decoder_model_merged"):
        if name in files:
            (place / f"{name}.onnx").write_bytes(files[name])
        else:
            (place / f"{name}.ort").symlink_to(TINY / f"{name}.ort")
    Manifest(store.asset(moonshine.ASSET).edition, {}).write(place)
    return store


def record(store: Store) -> Path:
    return store.folder / "measured" / "moonshine-base.json"


@pytest.fixture
async def started():
    made: list[moonshine.MoonshineTranscriber] = []

    async def start(store, size="auto", **options):
        made.append(moonshine.transcriber(store, size, **options))
        with structlog.testing.capture_logs() as lines:
            await made[-1].warm()
        return made[-1], [line for line in lines if line["log_level"] == "warning"]

    yield start
    for one in made:
        await one.aclose()


async def test_without_base_it_is_tiny_and_says_what_would_be_better(tmp_path, started):
    ears, warnings = await started(Store(tmp_path))
    assert (ears.name, warnings) == ("moonshine tiny", [])
    chosen = engines.ears(configured(tmp_path))
    assert chosen.why == "first choice for en; base hears better: reachy-mind models pull moonshine-base (67 MB)"
    assert engines.ears(configured(tmp_path, ears="moonshine-tiny")).why == "speech.ears: moonshine-tiny"
    with pytest.raises(NotReady) as missing:
        moonshine.transcriber(Store(tmp_path), "base")
    assert missing.value.hint == "reachy-mind models pull moonshine-base"
    assert engines.ears(configured(tmp_path, ears="moonshine-base")).fix == missing.value.hint


async def test_base_is_measured_once_and_used_where_it_is_quick_enough(tmp_path, started):
    store = with_base(tmp_path)
    ears, warnings = await started(store)
    assert (ears.name, warnings) == ("moonshine base", [])
    measured = json.loads(record(store).read_text())
    assert 0 < measured["cpu_share"] < 1
    record(store).write_text(json.dumps(measured | {"cpu_share": 0.7}))
    ears, (warning,) = await started(store)
    assert ears.name == "moonshine tiny", "what was measured counts, it is not measured again"
    assert warning["reason"] == "base takes 0.70 s of a core for a second of sound, more than 0.10"
    assert warning["hint"] == "to use it all the same: speech.ears: moonshine-base"
    ears, warnings = await started(store, "base")
    assert (ears.name, warnings) == ("moonshine base", [])


@pytest.mark.parametrize("known", ["", "[]", '{"machine": "another one", "cpu_share": 0.9}'])
async def test_what_was_measured_elsewhere_or_can_t_be_read_is_measured_again(tmp_path, started, known):
    store = with_base(tmp_path)
    record(store).parent.mkdir()
    record(store).write_text(known)
    ears, _ = await started(store, most_cpu=10.0)
    assert ears.name == "moonshine base"
    assert json.loads(record(store).read_text())["machine"] != "another one"


@needs_flite
async def test_a_damaged_base_leaves_the_hearing_to_tiny_and_is_named(tmp_path, started, clips):
    store = with_base(tmp_path, decoder_model_merged=b"damaged" * 1000)
    ears, (warning,) = await started(store)
    assert ears.name == "moonshine tiny"
    assert "base can't be loaded" in warning["reason"] and "decoder_model_merged" in warning["reason"]
    assert warning["hint"] == "reachy-mind models verify moonshine-base"
    assert words((await ears.transcribe(clips["Yes, go ahead."])).text) == "yes go ahead"


async def test_a_damaged_base_that_was_asked_for_is_an_error(tmp_path):
    store = with_base(tmp_path, encoder_model=b"")
    ears = moonshine.transcriber(store, "base")
    with pytest.raises(WorkerError, match="encoder_model") as failed:
        await ears.warm()
    assert "reachy-mind models verify moonshine-base" in failed.value.hint
    await ears.aclose()


@needs_base
@needs_flite
async def test_confidence_comes_with_the_words(clips):
    ears = moonshine.transcriber(STORE)
    clip = clips["What is the weather in Lisbon tomorrow?"]
    clear = await ears.transcribe(clip, rated=True)
    assert clear.confidence is not None and 0.6 < clear.confidence <= 1
    assert (await ears.transcribe(clip)).confidence is None, "nobody asked"
    assert (await ears.transcribe(bytes(32_000), rated=True)).confidence == 0.0
    reversed_ = audio_format.to_pcm(audio_format.to_floats(clip)[::-1])
    assert (await ears.transcribe(reversed_, rated=True)).confidence < clear.confidence - 0.2
    await ears.aclose()
