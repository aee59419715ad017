"""The benchmark of the environments measures every figure that it compares."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.bench import env


@pytest.mark.process
@pytest.mark.simulator
def test_ours_and_the_references_are_measured(description: Path, compiled: Path) -> None:
    figures = env._measured(description, compiled, 0.2)
    assert all(value > 0 for value in (*figures.ours.values(), *figures.reference.values()))
    assert set(figures.ratio) == {"kinematic_per_s", "physics_per_s"} <= set(figures.ours) & set(figures.reference)
