"""Moonshine read by our own code: what it writes, how sure it is, and the pieces of its words."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.body import wav
from reachy_mind.speech import audio_format, moonshine
from reachy_mind.speech.moonshine_network import MoonshineNetwork, repeated_cycle
from reachy_mind.speech.moonshine_tokens import TokenText
from tests.speech.conftest import STORE, needs_base
from tests.speech.test_moonshine import words

ASSETS = moonshine.library_folder() / "assets"
READ = "ever tried ever failed no matter try again fail again fail better"


@pytest.fixture(scope="module")
def texts() -> TokenText:
    return TokenText(ASSETS / "tiny-en" / "tokenizer.bin")


@pytest.fixture(scope="module", params=["tiny", pytest.param("base", marks=needs_base)])
def network(request) -> MoonshineNetwork:
    return MoonshineNetwork(ASSETS / "tiny-en" if request.param == "tiny" else STORE.path(moonshine.ASSET))


@pytest.fixture(scope="module")
def recording() -> np.ndarray:
    """A man reads a sentence, ten seconds."""
    return audio_format.to_floats(wav.read_pcm((ASSETS / "beckett.wav").read_bytes(), 60))


def test_a_recording_of_a_person_is_read(network, texts, recording):
    written = network.read(recording)
    assert words(texts.text(written.tokens)) == READ
    assert moonshine.confidence(written.log_probabilities) > 0.7


def test_it_is_less_sure_of_what_is_hard_to_hear(network, recording):
    noise = np.random.default_rng(5).normal(0, 1, len(recording)).astype(np.float32)
    sure = [moonshine.confidence(network.read(recording + level * noise).log_probabilities) for level in (0, 0.02, 0.1)]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > sure[2] + 0.1


@pytest.mark.parametrize("samples", [0, 1, 500, 3200])
def test_however_short_it_is_read(network, texts, samples):
    written = network.read(np.zeros(samples, np.float32))
    assert len(written.tokens) >= 1, "its caller has heard somebody"
    assert len(written.tokens) <= 4, "nobody says more in a fifth of a second"
    assert isinstance(texts.text(written.tokens), str)


def test_noise_does_not_make_it_write_without_end(network):
    noise = np.random.default_rng(5).normal(0, 0.3, 4 * audio_format.RATE).astype(np.float32)
    assert len(network.read(noise).tokens) <= 27


@pytest.mark.parametrize(
    ("tokens", "cycle"),
    [
        ([1, 5, *[7] * 8], 1),
        ([1, 5, *[7, 8] * 8], 2),
        ([1, *[4, 5, 6, 7, 8, 9] * 8], 6),
        ([1, 5, *[7] * 7], 0),
        ([1, *[7] * 8, 5], 0),
        ([1, *range(100)], 0),
        ([1], 0),
    ],
)
def test_what_is_written_again_and_again_is_noticed(tokens, cycle):
    assert repeated_cycle(tokens) == cycle


def test_a_folder_without_its_files_or_with_damaged_ones_is_no_network(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no encoder_model"):
        MoonshineNetwork(tmp_path)
    for name in ("encoder_model.onnx", "decoder_model_merged.onnx"):
        (tmp_path / name).write_bytes(b"damaged" * 100)
    with pytest.raises(Exception, match=r"encoder_model\.onnx"):
        MoonshineNetwork(tmp_path)


def test_pieces_of_words_become_a_text(texts):
    spelt = {bytes([value]): value + 3 for value in range(256)}
    assert texts.text([spelt[bytes([value])] for value in "\u2581Grüße,\u2581你好".encode()]) == "Grüße, 你好"
    assert texts.text([1, 2, 0, 32_000, 32_500, 99_999]) == "", "what controls, and what does not exist, is no text"
    assert texts.text([spelt[b"\xff"]]) == "\ufffd"


def test_notes_of_music_are_no_words(texts):
    notes = [3 + byte for byte in "♪ ♪".encode()]
    assert texts.text(notes) == ""
    assert texts.text([*notes, 3 + ord("a")]) == "♪ ♪a"


@pytest.mark.parametrize("content", [b"", b"\x05<unk>\x03<s>", b"garbage", bytes(range(256))])
def test_a_file_that_is_no_vocabulary_is_refused(tmp_path, content):
    (tmp_path / "tokenizer.bin").write_bytes(content)
    with pytest.raises(ValueError, match="no vocabulary of Moonshine"):
        TokenText(tmp_path / "tokenizer.bin")


def test_without_words_there_is_no_confidence():
    assert moonshine.confidence(()) == 0.0
    assert moonshine.confidence([-0.0, -0.0]) == 1.0
    assert moonshine.confidence([-0.5, -1.5]) == 0.368
