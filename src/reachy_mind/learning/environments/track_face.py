"""The task `track_face`: keep the camera on a face that moves, stops, hurries past and is lost by the detector.

Observation (9): bearing of where the face was seen last, left and up (in `BEARING_SCALE`), whether it is seen now, how
fast it went when it was seen, left and up (in `RATE_SCALE` a second), time since it was seen, head yaw and pitch, time
left. Action (2): turn left, turn up, in `STEP` a decision.

Success: after the first second the camera is within `NEAR` of the face in at least `SHARE` of the decisions, also while
the detector sees nothing. People take a head that is turned to them within about ten degrees for looking at them; who
finds it looking elsewhere for a moment now and then still says that it follows.
"""

from __future__ import annotations

import math

import numpy as np

from reachy_mind.learning.environments.bodies import DECISION_S, Array, Mask
from reachy_mind.learning.environments.face_paths import FacePaths, drawn_paths
from reachy_mind.learning.environments.gaze import (
    BEARING_SCALE,
    PITCH,
    camera_bearing,
    seen_places,
    towards,
    turned,
)
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW
from reachy_mind.learning.environments.scenes import Region, Scenes, places
from reachy_mind.learning.environments.sight import GEOMETRY, ThingSight
from reachy_mind.learning.environments.task import Actions, DetectionErrors, Judged, Observations
from reachy_mind.motion.limits import YAW

NEAR = math.radians(8)
SHARE = 0.85
FIRST = 10
"""Decisions that are not judged: the head has to get there."""
RATE_SCALE = math.radians(60)
RATE_WEIGHT = 0.4
"""Of the newest picture in the rate: one difference of two bearings is mostly noise."""
LONGEST_S = 1.0
"""Time since the last picture of the face is told up to this."""
TRUSTED_S = 0.5
"""A face that is lost is taken to go on for so long."""
AHEAD_S = 0.1
EXPERT_GAIN, CONTROL_GAIN = 0.6, 0.7
NEAR_REWARD, SUCCESS_REWARD, MOST_ERROR = 0.3, 1.0, 1.0

REGIONS: dict[Scenes, Region] = {
    "usual": Region((-45.0, 45.0), (-15.0, 25.0), (0.5, 1.8)),
    "narrow": Region((-25.0, 25.0), (-5.0, 15.0), (0.6, 1.2)),
    "unseen": Region((45.0, 80.0), (-15.0, 32.0), (0.6, 2.5)),
}
IN_VIEW = (-46.0, 46.0)
"""Azimuth in degrees in which faces begin: the robot sees them from the start."""


def mirrored(observations: Observations, actions: Actions) -> tuple[Observations, Actions]:
    """The examples, and the same with left and right exchanged."""
    seen, done = observations.copy(), actions.copy()
    seen[:, [0, 3, 6]] *= -1
    done[:, 0] *= -1
    return np.concatenate([observations, seen]), np.concatenate([actions, done])


def control(observations: Observations) -> Actions:
    """Turn to where the face will be if it goes on as it was seen."""
    seen = observations.astype(np.float64)
    ahead_s = np.minimum(seen[:, 5] * LONGEST_S, TRUSTED_S) + AHEAD_S
    left, up = (seen[:, axis] * BEARING_SCALE + seen[:, 3 + axis] * RATE_SCALE * ahead_s for axis in (0, 1))
    return towards(left, up, CONTROL_GAIN)


