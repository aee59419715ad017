from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import ASLEEP, Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.sim import scene
from reachy_mind.sim.world import SimulatedWorld


@pytest.fixture
def world(description: Path, compiled: Path) -> SimulatedWorld:
    return SimulatedWorld(description, "table", compiled)


def measured(world: SimulatedWorld) -> Pose:
    return Pose.from_head_matrix(world.head(), body_yaw=world.joints()[0], antennas=world.antennas())


def drive_to(world: SimulatedWorld, kinematics: Kinematics, pose: Pose, steps: int = 1500) -> Pose:
    world.drive(kinematics.joints(pose.head_matrix(), pose.body_yaw), pose.antennas)
    world.step(steps)
    return measured(world)


def test_it_starts_asleep_and_stays_so(world: SimulatedWorld) -> None:
    assert world.mode is MotorMode.DISABLED
    world.step(1000)
    assert measured(world).distance(ASLEEP) < math.radians(12)


@pytest.mark.parametrize(
    "wish",
    [
        Pose(yaw=math.radians(30), antenna_left=0.5, antenna_right=-0.2),
        Pose(pitch=math.radians(-20), body_yaw=math.radians(20), yaw=math.radians(40)),
        Pose(z=0.015, x=0.01, roll=math.radians(15)),
    ],
)
def test_the_motors_take_the_head_where_the_kinematics_say(
    world: SimulatedWorld, kinematics: Kinematics, wish: Pose
) -> None:
    """Physics and our kinematics are two models of one robot: this fails when either is wrong."""
    world.set_mode(MotorMode.ENABLED)
    drive_to(world, kinematics, Pose(), 500)
    assert drive_to(world, kinematics, wish).distance(wish) < math.radians(2.5)


def test_without_motors_targets_do_nothing_and_the_head_drops(world: SimulatedWorld, kinematics: Kinematics) -> None:
    world.set_mode(MotorMode.ENABLED)
    drive_to(world, kinematics, Pose())
    world.set_mode(MotorMode.DISABLED)
    after = drive_to(world, kinematics, Pose(yaw=0.5))
    assert abs(after.yaw) < 0.2
    assert after.z < -0.035, "it lies on the body, as a sleeping robot's does"
    world.step(1000)
    assert abs(measured(world).z - after.z) < 0.003


def test_gravity_compensation_keeps_a_limp_head_up(world: SimulatedWorld, kinematics: Kinematics) -> None:
    world.set_mode(MotorMode.ENABLED)
    drive_to(world, kinematics, Pose())
    up = measured(world).z
    world.set_mode(MotorMode.GRAVITY_COMPENSATION)
    world.step(1500)
    assert abs(measured(world).z - up) < 0.0002


def pushed(world: SimulatedWorld, kinematics: Kinematics, mode: MotorMode) -> tuple[Pose, Pose]:
    """Where the head is after a hand has turned it for half a second, and two seconds after it was let go."""
    world.set_mode(MotorMode.ENABLED)
    drive_to(world, kinematics, Pose())
    world.set_mode(mode)
    world.push((0.0, 0.0, 0.0), (0.0, 0.0, 0.02), 0.5)
    for _ in range(25):
        world.step()
    turned = measured(world)
    for _ in range(100):
        world.step()
    return turned, measured(world)


def test_with_gravity_compensation_the_head_stays_where_a_hand_has_put_it(
    world: SimulatedWorld, kinematics: Kinematics
) -> None:
    turned, after = pushed(world, kinematics, MotorMode.GRAVITY_COMPENSATION)
    assert turned.yaw > math.radians(8)
    assert abs(after.yaw - turned.yaw) < math.radians(5) and abs(after.z) < 0.005
    world.set_mode(MotorMode.ENABLED)
    world.step(250)
    assert measured(world).distance(after) < math.radians(2), "motors that come on hold what was posed"


