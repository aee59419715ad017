"""The program of the skill `track_face`: keep the camera on a face that moves."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from reachy_mind.learning.environments.bodies import DECISION_S, Array
from reachy_mind.learning.environments.gaze import BEARING_SCALE, PITCH, camera_bearing
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW
from reachy_mind.learning.environments.task import Observations
from reachy_mind.learning.environments.track_face import LONGEST_S, RATE_SCALE, RATE_WEIGHT
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.aimed_result import decision_figures
from reachy_mind.learning.policies.programs.gaze_episode import SETTLE_S, Locate, Sightings, gaze_episode
from reachy_mind.learning.policies.programs.robot_pose import SkillRobot
from reachy_mind.motion.limits import YAW

TRACK_HORIZON = 50
"""Decisions of an episode in training."""
MOST_S = 600.0


class FaceMotion:
    """How a face moves, by where it was seen: direction from the head's centre, and its rate in radians a second."""

    def __init__(self) -> None:
        self._direction: Array = np.zeros(2)
        self._seen_at = -math.inf
        self.rate: Array = np.zeros(2)

    def note_sighting(self, place: Array, seen_at: float) -> None:
        x, y, z = place[0]
        direction = np.array([math.atan2(y, x), math.atan2(z, math.hypot(x, y))])
        if seen_at > self._seen_at:  # infinitely long ago: the first sighting tells no rate
            rate = (direction - self._direction) / (seen_at - self._seen_at)
            self.rate = self.rate + RATE_WEIGHT * (rate - self.rate)
        self._direction, self._seen_at = direction, seen_at


def track_observation(
    pose: Array, place: Array, visible: bool, rate: Array, age_s: float, time_left: float
) -> Observations:
    """As the task has it; `age_s`: time since the face was seen, if the last picture does not show it."""
    left, up, _, _ = camera_bearing(pose, place)
    columns = (
        left[0] / BEARING_SCALE,
        up[0] / BEARING_SCALE,
        float(visible),
        rate[0] / RATE_SCALE,
        rate[1] / RATE_SCALE,
        0.0 if visible else min(age_s, LONGEST_S) / LONGEST_S,
        pose[0, YAW] / MOST_YAW,
        -pose[0, PITCH] / MOST_PITCH,
        time_left,
    )
    return np.array([columns], np.float32)


async def track_face(robot: SkillRobot, locate: Locate, policy: GuardedPolicy, duration_s: float) -> dict[str, Any]:
    """Follow a face for so long, and say how that went."""
    if not 0 < duration_s <= MOST_S:
        return {"status": "error", "message": f"I can follow a face for up to {MOST_S:.0f} seconds."}
    robot.wake_up()
    sightings, motion = Sightings(robot, locate, "face"), FaceMotion()
    off: list[float] = []

    def after_picture() -> None:
        if sightings.visible:
            motion.note_sighting(sightings.place, sightings.seen_at)
            off.append(sightings.off)

    def observe(pose: Array, time_left: float) -> Observations:
        age_s = time.monotonic() - sightings.seen_at
        return track_observation(pose, sightings.place, sightings.visible, motion.rate, age_s, time_left)

    if not await sightings.look():
        return {"status": "success", "found": False, "message": "I see no face to follow."}
    after_picture()
    began, decisions = time.monotonic(), max(1, round(duration_s / DECISION_S))
    await gaze_episode(robot, sightings, policy, observe, lambda _: False, decisions, TRACK_HORIZON, after_picture)
    deciding_s = time.monotonic() - began - SETTLE_S
    degrees = round(math.degrees(float(np.median(off))), 1)
    seen = f"I saw it in {len(off)} of {sightings.pictures} pictures, mostly within {degrees:.0f} degrees"
    return {
        "status": "success",
        "message": f"I followed a face as I practised. {seen}. {policy.told()}".strip(),
        "found": True,
        "pictures": sightings.pictures,
        "seen": len(off),
        "median_degrees": degrees,
        **decision_figures(policy, deciding_s),
    }
