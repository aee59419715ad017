"""A robot with a camera sees what is in its picture and nothing else; policies of other bodies run in it unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from reachy_mind.body.batch_kinematics import BatchKinematics
from reachy_mind.errors import HardwareError, InvalidParameter, NotReady
from reachy_mind.learning.environments.beat import BeatTask
from reachy_mind.learning.environments.camera_body import FLOOR_M, CameraBody, PlacedThing
from reachy_mind.learning.environments.catalogue import TASKS
from reachy_mind.learning.environments.environment import BatchEnvironment
from reachy_mind.learning.environments.find_object import FindObjectTask
from reachy_mind.learning.environments.gaze import BEARING_SCALE, camera_bearing
from reachy_mind.learning.environments.look_at import LookAtTask
from reachy_mind.learning.environments.picture_sight import PictureSight, look_through
from reachy_mind.learning.environments.safety import SafetyFilter
from reachy_mind.learning.environments.scenes import Region, places
from reachy_mind.learning.environments.sight import drawn_scenes
from reachy_mind.learning.environments.task import Observations
from reachy_mind.learning.environments.thing_kinds import KINDS, ThingKind, ThingSet
from reachy_mind.learning.environments.track_face import TrackFaceTask
from reachy_mind.learning.evaluation.success import evaluate
from reachy_mind.learning.training.camera_evaluation import CameraEvaluation
from reachy_mind.learning.training.world import PracticeWorld
from reachy_mind.sim.appearance import ThingLook

pytestmark = [pytest.mark.process, pytest.mark.simulator]

ALL = np.ones(1, np.bool_)
SEEN, FAR = 2, 3
AHEAD, ASIDE = Region((-30.0, 30.0), (-12.0, 18.0), (0.4, 1.3)), Region((70.0, 75.0), (0.0, 5.0), (0.5, 0.6))
WALL = ThingKind("wall", ThingLook(shape="box", half_sizes=(0.01, 0.3, 0.3)), (-0.01, -0.3, -0.3), (0.01, 0.3, 0.3))
LEFT, RIGHT, STAY = (np.array([[turn, 0.0]], np.float32) for turn in (1.0, -1.0, 0.0))


@pytest.fixture(scope="module")
def body(description: Path, compiled: Path) -> Iterator[CameraBody]:
    robot = CameraBody(1, description, compiled)
    yield robot
    robot.close()


@pytest.fixture(autouse=True)
def _neutral(body: CameraBody) -> None:
    body.reset(ALL)


@pytest.fixture(scope="module")
def safety(description: Path) -> SafetyFilter:
    return SafetyFilter(BatchKinematics(description / "kinematics_data.json"))


class Controller:
    def __init__(self, task: str) -> None:
        self.act = TASKS[task].control


def watching(body: CameraBody, task: LookAtTask | FindObjectTask, things: ThingSet = "usual") -> PictureSight:
    look_through(body, task, things)
    assert isinstance(task.sight, PictureSight)
    return task.sight


def bearing(observation: Observations) -> tuple[float, float]:
    left, up = np.degrees(observation[0, :2] * BEARING_SCALE)
    return float(left), float(up)


@pytest.mark.parametrize("things", KINDS)
def test_a_box_becomes_the_bearing_of_the_thing(body: CameraBody, things: ThingSet) -> None:
    rng = np.random.default_rng(4)
    body.move(np.array([[0.0, 0.0, 0.0, 0.0, -0.15, 0.2, 0.1, -0.1745, 0.1745]]))
    for kind in KINDS[things]:
        sight, apart = PictureSight(body, (kind,)), []
        for _ in range(4):
            place = drawn_scenes(sight, rng, AHEAD, 1)
            found, (left, up, _, far) = sight.look(ALL, body.poses, place), camera_bearing(body.poses, place)
            assert found.seen[0], kind.name
            apart.append(np.degrees([found.left[0] - left[0], found.up[0] - up[0]]))
            assert found.far[0] == pytest.approx(far[0], abs=0.08), "its surface is nearer than its middle"
        # The near half of a croissant looks larger: the middle of its box is not the middle of the thing.
        assert np.hypot(*np.transpose(apart)).max() < 3.0 and np.abs(np.mean(apart, axis=0)).max() < 1.5, kind.name


def test_what_is_hidden_is_not_seen_and_keeps_its_bearing(body: CameraBody, safety: SafetyFilter) -> None:
    task = LookAtTask(1, AHEAD)
    sight = watching(body, task)
    environment = BatchEnvironment(task, body, safety)
    seen = environment.reset(2)
    assert seen[0, SEEN] == 1.0 and seen[0, FAR] > 0.3
    before = bearing(seen)
    sight.others = (PlacedThing(WALL, task.places[0] * 0.6),)
    seen = environment.step(STAY).final_observations
    assert seen[0, SEEN] == 0.0 and seen[0, FAR] == 0.0
    assert bearing(seen) == pytest.approx(before, abs=1.0)
    task.places[0] = places(np.array([-0.5]), np.array([0.2]), np.array([0.8]))[0]
    sight.others = ()
    seen = environment.step(STAY).final_observations
    truth = np.degrees([each[0] for each in camera_bearing(body.poses, task.places)[:2]])
    assert seen[0, SEEN] == 1.0 and bearing(seen) == pytest.approx(tuple(truth), abs=2.0)


def test_a_thing_that_moves_out_of_view_is_taken_to_be_where_it_was_seen(
    body: CameraBody, safety: SafetyFilter
) -> None:
    task = LookAtTask(1, AHEAD)
    watching(body, task)
    environment = BatchEnvironment(task, body, safety)
    environment.reset(2)
    noticed = task.places.copy()
    while (seen := environment.step(LEFT).final_observations)[0, SEEN]:
        assert environment.steps[0] < 10, "it never left the view"
    task.places[0] = places(np.array([-1.2]), np.array([0.3]), np.array([0.5]))[0]
    seen = environment.step(LEFT).final_observations
    remembered = np.degrees([each[0] for each in camera_bearing(body.poses, noticed)[:2]])
    assert seen[0, SEEN] == 0.0 and bearing(seen) == pytest.approx(tuple(remembered), abs=4.0)


def test_before_it_was_seen_a_thing_is_where_it_was_said_to_be_but_nobody_says_so_of_one_to_be_found(
    body: CameraBody, safety: SafetyFilter
) -> None:
    said, lost = LookAtTask(1, ASIDE), FindObjectTask(1, ASIDE)
    for task in (said, lost):
        watching(body, task)
    seen = BatchEnvironment(said, body, safety).reset(1)
    truth = np.degrees([each[0] for each in camera_bearing(body.poses, said.places)[:2]])
    assert seen[0, SEEN] == 0.0 and bearing(seen) == pytest.approx(tuple(truth), abs=0.1)
    environment = BatchEnvironment(lost, body, safety)
    assert (environment.reset(1)[0, :4] == 0.0).all()
    for _ in range(4):
        seen = environment.step(LEFT).final_observations
    truth = np.degrees([each[0] for each in camera_bearing(body.poses, lost.places)[:2]])
    assert seen[0, 2] == seen[0, 3] == 1.0 and bearing(seen) == pytest.approx(tuple(truth), abs=2.0)


def test_things_that_are_held_out_never_stand_in_usual_scenes_and_none_stands_in_the_floor(body: CameraBody) -> None:
    rng, region, drawn = np.random.default_rng(0), Region((-55.0, 55.0), (-35.0, 25.0), (0.35, 1.2)), {}
    for things in KINDS:
        sight, names = PictureSight(body, KINDS[things]), []
        for _ in range(60):
            place = drawn_scenes(sight, rng, region, 1)
            assert place[0, 2] - sight.kind.half_height >= FLOOR_M
            names.append(sight.kind.name)
        drawn[things] = set(names)
    assert drawn["usual"] == {"apple", "ball", "cup"}
    assert len(drawn["unseen"]) >= 4 and not drawn["usual"] & drawn["unseen"]


@pytest.mark.parametrize("task", ["look_at", "find_object"])
def test_a_controller_succeeds_by_the_picture_alone_and_a_seed_gives_the_same_again(
    task: str, body: CameraBody, description: Path, compiled: Path
) -> None:
    world = PracticeWorld(description, compiled)
    environment = world.environment(task, 1, body=body, things="unseen")
    one, again = (evaluate(Controller(task), environment, 11) for _ in range(2))
    assert one.success == 1.0 and one == again


def test_an_evaluation_tells_each_condition(description: Path, compiled: Path) -> None:
    with CameraEvaluation(PracticeWorld(description, compiled), "look_at", 1, seed=5) as evaluation:
        found = evaluation.figures(Controller("look_at"))
        asleep = evaluation.under("usual", Still())
    assert found.keys() == {"usual", "unseen_things", "unseen_places"}
    assert all(each.success == 1.0 and 1 < each.decisions < 12 for each in found.values())
    assert asleep.success == 0.0 and asleep.decisions == 12.0
    assert 0.0 < found["usual"].camera_share < 1.0 and found["usual"].decision_ms > 1.0


class Still:
    def act(self, observations: Observations) -> Observations:
        return np.zeros((len(observations), 2), np.float32)


def test_a_face_is_seen_where_it_is(body: CameraBody, safety: SafetyFilter) -> None:
    task = TrackFaceTask(1)
    look_through(body, task)
    environment = BatchEnvironment(task, body, safety)
    seen = environment.reset(3)
    truth = np.degrees([each[0] for each in camera_bearing(body.poses, task.faces())[:2]])
    assert seen[0, 2] == 1.0 and bearing(seen) == pytest.approx(tuple(truth), abs=3.0)


def test_one_robot_has_the_camera_and_it_needs_something_to_see(
    body: CameraBody, description: Path, compiled: Path
) -> None:
    with pytest.raises(InvalidParameter, match="3 robots"):
        CameraBody(3, description, compiled)
    with pytest.raises(InvalidParameter, match="beat"):
        look_through(body, BeatTask(1))


def test_a_camera_that_dies_says_so_and_starts_anew(body: CameraBody) -> None:
    apple = PlacedThing(KINDS["usual"][0], np.array([0.5, 0.0, 0.1]))
    before = body.see((apple,))
    [camera] = [child for child in psutil.Process().children() if "reachy_mind.sim.camera" in child.cmdline()]
    camera.kill()
    with pytest.raises(HardwareError, match="died"):
        body.see((apple,))
    assert body.see((apple,)) == before != []


def test_where_nothing_can_be_rendered_it_says_so(
    description: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disabled")
    blind = CameraBody(1, description, compiled)
    try:
        with pytest.raises(NotReady, match="can't render") as raised:
            blind.see((PlacedThing(KINDS["usual"][0], np.array([0.5, 0.0, 0.1])),))
        assert "apt-get" in str(raised.value.hint)
    finally:
        blind.close()
