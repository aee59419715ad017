"""`StudyResults`: what a study found, seed by seed, as one JSON file with where it came from.

results = StudyResults.load(folder / "practice-look_at-ppo.json")
results.estimate("usual")         # interquartile mean of the success in usual scenes, with its interval
results.curve("success")          # the same for every episode at which was evaluated
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from reachy_mind import __version__
from reachy_mind.errors import AssetError
from reachy_mind.learning.evaluation.statistics import Estimate, estimate
from reachy_mind.learning.evaluation.studies import Study
from reachy_mind.storage.files import make_folder, write_atomically

GIT_TIMEOUT_S = 5


class StudyOrigin(BaseModel):
    """Which code found it. `commit` is empty outside a checkout."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str = __version__
    commit: str = ""


class SeedResult(BaseModel):
    """`figures` are None where something was never reached; `curves` are (episode, value)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int
    figures: Mapping[str, FiniteFloat | None]
    curves: Mapping[str, tuple[tuple[int, FiniteFloat], ...]] = {}
    seconds: FiniteFloat = 0.0
    origin: StudyOrigin = StudyOrigin()


class StudyResults(BaseModel):
    """The results of one study so far."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: Study
    seeds: tuple[SeedResult, ...] = ()

    @classmethod
    def load(cls, file: Path) -> StudyResults | None:
        """None where there is no file. Raises AssetError for one that can't be read."""
        try:
            return cls.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            raise AssetError(f"{file} can't be read: {error}", hint="delete it: it is measured again") from error

    def save(self, folder: Path) -> None:
        make_folder(folder)
        write_atomically(folder / f"{self.study.name}.json", self.model_dump_json(indent=1).encode())

    def with_result(self, result: SeedResult) -> StudyResults:
        others = [each for each in self.seeds if each.seed != result.seed]
        seeds = tuple(sorted((*others, result), key=lambda each: each.seed))
        return self.model_copy(update={"seeds": seeds})

    def only(self, seeds: range) -> StudyResults:
        """Those of these seeds."""
        return self.model_copy(update={"seeds": tuple(each for each in self.seeds if each.seed in seeds)})

    def values(self, figure: str, since: str = "") -> list[float]:
        """Of the seeds that have this figure; the change since another figure, if one is named."""
        found = ((each.figures.get(figure), each.figures.get(since) if since else 0.0) for each in self.seeds)
        return [value - before for value, before in found if value is not None and before is not None]

    def estimate(self, figure: str, since: str = "") -> Estimate | None:
        """None where no seed has it."""
        values = self.values(figure, since)
        return estimate(values) if values else None

    def curve(self, name: str = "success") -> list[tuple[int, Estimate]]:
        """The estimate at each episode that all seeds have."""
        by_seed = [dict(each.curves[name]) for each in self.seeds if name in each.curves]
        if not by_seed:
            return []
        shared = sorted(set.intersection(*(set(points) for points in by_seed)))
        return [(episode, estimate(np.array([points[episode] for points in by_seed]))) for episode in shared]


@cache
def this_origin() -> StudyOrigin:
    """Of the code that runs."""
    try:
        asked = [
            "git",
            "-C",
            str(Path(__file__).parent),
            "describe",
            "--always",
            "--dirty",
            "--abbrev=12",
            "--exclude=*",
        ]
        found = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=GIT_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError):
        return StudyOrigin()
    return StudyOrigin(commit=found.stdout.strip())


def first_reaching(curve: list[tuple[int, float]], enough: float) -> float | None:
    """The episode of the first evaluation with at least this success; None where there is none."""
    return next((float(episode) for episode, success in curve if success >= enough), None)


def steady_from(curve: list[tuple[int, float]], enough: float) -> float | None:
    """The episode from which on every evaluation has at least this success; None where the last one has not."""
    since = None
    for episode, success in reversed(curve):
        if success < enough:
            break
        since = float(episode)
    return since
