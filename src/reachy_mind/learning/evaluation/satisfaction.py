"""The satisfaction form: five sentences, each answered from 1 (not at all) to 5 (fully). `SatisfactionFile` keeps them.

People fill it in (`learn demo --ask`). `SimulatedAudience` stands for people where there are none: its answers follow
from what can be seen of an episode, by the rules below, with a strictness of each judge's own and noise. Figures that
use it must say that they are simulated.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, field_validator

from reachy_mind.errors import AssetError
from reachy_mind.learning.environments.bodies import DECISION_S
from reachy_mind.learning.evaluation.watching import WatchedEpisode
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder

LEAST, MOST = 1, 5
GOAL = 4.0
QUESTIONS: Mapping[str, str] = {
    "done": "It did what I wanted.",
    "quick": "It was quick enough.",
    "smooth": "It moved smoothly.",
    "safe": "I felt safe beside it.",
    "again": "I would let it do this again.",
}

JUDGES = 20
STRICTNESS, NOISE = 0.4, 0.5
"""Standard deviations, in points: between judges, and between the answers of one."""
DONE, FAILED = 4.7, 1.5
AT_ONCE_S, TOO_LONG_S = 1.0, 6.0
"""Seconds that are worth 5 points and 1 point."""


class FilledForm(BaseModel):
    """The answers of one person, or of one simulated judge, about one thing that was seen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: Annotated[str, Field(max_length=200)]
    who: Annotated[str, Field(max_length=80)] = ""
    simulated: bool = False
    answers: Mapping[str, Annotated[int, Field(ge=LEAST, le=MOST)]]
    remark: Annotated[str, Field(max_length=4000)] = ""
    at: FiniteFloat = Field(default_factory=time.time)

    @field_validator("answers")
    @classmethod
    def _known(cls, answers: Mapping[str, int]) -> Mapping[str, int]:
        if not answers or set(answers) - set(QUESTIONS):
            raise ValueError(f"answers are to {', '.join(QUESTIONS)}")
        return answers

    @property
    def score(self) -> float:
        """The mean of the answers."""
        return statistics.fmean(self.answers.values())


class SatisfactionFile:
    """Filled forms as JSON lines. A line is on disk when `append` returns; one that is damaged is left out."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, form: FilledForm) -> None:
        """Raises AssetError when it can't be written."""
        try:
            make_folder(self._path.parent)
            with self._path.open("ab") as file:
                file.write(json.dumps(form.model_dump(mode="json")).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            fault = classify(error, self._path)
            raise AssetError(f"{self._path} can't be written: {fault.cause}", hint=fault.hint) from error

    def forms(self) -> list[FilledForm]:
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            try:
                found.append(FilledForm.model_validate_json(line))
            except ValidationError:
                continue
        return found


@dataclass(frozen=True)
class SimulatedAudience:
    """So many judges; the same seed gives the same answers."""

    seed: int
    judges: int = JUDGES

    def forms(self, about: str, episodes: Sequence[WatchedEpisode]) -> list[FilledForm]:
        """Each judge watches one of the episodes after the other, in turn, and fills in a form for each."""
        rng = np.random.default_rng([self.seed, len(about)])
        strictness = rng.normal(0.0, STRICTNESS, self.judges)
        filled = []
        for number, episode in enumerate(episodes):
            judge = number % self.judges
            opinions = opinion(episode)
            given = {
                name: int(np.clip(round(points - strictness[judge] + rng.normal(0.0, NOISE)), LEAST, MOST))
                for name, points in opinions.items()
            }
            filled.append(FilledForm(about=about, who=f"judge {judge + 1}", simulated=True, answers=given))
        return filled


def opinion(episode: WatchedEpisode) -> dict[str, float]:
    """Points for each question, before strictness and noise: what was reached counts most, then waiting; each swing
    back and each movement that the safety filter had to cut costs one point."""
    seconds = episode.decisions * DECISION_S
    waiting = min(1.0, max(0.0, (seconds - AT_ONCE_S) / (TOO_LONG_S - AT_ONCE_S)))
    done = DONE if episode.success else FAILED
    quick = MOST - (MOST - LEAST) * waiting if episode.success else FAILED
    smooth, safe = (float(max(LEAST, MOST - times)) for times in (episode.reversals, episode.violations))
    again = 0.5 * done + 0.5 * statistics.fmean((quick, smooth, safe))
    return {"done": done, "quick": quick, "smooth": smooth, "safe": safe, "again": again}


def mean_score(forms: Sequence[FilledForm]) -> float:
    """Raises ValueError for none."""
    if not forms:
        raise ValueError("nobody has filled in a form")
    return statistics.fmean(form.score for form in forms)
