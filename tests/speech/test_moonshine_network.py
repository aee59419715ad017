"""Moonshine read by our own code: what it writes, how sure it is, and the pieces of its words."""

from __future__ import annotations

import numpy as np
import pytest

from reachy_mind.body import wav
from reachy_mind.speech import audio_format, flite, moonshine
from reachy_mind.speech.moonshine_alternatives import SoundReader, confidence
from reachy_mind.speech.moonshine_network import MoonshineNetwork, repeated_cycle
from reachy_mind.speech.moonshine_tokens import TokenText
from tests.speech.conftest import STORE, needs_base, needs_flite, said
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
    assert confidence(written.log_probabilities) > 0.7


def test_it_is_less_sure_of_what_is_hard_to_hear(network, recording):
    noise = np.random.default_rng(5).normal(0, 1, len(recording)).astype(np.float32)
    sure = [confidence(network.read(recording + level * noise).log_probabilities) for level in (0, 0.02, 0.1)]
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
    assert confidence(()) == 0.0
    assert confidence([-0.0, -0.0]) == 1.0
    assert confidence([-0.5, -1.5]) == 0.368


def test_where_it_is_sure_there_is_one_way_to_write_it(network, texts, recording):
    heard = SoundReader(network, texts).alternatives([recording])
    assert [words(each.text) for each in heard] == [READ]


def test_where_it_is_in_doubt_there_are_several_the_likeliest_first(network, texts, recording):
    noise = np.random.default_rng(5).normal(0, 0.05, len(recording)).astype(np.float32)
    heard = SoundReader(network, texts).alternatives([recording[:64000] + noise[:64000]])
    assert len({each.text for each in heard}) == len(heard) > 1
    assert [each.score for each in heard] == sorted((each.score for each in heard), reverse=True)
    assert all(0 < each.confidence <= 1 for each in heard)


def test_of_two_pieces_one_is_read_otherwise_at_a_time(network, texts, recording):
    noise = np.random.default_rng(5).normal(0, 0.05, 64000).astype(np.float32)
    reader = SoundReader(network, texts)
    clear, unclear = reader.alternatives([recording[:96000]]), reader.alternatives([recording[:64000] + noise])
    both = reader.alternatives([recording[:96000], recording[:64000] + noise])
    assert both[0].text == f"{clear[0].text} {unclear[0].text}"
    assert {each.text for each in both} <= {f"{clear[0].text} {each.text}" for each in unclear} | {
        f"{each.text} {unclear[0].text}" for each in clear
    }
    assert reader.alternatives([]) == ()


@needs_base
@needs_flite
async def test_an_expected_name_is_preferred_where_it_may_have_been_said(texts):
    reader = SoundReader(MoonshineNetwork(STORE.path(moonshine.ASSET)), texts)
    pcm = await said(flite.voice("rms"), "Tell Hannah that dinner is ready.")
    sound = np.pad(audio_format.to_floats(pcm), 3200)
    expected = [reader.alternatives([sound], ways)[0].text for ways in ((), ("Hannah",), ("Hanover", "dinosaur"))]
    assert "Hannah" not in expected[0]
    assert expected[1] == "Tell Hannah that dinner is ready."
    assert "Hanover" not in expected[2] and "dinner" in expected[2]


@needs_base
@needs_flite
async def test_an_expected_word_is_a_way_to_understand_one_that_sounds_alike_however_sure_the_model_is(texts):
    reader = SoundReader(MoonshineNetwork(STORE.path(moonshine.ASSET)), texts)
    sound = np.pad(audio_format.to_floats(await said(flite.voice("awb"), "Please nod four times.")), 3200)
    alone, beside = (reader.alternatives([sound], ways) for ways in ((), ("nod",)))
    assert [words(each.text) for each in alone] == ["please not four times"], "what the model is sure of"
    assert [words(each.text) for each in beside] == ["please not four times", "please nod four times"]


def test_of_a_long_speech_there_is_one_way(network, texts, recording):
    noise = np.random.default_rng(5).normal(0, 0.05, len(recording)).astype(np.float32)
    heard = SoundReader(network, texts).alternatives([recording[:64000] + noise[:64000]] * 4)
    assert len(heard) == 1, "it is no request, and would cost much"
