"""What the keyword network is trained on, and that the exported network computes what the trained one does."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.learning.keywords import phrases
from reachy_mind.learning.keywords.clips import SpokenItem, SpokenLine, lines, load, save, trimmed
from reachy_mind.learning.keywords.scenes import LENGTH, SceneMaker, SpokenStore
from reachy_mind.speech import keyword_confirmation, keyword_decision, keyword_network

RATE = 16000


def tone(seconds: float, pitch: float) -> np.ndarray:
    times = np.arange(round(seconds * RATE)) / RATE
    return np.asarray(8000 * np.sin(2 * np.pi * pitch * times), np.int16)


def items() -> list[SpokenItem]:
    return [
        SpokenItem(SpokenLine(kind, kind), "a voice", tone(0.3 + 0.1 * number, 200 + 40 * number))
        for number, kind in enumerate((*phrases.KEYWORDS, "near", "holding", "sentence", "tail", "robot"))
    ]


def test_no_ordinary_sentence_begins_with_a_keyword():
    begins = re.compile(r"^(stop|wait|enough|quiet|be quiet|shut up|hold on)\b|hey,? reachy", re.IGNORECASE)
    sentences = phrases.sentences()
    assert len(sentences) > 5000
    assert [sentence for sentence in sentences if begins.search(sentence)] == []
    keywords = {text for texts in phrases.KEYWORDS.values() for text in texts}
    assert not keywords & {*phrases.near(), *phrases.holding(), *sentences}


def test_every_keyword_is_known_to_the_network_and_to_the_ears():
    names = set(phrases.KEYWORDS)
    assert set(keyword_network.load_weights().names) == names
    assert set(keyword_confirmation.WRITTEN) == names == set(keyword_decision.DOUBT)


def test_lines_are_the_same_for_the_same_seed_and_of_the_kinds_that_were_asked_for():
    asked = lines(50, {"stop": 1, "near": 1}, seed=3)
    assert asked == lines(50, {"stop": 1, "near": 1}, seed=3) != lines(50, {"stop": 1, "near": 1}, seed=4)
    assert {line.kind for line in asked} == {"stop", "near"}


def test_clips_come_back_from_a_file_as_they_were(tmp_path: Path):
    save(tmp_path / "some.npz", items())
    for back, item in zip(load(tmp_path), items(), strict=True):
        assert back.line == item.line and back.speaker == item.speaker and (back.sound == item.sound).all()


def test_silence_is_cut_off_and_a_sound_that_is_none_is_left_out():
    sound = np.concatenate([np.zeros(4000), tone(0.5, 300) / 32768, np.zeros(9000)]).astype(np.float32)
    cut = trimmed(sound)
    assert cut is not None and abs(len(cut) - RATE // 2) < 100
    assert trimmed(np.zeros(8000, np.float32)) is None


def test_a_scene_tells_where_its_keywords_are():
    scene = SceneMaker(SpokenStore(items()), seed=5).scene()
    assert len(scene.sound) == LENGTH and scene.sound.any()
    assert scene.said
    for word in (*scene.said, *scene.lost):
        assert 0 < word.begin < word.end < LENGTH
    again = SceneMaker(SpokenStore(items()), seed=5).scene()
    assert again.said == scene.said


def test_the_exported_network_is_the_trained_one(tmp_path: Path):
    torch = pytest.importorskip("torch")
    from reachy_mind.learning.keywords.training import KeywordHead, KeywordRecipe, export

    torch.manual_seed(1)
    head = KeywordHead(KeywordRecipe()).eval()
    export(head, tmp_path / "weights.npz")
    network = keyword_network.KeywordNetwork(keyword_network.load_weights(tmp_path / "weights.npz"))
    features = np.random.default_rng(1).normal(size=(65, 288)).astype(np.float32)
    with torch.no_grad():
        expected = torch.softmax(head(torch.from_numpy(features)[None]), 1)[0, 1:].numpy()
    assert np.allclose(network.likelihoods(features), expected, atol=2e-3)
