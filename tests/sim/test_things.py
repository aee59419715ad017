"""Things added to a world that goes on, without a daemon or a camera."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.sim.appearance import PersonLook, ThingLook
from reachy_mind.sim.body_pool import PEOPLE, THINGS
from reachy_mind.sim.things import NoRoom, NoSuchThing
from reachy_mind.sim.world import SimulatedWorld

BALL = ThingLook(shape="sphere", half_sizes=(0.03, 0.0, 0.0), mass=0.05)
BOX = ThingLook(shape="box", half_sizes=(0.03, 0.03, 0.03), mass=0.1)
SOMEBODY = PersonLook(face="0" * 16, skin=(1, 1, 1), hair=(0, 0, 0), clothes=(0, 0, 1))


@pytest.fixture
def world(description: Path, compiled: Path) -> SimulatedWorld:
    return SimulatedWorld(description, "table", compiled)


@pytest.mark.parametrize(
    ("look", "height"),
    [
        (BALL, 0.03),
        (BOX, 0.03),
        (ThingLook(shape="cylinder", half_sizes=(0.025, 0.04, 0.0)), 0.04),
        (ThingLook(shape="apple"), 0.0),
        (ThingLook(shape="duck"), 0.0),
    ],
)
def test_what_is_added_stands_on_the_table_and_stays(world: SimulatedWorld, look: ThingLook, height: float) -> None:
    thing = world.things.add(look, (0.4, -0.02), name="new")
    world.step(1500)
    assert world.things.position(thing) == pytest.approx((0.4, -0.02, height), abs=0.006)


def test_beside_the_table_things_stand_on_the_floor(world: SimulatedWorld) -> None:
    thing = world.things.add(BOX, (1.5, 1.0))
    world.step(100)
    assert world.places()[thing.name][2] == pytest.approx(-0.77, abs=0.002)


def test_a_thrown_ball_flies_as_far_as_ballistics_say(world: SimulatedWorld) -> None:
    ball = world.things.add(BALL, (0.5, 0.0, 0.6))
    world.things.throw(ball.name, (2.0, 0.5, 1.0))
    seconds = 0.2
    world.step(round(seconds / 0.002))
    fallen = seconds - 9.81 * seconds**2 / 2
    assert world.things.position(ball) == pytest.approx((0.9, 0.1, 0.6 + fallen), abs=0.005)


def test_a_ball_knocks_a_box_over_and_a_removed_one_does_not(world: SimulatedWorld) -> None:
    for gone in (True, False):
        box = world.things.add(BOX, (0.75, 0.1))
        ball = world.things.add(ThingLook(shape="sphere", half_sizes=(0.03, 0, 0), mass=0.5), (0.65, 0.1, 0.2))
        before = world.things.position(box)
        world.things.move(ball.name, (0.65, 0.1))
        world.things.throw(ball.name, (1.5, 0.0, 0.0))
        if gone:
            world.things.remove(ball.name)
        world.step(200)
        moved = math.dist(world.things.position(box), before)
        assert moved < 0.002 if gone else moved > 0.02
        world.reset()


def test_the_robot_does_not_notice_what_happens_around_it(
    world: SimulatedWorld, description: Path, compiled: Path
) -> None:
    """The same targets, with and without a scene that changes all the time: the same joints, at every tick."""
    alone, wanted = SimulatedWorld(description, "table", compiled), Kinematics(description / "kinematics_data.json")
    for each in (alone, world):
        each.set_mode(MotorMode.ENABLED)
    world.people.add("ada", SOMEBODY, (1.0, 0.0))
    for tick in range(150):
        pose = Pose(yaw=0.4 * math.sin(tick / 15), pitch=0.1 * math.cos(tick / 20))
        joints = wanted.joints(pose.head_matrix(), 0.0)
        assert joints is not None
        if tick % 10 == 3:
            thing = world.things.add(BOX if tick % 20 == 3 else ThingLook(shape="apple"), (0.4, 0.0, 0.5), yaw=tick)
            world.things.throw(thing.name, (1.0, 0.3, 2.0))
        if tick % 10 == 8:
            world.things.remove(thing.name)
        for each in (alone, world):
            each.drive(joints, (0.1, -0.1))
            each.step()
        assert world.joints() == pytest.approx(alone.joints(), abs=1e-5)
        assert world.head() == pytest.approx(alone.head(), abs=1e-5)


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.1), (0.08, 0.0, 0.11), (0.5, 0.0, -0.02), (0.5, -0.17, 0.03)])
def test_nothing_is_put_inside_robot_table_or_another_thing(
    world: SimulatedWorld, place: tuple[float, float, float]
) -> None:
    before = world.snapshot()
    with pytest.raises(NoRoom, match=r"the robot|the table|apple"):
        world.things.add(BOX, place)
    assert world.snapshot() == before and len(list(world.things)) == 3


def test_names_are_given_kept_and_refused(world: SimulatedWorld) -> None:
    assert world.things.add(BALL, (0.3, 0.2)).name == "sphere"
    assert world.things.add(BALL, (0.3, -0.2)).name == "sphere_2"
    with pytest.raises(NoRoom):
        world.things.add(BALL, (0.4, 0.0), name="apple")
    with pytest.raises(NoSuchThing):
        world.things.remove("pear")


def test_places_are_used_again_up_to_the_last(world: SimulatedWorld) -> None:
    for turn in range(2):
        for number in range(THINGS - 3):
            world.things.add(BALL, (2.0 + 0.1 * number, turn), name=f"ball{number}")
        with pytest.raises(NoRoom, match="16"):
            world.things.add(BALL, (4.0, 4.0), name="one too many")
        for number in range(THINGS - 3):
            world.things.remove(f"ball{number}")
    assert set(world.places()) == {"apple", "croissant", "duck"}


def test_a_removed_apple_can_come_back_and_reset_brings_all_back(world: SimulatedWorld) -> None:
    start = world.places()
    world.things.remove("apple")
    assert "apple" not in world.places()
    world.things.add(ThingLook(shape="apple"), (0.6, 0.1))
    world.things.move("duck", (0.4, 0.0))
    world.reset()
    assert world.places() == start


def test_the_empty_scene_can_have_the_tables_objects(description: Path, compiled: Path) -> None:
    world = SimulatedWorld(description, "empty", compiled)
    assert not world.places()
    duck = world.things.add(ThingLook(shape="duck"), (0.5, 0.0))
    world.step(500)
    assert world.things.position(duck) == pytest.approx((0.5, 0.0, 0.0), abs=0.01)


def test_people_walk_at_their_speed_face_their_way_and_stop(world: SimulatedWorld) -> None:
    ada = world.people.add("ada", SOMEBODY, (2.0, -1.0), height=1.6)
    assert ada.yaw == pytest.approx(math.atan2(1.0, -2.0))
    world.people.walk("ada", (2.0, 1.0), speed=0.8)
    world.step(500)
    assert (ada.x, ada.y) == pytest.approx((2.0, -0.2)) and ada.yaw == pytest.approx(math.pi / 2)
    world.step(1000)
    assert (ada.x, ada.y) == pytest.approx((2.0, 1.0)) and ada.goal is None
    assert world.people.head(ada)[2] == pytest.approx(-0.8 + 1.6 - 0.118)


def test_people_come_closer_but_not_into_the_robot_and_turn_away(world: SimulatedWorld) -> None:
    ada = world.people.add("ada", SOMEBODY, (2.0, 0.0))
    world.people.approach("ada", 0.7, speed=1.0)
    world.step(1000)
    assert ada.distance == pytest.approx(0.7) and abs(ada.yaw) == pytest.approx(math.pi)
    world.people.approach("ada", 0.01, speed=1.0)
    world.people.turn("ada", "away")
    world.step(1000)
    assert ada.distance == pytest.approx(0.35) and ada.yaw == pytest.approx(0.0)
    world.people.turn("ada", 1.0)
    world.step(500)
    assert ada.yaw == pytest.approx(1.0)


def test_the_room_is_full_at_some_point(world: SimulatedWorld) -> None:
    for number in range(PEOPLE):
        world.people.add(f"p{number}", SOMEBODY, (2.0, 0.3 * number))
    with pytest.raises(NoRoom):
        world.people.add("late", SOMEBODY, (3.0, 0.0))
    world.people.remove("p0")
    world.people.add("late", SOMEBODY, (3.0, 0.0))
    with pytest.raises(NoSuchThing):
        world.people.turn("p0", "away")
