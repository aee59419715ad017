"""Physics by MuJoCo Warp, on its CPU device: needs the extra `gpu` (`make test-extras`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco_warp")

from reachy_mind.errors import NotReady
from reachy_mind.learning.environments.physics import PhysicsBody
from reachy_mind.learning.environments.warp_physics import WarpBody

pytestmark = [pytest.mark.simulator, pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore")]


def test_heads_go_where_the_reference_has_them_also_after_a_reset(description: Path, tmp_path: Path) -> None:
    warp, reference = WarpBody(3, description, tmp_path, device="cpu"), PhysicsBody(3, description, tmp_path)
    targets, rng = reference.poses.copy(), np.random.default_rng(1)
    for step in range(8):
        targets[:, 4:6] += rng.uniform(-0.08, 0.08, (3, 2))
        if step == 4:
            first = np.array([True, False, False])
            warp.reset(first)
            reference.reset(first)
            targets[0] = reference.poses[0]
        warp.move(targets)
        reference.move(targets)
        assert np.degrees(np.abs(warp.poses - reference.poses)[:, 3:]).max() < 0.01
    assert np.abs(reference.poses[1, 4:6] - reference.poses[2, 4:6]).max() > 0.01


def test_a_device_that_is_not_there_is_named(description: Path, tmp_path: Path) -> None:
    with pytest.raises(NotReady, match="cuda:77"):
        WarpBody(1, description, tmp_path, device="cuda:77")
