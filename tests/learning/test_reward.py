"""Training the reward model: needs torch (`make test-extras`)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from reachy_mind.cli import app
from reachy_mind.feedback.reader import FeedbackReader
from reachy_mind.feedback.reward import WEIGHTS, RewardModel
from reachy_mind.learning.feedback_examples import FeedbackLine, written

pytestmark = pytest.mark.process


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    return tmp_path


def test_too_few_lines_are_refused_before_anything_is_loaded(home: Path) -> None:
    (home / "few.jsonl").write_text('{"text": "zonk", "reward": -0.5}')
    result = CliRunner().invoke(app, ["learn", "reward", "--data", str(home / "few.jsonl")])
    assert "too few" in str(result.exception)
    assert CliRunner().invoke(app, ["learn", "reward"]).exit_code == 2


def test_a_reset_goes_back_to_what_was_shipped(home: Path) -> None:
    (home / "reward").mkdir()
    (home / "reward/weights.npz").write_bytes(b"x")
    result = CliRunner().invoke(app, ["learn", "reward", "--reset", "--json"])
    assert json.loads(result.stdout) == {"reset": True} and not (home / "reward/weights.npz").exists()


def test_words_of_ones_own_are_learned_and_the_rest_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from reachy_mind.learning.reward import RewardRecipe
    from reachy_mind.learning.reward_training import retrained, saved

    said = ("that was {}", "{}!", "so {} today", "how {} of you", "really {}, reachy", "you are {}", "a {} dance")
    own = [FeedbackLine(frame.format("zonky"), -0.9, f"own_{number}") for number, frame in enumerate(said * 3)]
    with np.load(WEIGHTS) as file:
        start = saved(file)
    assert RewardModel(start).estimate("what a zonky robot").reward > -0.4
    done = retrained(own, written()[::40], start, RewardRecipe(epochs=3, rate=1e-4), told=lambda line: None)
    reader = FeedbackReader(RewardModel(done.arrays))
    assert reader.read("what a zonky robot").reward < -0.4
    assert reader.read("that is a lovely cup").reward > 0.3
    assert done.shipped_after["sign"] > done.shipped_before["sign"] - 0.05
    assert reader.read("stop").stop
