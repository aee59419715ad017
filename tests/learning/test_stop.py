"""Training the stop classifier: what it is trained on, that it learns, that the file is what was trained."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from reachy_mind.brains import stop_words
from reachy_mind.brains.stop_classifier import BITS, WEIGHTS, StopClassifier, packed
from reachy_mind.learning.stop import Matrix, StopRecipe, fitted, quantised, threshold
from reachy_mind.learning.stop_examples import Example, examples, varied

STOPS = ("ouch my finger", "let go of my hair", "you are hurting me", "watch out the cup", "my sleeve is caught")
OTHERS = ("tell me a joke", "look at the cup", "my hair is long", "what time is it", "stop the timer", "hold my cup")


def test_examples_are_sorted_into_one_side_only() -> None:
    data = examples()
    assert sum(e.stop for e in data) > 5_000 and sum(not e.stop for e in data) > 30_000
    assert not any(stop_words.is_listed(e.text) for e in data if not e.stop)
    assert all(len(e.text) <= stop_words.LONGEST_TEXT for e in data)


def test_variations_are_the_same_every_time_and_speak_of_stops() -> None:
    sources = [Example("let go", "en", stop=True), Example("my finger is stuck", "en", stop=True)]
    first, second = varied(sources), varied(sources)
    assert first == second
    made = [e for e in first if e.source == "my finger is stuck"]
    assert any("finger" not in e.text for e in made if e.stop)
    assert any("my finger is stuck" in e.text for e in made if not e.stop)


def test_trained_weights_tell_them_apart_also_as_bytes(tmp_path: Path) -> None:
    texts = (*STOPS, *OTHERS)
    matrix = Matrix.of(texts)
    stops = np.array([text in STOPS for text in texts], np.float32)
    weights, bias = fitted(matrix, stops, np.ones(len(texts), np.float32), StopRecipe(epochs=60, rate=0.05))
    table, unit = quantised(weights)
    file = tmp_path / "weights.bin"
    file.write_bytes(packed(table.tobytes(), unit, bias))
    classifier = StopClassifier.load(file)
    assert all((classifier.score(text) > 0) == (text in STOPS) for text in texts)
    scores = matrix.scores(table.astype(np.float32)) * unit + bias
    assert np.allclose([classifier.score(text) for text in texts], scores, atol=1e-3)


def test_the_threshold_lets_few_others_pass() -> None:
    data = [
        Example(f"sentence {word}", "en", stop=False, weight=3.0, source=f"sentence {word}") for word in "abcd" * 100
    ]
    scores = np.arange(len(data), dtype=np.float32)
    cut = threshold(scores, data, StopRecipe(most_false=0.01, most_hard_false=0.02))
    assert int((scores > cut).sum()) == 4


def test_batches_have_all_rows_in_order() -> None:
    matrix = Matrix.of((*STOPS, "", *OTHERS))
    weights = np.arange(1 << BITS, dtype=np.float32)
    batches = matrix.batches(4)
    assert [first for first, _ in batches] == [0, 4, 8]
    assert np.allclose(np.concatenate([batch.scores(weights) for _, batch in batches]), matrix.scores(weights))


def test_a_sentence_of_the_reflex_brain_is_read_as_people_write_it() -> None:
    assert not [e.text for e in examples() if " ' " in e.text]


def test_variations_have_what_speech_to_text_mishears() -> None:
    made = varied([Example("my finger is stuck", "en", stop=True)], variations=60)
    texts = {e.text for e in made if e.stop}
    assert any("stock" in text.split() or "struck" in text.split() for text in texts)


def test_the_shipped_file_is_small() -> None:
    assert WEIGHTS.stat().st_size < 300_000
