"""Environments for the tests of learning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.learning.environments.bodies import KinematicBody
from reachy_mind.learning.environments.environment import NOMINAL, BatchEnvironment, Randomisation
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.environments.scenes import Region

LookAt = Callable[..., BatchEnvironment]


@pytest.fixture
def look_at(description: Path) -> LookAt:
    """Makes environments of the task `look_at` without physics."""
    reach = BatchKinematics(description / "kinematics_data.json")

    def make(
        count: int,
        seed: int = 0,
        region: Region = Region(),  # noqa: B008
        randomisation: Randomisation = NOMINAL,
    ) -> BatchEnvironment:
        task, body = LookAtTask(count, region), KinematicBody(count)
        return BatchEnvironment(task, body, SafetyFilter(reach), seed=seed, randomisation=randomisation)

    return make
