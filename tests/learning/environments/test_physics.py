"""Robots with physics: they follow as the simulator's does, the longer time step changes little, resets are exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.learning.environments.bodies import Array
from reachy_mind.learning.environments.catalogue import TASKS, TaskKind
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.physics import COMMANDS, PhysicsBody
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.evaluation.success import evaluate

pytestmark = pytest.mark.simulator
HEAD = slice(3, 6)


@pytest.fixture(scope="module")
def reach(description: Path) -> BatchKinematics:
    return BatchKinematics(description / "kinematics_data.json")


def motions(reach: BatchKinematics, count: int, decisions: int) -> list[Array]:
    """Safe targets on the way to random directions, a new one after every six decisions."""
    rng, safety = np.random.default_rng(3), SafetyFilter(reach)
    commanded, targets = np.tile(np.array(AWAKE.as_tuple), (count, 1)), []
    for decision in range(decisions):
        if decision % 6 == 0:
            goals = np.stack([rng.uniform(-0.5, 0.6, count), rng.uniform(-1.0, 1.0, count)], axis=1)
        wanted = commanded.copy()
        wanted[:, 4:6] += np.clip(goals - commanded[:, 4:6], -0.26, 0.26)
        commanded, _ = safety.safe(commanded, wanted)
        targets.append(commanded)
    return targets


def followed(body: PhysicsBody, targets: list[Array]) -> Array:
    poses = []
    for each in targets:
        body.move(each)
        poses.append(body.poses)
    return np.array(poses)


def test_the_longer_time_step_stays_within_half_a_degree(
    description: Path, compiled: Path, reach: BatchKinematics
) -> None:
    targets = motions(reach, 24, 18)
    quick, exact = (PhysicsBody(24, description, compiled, **step) for step in ({}, {"step_s": 0.002}))
    apart = np.degrees(np.abs(followed(quick, targets) - followed(exact, targets))[:, :, HEAD])
    assert apart.max() < 0.5 and apart.mean() < 0.05


def test_a_robot_moves_as_the_simulators_does(description: Path, compiled: Path, reach: BatchKinematics) -> None:
    from reachy_mind.sim.world import SimulatedWorld

    targets = motions(reach, 1, 12)
    body, world = PhysicsBody(1, description, compiled), SimulatedWorld(description, "empty", compiled)
    kinematics = Kinematics(description / "kinematics_data.json")
    world.set_mode(MotorMode.ENABLED)
    commanded = AWAKE
    for target in (np.array(AWAKE.as_tuple),) * 20 + tuple(each[0] for each in targets):
        now = Pose(*target)
        for command in range(COMMANDS):
            pose = commanded.blend(now, (command + 1) / COMMANDS)
            joints = kinematics.joints(pose.head_matrix(), pose.body_yaw)
            world.drive(joints=joints, antennas=pose.antennas)
            world.step()
        commanded = now
    seen = Pose.from_head_matrix(world.head())
    ours = followed(body, targets)[-1, 0]
    assert np.degrees(ours[HEAD]) == pytest.approx(np.degrees([seen.roll, seen.pitch, seen.yaw]), abs=1.0)


def test_a_robot_holds_still_and_starts_anew_exactly(description: Path, compiled: Path, reach: BatchKinematics) -> None:
    body = PhysicsBody(3, description, compiled)
    begin = body.poses.copy()
    body.move(np.tile(np.array(AWAKE.as_tuple), (3, 1)))
    assert np.degrees(np.abs(body.poses - begin)[:, HEAD]).max() < 0.05
    targets = motions(reach, 3, 6)
    first = followed(body, targets)
    body.reset(np.array([True, False, True]))
    assert (body.poses[[0, 2]] == begin[[0, 2]]).all() and (body.poses[1] == first[-1, 1]).all()
    body.reset(np.ones(3, np.bool_))
    again = followed(body, targets)
    body.reset(np.ones(3, np.bool_))
    assert (followed(body, targets) == again).all()
    body.close()


def test_the_number_of_threads_changes_nothing(description: Path, compiled: Path, reach: BatchKinematics) -> None:
    targets = motions(reach, 5, 4)
    one, two = (followed(PhysicsBody(5, description, compiled, threads=n), targets) for n in (1, 2))
    assert (one == two).all()


@pytest.mark.parametrize("speed", [1e12, np.nan])
def test_an_unstable_robot_begins_anew_and_the_others_go_on(
    speed: float, description: Path, compiled: Path, reach: BatchKinematics
) -> None:
    targets = motions(reach, 2, 2)
    body, sound = (PhysicsBody(2, description, compiled) for _ in range(2))
    begin = body.poses[0].copy()
    body._states[0, -5] = speed
    expected = followed(sound, targets)
    body.move(targets[0])
    assert (body.poses[0] == begin).all() and (body.poses[1] == expected[0, 1]).all()
    body.move(targets[1])
    assert np.isfinite(body.poses).all() and (body.poses[1] == expected[1, 1]).all()


def test_what_is_out_of_reach_is_refused(description: Path, compiled: Path) -> None:
    body = PhysicsBody(1, description, compiled)
    with pytest.raises(ValueError, match="out of reach"):
        body.move(np.array([Pose(z=0.3).as_tuple]))
    with pytest.raises(ValueError, match="whole number"):
        PhysicsBody(1, description, compiled, step_s=0.003)


@pytest.mark.parametrize("kind", TASKS.values(), ids=TASKS)
def test_an_expert_does_every_task_with_physics(
    kind: TaskKind, description: Path, compiled: Path, reach: BatchKinematics
) -> None:
    body = PhysicsBody(64, description, compiled)
    environment = BatchEnvironment(kind.make(64, 1.0, "usual"), body, SafetyFilter(reach))

    class Expert:
        def act(self, observations: np.ndarray) -> np.ndarray:  # noqa: ARG002
            return environment.expert()

    figures = evaluate(Expert(), environment, 2)
    environment.close()
    assert figures.success > 0.95 and figures.violations < 0.02


def test_a_head_that_follows_late_is_not_sent_far_beyond(
    description: Path, compiled: Path, reach: BatchKinematics
) -> None:
    environment = BatchEnvironment(LookAtTask(1), PhysicsBody(1, description, compiled), SafetyFilter(reach))
    environment.reset(1)
    for _ in range(3):
        environment.step(np.array([[0.0, 1.0]], np.float32))
        ahead = environment.body.poses[0, 4] - environment.commanded[0, 4]
        assert np.degrees(ahead) < 15 + 3 + 0.1
    environment.step(np.zeros((1, 2), np.float32))
    assert np.degrees(environment.body.poses[0, 4] - environment.commanded[0, 4]) < 3.1
    environment.close()
