"""The program of the skill `look_at`: turn the head until the camera points at a thing."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from reachy_mind.learning.environments.bodies import Array
from reachy_mind.learning.environments.gaze import BEARING_SCALE, PITCH, camera_bearing, in_view
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW, SUCCESS
from reachy_mind.learning.environments.task import Observations
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.aimed_result import aimed_result
from reachy_mind.learning.policies.programs.gaze_episode import SETTLE_S, Locate, Sightings, gaze_episode
from reachy_mind.learning.policies.programs.robot_pose import SkillRobot, head_transform
from reachy_mind.motion.limits import YAW

LOOK_HORIZON = 12
"""Decisions of one attempt, as in training."""
ATTEMPTS = 3
LOOKS = ((0.0, 0.3), (1.0, 0.3), (-1.0, 0.3))
"""Yaw and pitch of the head when the thing is not in view."""
BESIDE_BODY = 0.4


def look_at_observation(pose: Array, place: Array, visible: bool, time_left: float) -> Observations:
    """As the task has it: a thing that is not seen keeps its bearing."""
    left, up, _, far = camera_bearing(pose, place)
    seen = in_view(left, up) & visible
    columns = (
        left / BEARING_SCALE,
        up / BEARING_SCALE,
        seen.astype(np.float64),
        np.where(seen, far, 0.0),
        pose[:, YAW] / MOST_YAW,
        -pose[:, PITCH] / MOST_PITCH,
        np.array([time_left]),
    )
    return np.stack(columns, axis=1).astype(np.float32)


async def search_around(robot: SkillRobot, sightings: Sightings) -> bool:
    """Turn to either side until the thing is in view; whether it is."""
    for yaw, pitch in LOOKS:
        aside = max(abs(yaw) - BESIDE_BODY, 0.0) * (1.0 if yaw > 0 else -1.0)
        head = head_transform(np.array([[0.0, 0.0, 0.0, 0.0, pitch, yaw]]))
        await robot.async_goto_target(head=head, duration=0.9, body_yaw=aside)
        if await sightings.look():
            return True
    return False


async def look_at_thing(robot: SkillRobot, locate: Locate, policy: GuardedPolicy, thing: str) -> dict[str, Any]:
    """Look at a thing, and say how that went."""
    if not thing.strip():
        return {"status": "error", "message": "Tell me what to look at."}
    robot.wake_up()
    sightings, near, deciding_s = Sightings(robot, locate, thing.strip()), 0, 0.0
    if not await sightings.look() and not await search_around(robot, sightings):
        return {
            "status": "success",
            "arrived": False,
            "found": False,
            "message": f"I see no {thing.strip()} from here.",
        }

    def is_over(pose: Array) -> bool:
        nonlocal near
        near = near + 1 if camera_bearing(pose, sightings.place)[2][0] < SUCCESS else 0
        return near == 2

    def observe(pose: Array, time_left: float) -> Observations:
        return look_at_observation(pose, sightings.place, sightings.visible, time_left)

    for _ in range(ATTEMPTS):
        began = time.monotonic()
        await gaze_episode(robot, sightings, policy, observe, is_over, LOOK_HORIZON, LOOK_HORIZON)
        deciding_s += time.monotonic() - began - SETTLE_S
        if await sightings.look() and sightings.off < SUCCESS:
            break
    return aimed_result(sightings, policy, deciding_s)