class TrackFaceTask:
    """One face in each scene. `sight`: how it is seen."""

    name = "track_face"
    observation_size = 9
    action_size = 2
    horizon = 50

    def __init__(self, count: int, difficulty: float = 1.0, scenes: Scenes = "usual") -> None:
        self._difficulty, self._scenes, self._region = difficulty, scenes, REGIONS[scenes].easier(difficulty)
        self.sight: ThingSight = GEOMETRY
        self._rows = np.arange(count)
        self._now = np.zeros(count, np.int64)
        self._paths = FacePaths(np.zeros((count, self.horizon + 1, 3)), np.zeros((count, self.horizon + 1), np.bool_))
        self._followed: Array = np.zeros(count)
        self._directions: Array = np.zeros((count, 2))
        self._places: Array = np.zeros((count, 3))
        self._rates: Array = np.zeros((count, 2))
        self._age: Array = np.zeros(count)

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:  # noqa: ARG002
        count = int(rows.sum())
        self.sight.begin(rng)
        while not self.sight.fits(places(*(drawn := self._drawn(rng, count)).positions.reshape(-1, 3).T)):
            continue
        self._paths.positions[rows], self._paths.lost[rows] = drawn.positions, drawn.lost
        self._now[rows] = 0
        self._followed[rows] = 0.0
        self._places[rows] = (1.0, 0.0, 0.0)
        self._rates[rows] = 0.0
        self._age[rows] = math.inf

    def _drawn(self, rng: np.random.Generator, count: int) -> FacePaths:
        drawn = drawn_paths(rng, count, self.horizon + 1, self._region, IN_VIEW, self._difficulty)
        if self._scenes == "unseen":
            drawn.positions[..., 0] *= rng.choice([-1.0, 1.0], (count, 1))
        return drawn

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:
        return turned(actions, commanded, poses)

    def advance(self, seconds: float) -> None:  # noqa: ARG002 -- a path has a position for each decision
        self._now = np.minimum(self._now + 1, self.horizon)

    def judge(self, poses: Array) -> Judged:
        error = camera_bearing(poses, self.faces())[2]
        near = error < NEAR
        self._followed += near & (self._now > FIRST)
        success = (self._now >= self.horizon) & (self._followed >= SHARE * (self.horizon - FIRST))
        reward = NEAR_REWARD * near - np.minimum(error, MOST_ERROR) + SUCCESS_REWARD * success
        return Judged(reward, success, np.zeros(len(poses), np.bool_))

    def perceive(self, rows: Mask, poses: Array, errors: DetectionErrors) -> None:
        sighting = self.sight.look(rows, poses, self.faces())
        lost = self._paths.lost[self._rows, self._now] | errors.missed
        self._age[rows] += DECISION_S
        seen = sighting.seen & ~lost
        left, up = sighting.left + errors.bearing[:, 0], sighting.up + errors.bearing[:, 1]
        noticed = seen_places(poses[seen], left[seen], up[seen], sighting.far[seen])
        x, y, z = noticed.T
        directions = np.stack([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))], axis=1)
        # Infinitely long ago: the first picture tells no rate.
        rates = (directions - self._directions[seen]) / self._age[seen, None]
        self._rates[seen] += RATE_WEIGHT * (rates - self._rates[seen])
        self._places[seen], self._directions[seen], self._age[seen] = noticed, directions, 0.0

    def observe(self, poses: Array, time_left: Array) -> Observations:
        left, up, _, _ = camera_bearing(poses, self._places)
        columns = (
            left / BEARING_SCALE,
            up / BEARING_SCALE,
            (self._age == 0.0).astype(np.float64),
            self._rates[:, 0] / RATE_SCALE,
            self._rates[:, 1] / RATE_SCALE,
            np.minimum(self._age, LONGEST_S) / LONGEST_S,
            poses[:, YAW] / MOST_YAW,
            -poses[:, PITCH] / MOST_PITCH,
            time_left,
        )
        return np.stack(columns, axis=1).astype(np.float32)

    def expert(self, poses: Array, commanded: Array) -> Actions:  # noqa: ARG002
        left, up, _, _ = camera_bearing(poses, self.faces(ahead=1))
        return towards(left, up, EXPERT_GAIN)

    def faces(self, ahead: int = 0) -> Array:
        """Where the faces are, or will be after so many decisions."""
        now = self._paths.positions[self._rows, np.minimum(self._now + ahead, self.horizon)]
        return places(now[:, 0], now[:, 1], now[:, 2])


def make(count: int, difficulty: float, scenes: Scenes) -> TrackFaceTask:
    """For so many robots; lower difficulty: slower faces, nearer to straight ahead."""
    return TrackFaceTask(count, difficulty, scenes)
