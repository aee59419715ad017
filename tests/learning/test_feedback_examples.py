"""What the reward model is trained on."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from reachy_mind.bench.feedback import feedback_cases
from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.feedback_examples import key_of, own, without_reward, written
from reachy_mind.learning.feedback_variations import varied


def test_the_corpus_is_large_varied_and_in_range() -> None:
    lines = written()
    assert len(lines) > 8000 and len({line.family for line in lines}) > 500
    assert {"en", "fr", "es", "de", "it"} <= {line.language for line in lines}
    assert all(-1 <= line.reward <= 1 and line.text.strip() for line in lines)
    assert all(line.reward <= -0.5 for line in lines if line.stop)


def test_no_line_of_the_benchmark_is_trained_on() -> None:
    lines = written()
    known = {key_of(line.text) for line in [*lines, *without_reward(lines)]}
    assert not [case.text for case in feedback_cases() if key_of(case.text) in known]


def test_a_family_is_on_one_side_and_so_are_pairs_of_sarcastic_and_sincere_lines() -> None:
    lines = written()
    held_out = {line.family for line in lines if line.is_held_out(0.2)}
    assert not held_out & {line.family for line in lines if not line.is_held_out(0.2)}
    for family in {line.family for line in lines if line.family.startswith("neg_sarc_")}:
        sincere = family.replace("sarc", "sincere")
        assert (family in held_out) == (sincere in held_out) or sincere not in {line.family for line in lines}
    assert 0.1 < sum(line.is_held_out(0.2) for line in lines) / len(lines) < 0.3


def test_variations_keep_most_of_the_words() -> None:
    rng = random.Random(1)
    text = "that was a wonderful dance"
    variations = {varied(text, "en", rng) for _ in range(300)}
    assert len(variations) > 30
    assert all(sum(word in variation.lower() for word in text.split()) >= 2 for variation in variations)


@pytest.mark.parametrize("text", ["", "a", "👍", "..."])
def test_texts_without_words_can_be_varied(text: str) -> None:
    rng = random.Random(2)
    assert all(isinstance(varied(text, language, rng), str) for language in ("en", "de", "xx") for _ in range(50))


@pytest.mark.parametrize("line", ["no json", '{"text": "well done"}', '{"text": "well done", "reward": 3}'])
def test_a_line_of_ones_own_that_is_wrong_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(json.dumps({"text": "lovely", "reward": 0.8}) + "\n" + line)
    with pytest.raises(InvalidParameter, match="line 2"):
        own(file)
