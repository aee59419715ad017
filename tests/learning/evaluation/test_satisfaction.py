"""Satisfaction: the form, the file of answers, and judges that are simulated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from reachy_mind.errors import AssetError
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.evaluation.satisfaction import (
    QUESTIONS,
    FilledForm,
    SatisfactionFile,
    SimulatedAudience,
    mean_score,
)
from reachy_mind.learning.evaluation.showing import shown
from reachy_mind.learning.evaluation.watching import WatchedEpisode, watched
from reachy_mind.learning.policies.policy import Weights
from tests.learning.conftest import LookAt

GOOD = WatchedEpisode(success=True, decisions=5, reversals=0, violations=0)
SLOW = WatchedEpisode(success=True, decisions=60, reversals=0, violations=0)
SHAKY = WatchedEpisode(success=True, decisions=5, reversals=3, violations=2)
FAILED = WatchedEpisode(success=False, decisions=12, reversals=0, violations=0)


class Expert:
    """Acts as the expert of an environment; with `nervous`, it also swings to and fro."""

    def __init__(self, environment: BatchEnvironment, nervous: float = 0.0) -> None:
        self._environment, self._nervous, self._sign = environment, nervous, 1.0

    def act(self, observations: Weights) -> Weights:
        self._sign = -self._sign
        swing = np.zeros((len(observations), 2), np.float32)
        swing[:, 0] = self._sign * self._nervous
        return np.clip(self._environment.expert() + swing, -1, 1).astype(np.float32)


def test_judges_like_what_is_done_quickly_smoothly_and_safely() -> None:
    audience = SimulatedAudience(1)
    scores = [mean_score(audience.forms("a", [episode] * 40)) for episode in (GOOD, SLOW, SHAKY, FAILED)]
    assert scores[0] > 4.0
    assert all(score < scores[0] - 0.3 for score in scores[1:])
    assert all(set(form.answers) == set(QUESTIONS) and form.simulated for form in audience.forms("a", [GOOD]))


def test_the_same_judges_say_the_same(look_at: LookAt) -> None:
    episodes = [GOOD, FAILED] * 10
    assert [form.answers for form in SimulatedAudience(3).forms("x", episodes)] == [
        form.answers for form in SimulatedAudience(3).forms("x", episodes)
    ]


def test_swinging_to_and_fro_is_seen(look_at: LookAt) -> None:
    calm, nervous = (look_at(30) for _ in range(2))
    steady = watched(Expert(calm), calm, 5)
    shaky = watched(Expert(nervous, 0.8), nervous, 5)
    assert all(episode.success and episode.reversals == 0 for episode in steady)
    assert sum(episode.reversals for episode in shaky) > 60


def test_scenes_are_shown_one_after_the_other(look_at: LookAt) -> None:
    environment = look_at(1)
    episodes = list(shown(Expert(environment), environment, 4))
    assert [episode.success for episode in episodes] == [True] * 4
    assert all(0.1 <= episode.seconds <= 1.2 for episode in episodes)


def test_answers_are_kept_and_a_damaged_line_costs_only_itself(tmp_path: Path) -> None:
    file = SatisfactionFile(tmp_path / "new" / "satisfaction.jsonl")
    assert file.forms() == []
    file.append(FilledForm(about="look-at", who="Ada", answers={"done": 5, "safe": 3}))
    with (tmp_path / "new" / "satisfaction.jsonl").open("a") as raw:
        raw.write('{"about": "look-at", "answers": {"done": 9}}\n{"abo\n')
    file.append(FilledForm(about="beat", answers={"done": 1}))
    assert [(form.about, form.who, form.score) for form in file.forms()] == [("look-at", "Ada", 4.0), ("beat", "", 1.0)]


@pytest.mark.parametrize("answers", [{}, {"done": 6}, {"done": 0}, {"pretty": 3}])
def test_only_answers_to_the_questions_count(answers: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        FilledForm(about="a", answers=answers)


def test_an_answer_that_can_not_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssetError, match="can't be written"):
        SatisfactionFile(tmp_path / "file" / "satisfaction.jsonl").append(FilledForm(about="a", answers={"done": 1}))