def test_motors_that_are_on_resist_a_hand(world: SimulatedWorld, kinematics: Kinematics) -> None:
    turned, after = pushed(world, kinematics, MotorMode.ENABLED)
    assert abs(turned.yaw) < math.radians(4) and abs(after.yaw) < math.radians(1)


def test_switching_motors_on_moves_nothing(world: SimulatedWorld) -> None:
    before = measured(world)
    world.set_mode(MotorMode.ENABLED)
    world.step(250)
    assert measured(world).distance(before) < math.radians(2)


def test_a_mode_that_is_set_again_does_not_end_what_the_motors_do(world: SimulatedWorld) -> None:
    assert world.set_mode(MotorMode.ENABLED)
    world.drive(antennas=(-2.0, 2.0))
    assert not world.set_mode(MotorMode.ENABLED)
    world.step(500)
    assert world.antennas() == pytest.approx((-2.0, 2.0), abs=0.05)
    world.set_torque(["left_antenna"], on=False)
    assert world.set_mode(MotorMode.ENABLED), "one motor was off"


def test_single_motors_can_be_let_go_and_the_others_go_on(world: SimulatedWorld) -> None:
    world.set_mode(MotorMode.ENABLED)
    world.drive(antennas=(-2.0, 2.0))
    world.set_torque(["left_antenna"], on=False)
    world.step(500)
    right, left = world.antennas()
    assert right == pytest.approx(-2.0, abs=0.05)
    assert left == pytest.approx(ASLEEP.antenna_left, abs=0.2)
    with pytest.raises(KeyError):
        world.set_torque(["tail"], on=True)


def test_things_rest_on_the_table(world: SimulatedWorld) -> None:
    before = world.places()
    world.step(15000)
    places = world.places()
    for name, place in places.items():
        assert math.dist(place, before[name]) < 0.002, f"{name} moves by itself"
    assert set(places) == {"apple", "croissant", "duck"}
    for x, y, z in places.values():
        assert 0.4 < x < 0.7 and abs(y) < 0.35 and abs(z) < 0.05


def test_reset_puts_everything_back(world: SimulatedWorld, kinematics: Kinematics) -> None:
    start = world.snapshot()
    world.set_mode(MotorMode.ENABLED)
    drive_to(world, kinematics, Pose(yaw=0.5))
    assert world.snapshot() != start
    world.reset()
    assert world.snapshot() == start and world.mode is MotorMode.DISABLED and world.time > 0


def test_time_passes_only_when_stepped(world: SimulatedWorld) -> None:
    world.step(50)
    assert world.time == pytest.approx(0.1)


@pytest.mark.parametrize("view", scene.VIEWS)
@pytest.mark.parametrize("name", scene.SCENES)
def test_all_views_of_a_scene_share_their_joints(
    description: Path, compiled: Path, name: str, view: scene.View
) -> None:
    physics = scene.model(description, name, "physics", compiled)
    assert scene.model(description, name, view, compiled).nq == physics.nq


def test_a_damaged_compiled_scene_is_made_again(description: Path, tmp_path: Path) -> None:
    scene.model(description, "empty", "physics", tmp_path)
    file = next(tmp_path.rglob("physics.mjb"))
    file.write_bytes(file.read_bytes()[:1000])
    assert scene.model(description, "empty", "physics", tmp_path).nu == 9
    assert not list(tmp_path.rglob("tmp*")), "no half-written file stays behind"


def unwritable(folder: Path) -> Path:
    (folder / "file").write_text("not a folder")
    return folder / "file" / "cache"


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (InvalidParameter, lambda d, t: (d, "moon", "physics", t)),
        (AssetError, lambda _, t: (t / "nothing here", "table", "physics", t)),
        (AssetError, lambda d, t: (d, "table", "physics", unwritable(t))),
    ],
)
def test_what_can_not_be_loaded_says_why(
    description: Path, tmp_path: Path, error: type[Exception], arguments: Callable[[Path, Path], tuple[object, ...]]
) -> None:
    with pytest.raises(error):
        scene.model(*arguments(description, tmp_path))  # type: ignore[arg-type]
