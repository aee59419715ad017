"""What feedback says: stops, ratings, rewards, in sentences that are not in the corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.brains.reflex.network import WeightsError
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.reward import WEIGHTS, RewardModel, spelled_out


@pytest.fixture(scope="module")
def reader() -> FeedbackReader:
    return FeedbackReader.load()


@pytest.mark.parametrize(
    "text", ["stop", "STOP!!", "arrête-toi", "🛑", "🛑 please", "hör auf", "ouch, let go of my hand", "¡para ya!"]
)
def test_a_stop_is_a_stop(reader: FeedbackReader, text: str) -> None:
    reading = reader.read(text)
    assert reading.stop and reading.reward == -1.0


@pytest.mark.parametrize(
    "text", ["don't stop, I love it", "the bus stop is around the corner", "wait a moment", "👍", "that was too fast"]
)
def test_other_words_are_no_stop(reader: FeedbackReader, text: str) -> None:
    assert not reader.read(text).stop


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        ("that could hardly have been any better", 0.9),
        ("yes, this is the one I was talking about", 0.5),
        ("I have nothing to grumble about", 0.5),
        ("turn your head a tiny bit to the left", -0.2),
        ("you picked the wrong cup", -0.5),
        ("oh splendid, you dropped it again", -0.6),
        ("what an awful, awful mess", -0.9),
        ("could you tell me when the train leaves", 0.0),
        ("my brother had a horrible day at work", 0.0),
        ("das war richtig klasse", 0.9),
        ("ce n'est pas la bonne tasse", -0.5),
        ("un poco más a la derecha", -0.2),
    ],
)
def test_the_reward_is_near_what_a_person_means(reader: FeedbackReader, text: str, reward: float) -> None:
    assert reader.read(text).reward == pytest.approx(reward, abs=0.26)


def test_an_explicit_rating_counts_more_than_its_words(reader: FeedbackReader) -> None:
    reading = reader.read("I give it 2 out of 10")
    assert reading.source == "rating" and reading.reward == pytest.approx(-0.6)


def test_a_correction_comes_with_its_reward(reader: FeedbackReader) -> None:
    reading = reader.read("good, but a bit slow")
    assert reading.correction is not None and reading.correction.axis == "speed"
    assert reading.as_dict()["correction"] == {"axis": "speed", "sign": 1, "size": "small"}
    assert 0 < reading.reward < 0.5


@pytest.mark.parametrize("text", ["", "   ", "?!", "x" * 20_000, "\ud83d", "\x00\x01", "🫠" * 300, "素晴らしい"])
def test_any_text_is_read(reader: FeedbackReader, text: str) -> None:
    reading = reader.read(text)
    assert -1 <= reading.reward <= 1 and 0 <= reading.confidence <= 1


def test_emoji_are_read_as_words_and_shouting_is_shortened() -> None:
    assert "thumbs up" in spelled_out("nice 👍🏽") and spelled_out("goooood") == "good"


def test_weights_that_belong_to_other_words_are_refused(tmp_path: Path) -> None:
    with np.load(WEIGHTS) as file:
        arrays = dict(file.items())
    meta = bytes(arrays["meta"]).decode().replace('"words": ', '"words": 1')
    np.savez(tmp_path / "other.npz", **arrays | {"meta": np.frombuffer(meta.encode(), np.uint8)})
    with pytest.raises(WeightsError, match="other word vectors"):
        RewardModel.load(tmp_path / "other.npz")
    (tmp_path / "broken.npz").write_bytes(b"no weights")
    with pytest.raises(WeightsError, match=r"broken\.npz"):
        RewardModel.load(tmp_path / "broken.npz")


def test_weights_of_ones_own_are_used_where_there_are_some(tmp_path: Path) -> None:
    assert FeedbackReader.load(tmp_path / "none.npz").read("well done").reward > 0
    (tmp_path / "weights.npz").write_bytes(b"no weights")
    with pytest.raises(WeightsError):
        FeedbackReader.load(tmp_path / "weights.npz")
