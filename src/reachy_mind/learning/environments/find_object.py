"""The task `find_object`: look around for a thing that is out of view, then point the camera at it.

Observation (8): bearing of where the thing was seen last, left and up (in `BEARING_SCALE`; 0 before it is found),
whether it was found, whether it is seen now, the side that is searched (left 1, right -1), how much of it is left to
search, head pitch, time left. Which side comes first differs between scenes; the other follows when the first one was
searched to its end. The head's yaw is left out: policies cloned from ten demonstrations took it for the reason to turn
back, and a tenth of the things was not found.
Action (2): turn left, turn up, in `STEP` a decision.

Success: the thing is in the middle of the picture, as in `look_at`. The expert searches too: where a thing is that
nobody saw can't be learned.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.gaze import (
    BEARING_SCALE,
    HALF_VIEW,
    PITCH,
    camera_bearing,
    seen_places,
    towards,
    turned,
)
from reachy_mind.learning.environments.look_at import EXPERT_GAIN, MOST_PITCH, SUCCESS
from reachy_mind.learning.environments.scenes import Region, Scenes
from reachy_mind.learning.environments.sight import GEOMETRY, ThingSight, drawn_scenes
from reachy_mind.learning.environments.task import Actions, DetectionErrors, Judged, Observations
from reachy_mind.motion.limits import YAW

FARTHEST = math.radians(155)
"""Azimuth that the view has reached where a side is searched to its end."""
SEARCH_SPEED = 0.8
"""Of an action, while it looks around: robots that turn further than the model stay within the speed of the body."""
SEARCH_WEIGHT, FOUND, PROGRESS_WEIGHT, SUCCESS_REWARD = 0.2, 3.5, 2.0, 1.0
"""Progress is what was searched, and once it is found `FOUND` less the angle that is left: finding it is a leap."""
START_VIEW = Region((-58.0, 58.0), (-90.0, 90.0))
"""In view, or nearly, at the start."""
EASIEST = 65.0
"""Largest azimuth of the easiest scenes."""

REGIONS: dict[Scenes, Region] = {
    "usual": Region((-130.0, 130.0), (-25.0, 20.0), (0.4, 1.5), without=START_VIEW),
    "narrow": Region((-85.0, 85.0), (-15.0, 5.0), (0.5, 1.0), without=START_VIEW),
    "unseen": Region((-150.0, 150.0), (-25.0, 20.0), (0.4, 2.0), without=Region((-130.0, 130.0), (-90.0, 90.0))),
}


def mirrored(observations: Observations, actions: Actions) -> tuple[Observations, Actions]:
    """The examples, and the same with left and right exchanged."""
    seen, done = observations.copy(), actions.copy()
    seen[:, [0, 4]] *= -1
    done[:, 0] *= -1
    return np.concatenate([observations, seen]), np.concatenate([actions, done])


def control(observations: Observations) -> Actions:
    """Search one side, then the other; once found, turn by a share of the bearing."""
    seen = observations.astype(np.float64)
    left, up, head_up = seen[:, 0] * BEARING_SCALE, seen[:, 1] * BEARING_SCALE, seen[:, 6] * MOST_PITCH
    return _searched_or_centred(seen[:, 2] > 0.5, left, up, seen[:, 4], head_up)


class FindObjectTask:
    """One thing in each scene. `sight`: how it is seen."""

    name = "find_object"
    observation_size = 8
    action_size = 2
    horizon = 50

    def __init__(self, count: int, region: Region = REGIONS["usual"]) -> None:
        self.region = region
        self.sight: ThingSight = GEOMETRY
        self.places: Array = np.zeros((count, 3))
        self._noticed: Array = np.zeros((count, 3))
        self._found: Mask = np.zeros(count, np.bool_)
        self._seen: Mask = np.zeros(count, np.bool_)
        self._searched: Array = np.zeros((count, 2))
        """How far the view has reached, left and right."""
        self._side: Array = np.ones(count)
        self._progress: Array = np.zeros(count)

    def reset(self, rng: np.random.Generator, rows: Mask, poses: Array) -> None:
        count = int(rows.sum())
        self.places[rows] = drawn_scenes(self.sight, rng, self.region, count)
        self._found[rows] = self._seen[rows] = False
        self._side[rows] = rng.choice([-1.0, 1.0], count)
        self._searched[rows] = HALF_VIEW[0]
        self._progress[rows] = self._so_far(poses)[rows]

    def target(self, actions: Actions, commanded: Array, poses: Array) -> Array:
        return turned(actions, commanded, poses)

    def advance(self, seconds: float) -> None:
        """Nothing moves."""

    def perceive(self, rows: Mask, poses: Array, errors: DetectionErrors) -> None:
        sighting = self.sight.look(rows, poses, self.places)
        seen = sighting.seen & ~errors.missed
        left, up = sighting.left + errors.bearing[:, 0], sighting.up + errors.bearing[:, 1]
        self._noticed[seen] = seen_places(poses[seen], left[seen], up[seen], sighting.far[seen])
        self._seen[rows] = seen[rows]
        self._found |= seen
        reached = np.clip(np.stack([poses[:, YAW], -poses[:, YAW]], axis=1) + HALF_VIEW[0], 0.0, FARTHEST)
        self._searched[rows] = np.maximum(self._searched, reached)[rows]
        whole = self._searched >= FARTHEST
        self._side[rows & np.where(self._side > 0, whole[:, 0], whole[:, 1])] *= -1
        # All was searched in vain: it begins anew, for the detector may have missed it.
        again = rows & whole.all(axis=1) & ~self._found
        self._searched[again] = reached[again]

    def judge(self, poses: Array) -> Judged:
        success = self._seen & (camera_bearing(poses, self.places)[2] < SUCCESS)
        progress = self._so_far(poses)
        reward = progress - self._progress + SUCCESS_REWARD * success
        self._progress = progress
        return Judged(reward, success, success)

    def observe(self, poses: Array, time_left: Array) -> Observations:
        left, up, _, _ = camera_bearing(poses, self._noticed)
        columns = (
            np.where(self._found, left, 0.0) / BEARING_SCALE,
            np.where(self._found, up, 0.0) / BEARING_SCALE,
            self._found.astype(np.float64),
            self._seen.astype(np.float64),
            self._side,
            1.0 - np.where(self._side > 0, self._searched[:, 0], self._searched[:, 1]) / FARTHEST,
            -poses[:, PITCH] / MOST_PITCH,
            time_left,
        )
        return np.stack(columns, axis=1).astype(np.float32)

    def expert(self, poses: Array, commanded: Array) -> Actions:  # noqa: ARG002
        left, up, _, _ = camera_bearing(poses, self.places)
        return _searched_or_centred(self._found, left, up, self._side, -poses[:, PITCH])

    def _so_far(self, poses: Array) -> Array:
        angle = camera_bearing(poses, self.places)[2]
        searched = SEARCH_WEIGHT * self._searched.sum(axis=1)
        return np.where(self._found, FOUND - PROGRESS_WEIGHT * angle, searched)


def make(count: int, difficulty: float, scenes: Scenes) -> FindObjectTask:
    """For so many robots; lower difficulty: things just out of view."""
    region = REGIONS[scenes]
    if scenes == "unseen":
        return FindObjectTask(count, region)
    farthest = EASIEST + (region.azimuth[1] - EASIEST) * difficulty
    return FindObjectTask(count, replace(region, azimuth=(-farthest, farthest)))


def _searched_or_centred(found: Mask, left: Array, up: Array, side: Array, head_up: Array) -> Actions:
    searching = np.stack([SEARCH_SPEED * side, towards(side, -head_up, EXPERT_GAIN)[:, 1]], axis=1)
    actions: Actions = np.where(found[:, None], towards(left, up, EXPERT_GAIN), searching)
    return actions.astype(np.float32)
