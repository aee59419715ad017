"""The program of the skill `find_object`: look around for a thing, then point the camera at it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from reachy_mind.learning.environments.bodies import Array
from reachy_mind.learning.environments.find_object import FARTHEST
from reachy_mind.learning.environments.gaze import BEARING_SCALE, HALF_VIEW, PITCH, camera_bearing
from reachy_mind.learning.environments.look_at import MOST_PITCH, SUCCESS
from reachy_mind.learning.environments.task import Observations
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.aimed_result import aimed_result, decision_figures
from reachy_mind.learning.policies.programs.gaze_episode import SETTLE_S, Locate, Sightings, gaze_episode
from reachy_mind.learning.policies.programs.robot_pose import SkillRobot
from reachy_mind.motion.limits import YAW

FIND_HORIZON = 50
"""Decisions of one attempt, as in training."""
FIND_ATTEMPTS = 2


class SearchedSides:
    """How far the view has reached to either side, and which side is searched now (left 1, right -1)."""

    def __init__(self, side: float) -> None:
        self.side = side
        self.reached = np.full(2, HALF_VIEW[0])

    def note_picture(self, pose: Array, found: bool) -> None:
        """A picture was taken in this pose."""
        yaw = float(pose[0, YAW])
        now = np.clip(np.array([yaw, -yaw]) + HALF_VIEW[0], 0.0, FARTHEST)
        self.reached = np.maximum(self.reached, now)
        whole = self.reached >= FARTHEST
        if whole[0 if self.side > 0 else 1]:
            self.side = -self.side
        if whole.all() and not found:  # in vain: it begins anew, for the detector may have missed it
            self.reached = now

    @property
    def left_to_search(self) -> float:
        return 1.0 - float(self.reached[0 if self.side > 0 else 1]) / FARTHEST


def find_observation(
    pose: Array, place: Array, found: bool, visible: bool, sides: SearchedSides, time_left: float
) -> Observations:
    """As the task has it."""
    left, up, _, _ = camera_bearing(pose, place)
    columns = (
        left[0] / BEARING_SCALE if found else 0.0,
        up[0] / BEARING_SCALE if found else 0.0,
        float(found),
        float(visible),
        sides.side,
        sides.left_to_search,
        -pose[0, PITCH] / MOST_PITCH,
        time_left,
    )
    return np.array([columns], np.float32)


async def find_thing(robot: SkillRobot, locate: Locate, policy: GuardedPolicy, thing: str) -> dict[str, Any]:
    """Look around for a thing, look at it, and say how that went."""
    if not thing.strip():
        return {"status": "error", "message": "Tell me what to find."}
    robot.wake_up()
    sightings, deciding_s = Sightings(robot, locate, thing.strip()), 0.0
    found = await sightings.look()
    at_once, sides = found, SearchedSides(1.0 if sightings.pose[0, YAW] >= 0 else -1.0)

    def after_picture() -> None:
        nonlocal found
        found = found or sightings.visible
        sides.note_picture(sightings.pose, found)

    def is_over(pose: Array) -> bool:
        return sightings.visible and bool(camera_bearing(pose, sightings.place)[2][0] < SUCCESS)

    def observe(pose: Array, time_left: float) -> Observations:
        return find_observation(pose, sightings.place, found, sightings.visible, sides, time_left)

    for _ in range(FIND_ATTEMPTS):
        began = time.monotonic()
        await gaze_episode(robot, sightings, policy, observe, is_over, FIND_HORIZON, FIND_HORIZON, after_picture)
        deciding_s += time.monotonic() - began - SETTLE_S
        if await sightings.look() and sightings.off < SUCCESS:
            break
        found = found or sightings.visible
    if not found and not sightings.visible:
        message = f"I looked around and found no {thing.strip()}. {policy.told()}".strip()
        missing = {"status": "success", "message": message, "arrived": False, "found": False}
        return missing | decision_figures(policy, deciding_s)
    return aimed_result(sightings, policy, deciding_s) | {"searched": not at_once}
