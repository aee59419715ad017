"""The closed form for many poses gives what the solver of the control loop gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import Pose
from reachy_mind.errors import AssetError


def random_poses(count: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    most = np.array([0.02, 0.02, 0.02, 0.5, 0.6, 2.0, 1.5, 1.0, 1.0])
    return rng.uniform(-most, most, (count, 9))


def test_the_angles_are_those_of_the_solver(kinematics: Kinematics, description: Path) -> None:
    poses = random_poses(400)
    legs = BatchKinematics(description / "kinematics_data.json").legs(poses)
    solved = 0
    for pose, found in zip(poses, legs, strict=True):
        joints = kinematics.joints(Pose(*pose).head_matrix(), pose[6])
        assert (joints is None) == bool(np.isnan(found).any())
        if joints is not None:
            solved += 1
            np.testing.assert_allclose(found, joints[1:], atol=1e-9)
    assert 100 < solved < 400  # both kinds were among them


def test_the_margins_are_those_of_the_control_loop(kinematics: Kinematics, description: Path) -> None:
    poses = random_poses(400)
    margins = BatchKinematics(description / "kinematics_data.json").margins(poses)
    np.testing.assert_allclose(margins, [kinematics.joint_margin(pose) for pose in poses], atol=1e-9)


def test_geometry_that_can_not_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kinematics_data.json").write_text("{}")
    with pytest.raises(AssetError, match="geometry"):
        BatchKinematics(tmp_path / "kinematics_data.json")
