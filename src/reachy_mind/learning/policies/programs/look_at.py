"""The program of the skill `look_at`: ten decisions a second turn the head until the camera points at a thing."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from reachy_mind.learning.environments.bodies import DECISION_S, Array
from reachy_mind.learning.environments.gaze import BEARING_SCALE, PITCH, camera_bearing, in_view, turned
from reachy_mind.learning.environments.look_at import MOST_PITCH, MOST_YAW, SUCCESS
from reachy_mind.learning.environments.task import Observations
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.robot_pose import SkillRobot, head_transform, measured_pose, send_pose
from reachy_mind.motion.limits import YAW

HORIZON = 12
"""Decisions of one attempt, as in training."""
ATTEMPTS = 3
SETTLE_S = 0.5
LOOKS = ((0.0, 0.3), (1.0, 0.3), (-1.0, 0.3))
"""Yaw and pitch of the head when the thing is not in view."""
BESIDE_BODY = 0.4

Locate = Callable[[str], Awaitable[dict[str, Any] | None]]


class ThingWatch:
    """Keeps looking at a thing while the head turns: where it was seen last, and whether the last picture shows it."""

    def __init__(self, locate: Locate, thing: str) -> None:
        self._locate, self._thing = locate, thing
        self.name, self.visible, self.off = thing, False, math.pi
        self.place: Array = np.zeros((1, 3))

    async def look(self) -> bool:
        """Take a picture; whether it shows the thing. `off`: radians from the camera's axis to it."""
        seen = await self._locate(self._thing)
        self.visible = seen is not None
        if seen is not None:
            self.name, self.place = str(seen["name"]), np.array([seen["place"]])
            self.off = math.acos(math.cos(seen["left"]) * math.cos(seen["up"]))
        return self.visible

    async def keep_looking(self) -> None:
        while True:
            await self.look()


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


async def search_around(robot: SkillRobot, watch: ThingWatch) -> bool:
    """Turn to either side until the thing is in view; whether it is."""
    for yaw, pitch in LOOKS:
        aside = max(abs(yaw) - BESIDE_BODY, 0.0) * (1.0 if yaw > 0 else -1.0)
        head = head_transform(np.array([[0.0, 0.0, 0.0, 0.0, pitch, yaw]]))
        await robot.async_goto_target(head=head, duration=0.9, body_yaw=aside)
        if await watch.look():
            return True
    return False


async def attempt_look(robot: SkillRobot, watch: ThingWatch, policy: GuardedPolicy) -> None:
    """One episode: decide ten times a second until the camera points at the thing, twice in a row; then be still."""
    target, near, due = measured_pose(robot), 0, time.monotonic()
    looking = asyncio.ensure_future(watch.keep_looking())
    try:
        for decision in range(HORIZON):
            pose = measured_pose(robot)
            near = near + 1 if camera_bearing(pose, watch.place)[2][0] < SUCCESS else 0
            if near == 2 or looking.done():
                break
            seen = look_at_observation(pose, watch.place, watch.visible, 1.0 - decision / HORIZON)
            target = turned(policy.act(seen), target, pose)
            send_pose(robot, target)
            due = max(due + DECISION_S, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking
    for _ in range(round(SETTLE_S / DECISION_S)):
        send_pose(robot, target)
        await asyncio.sleep(DECISION_S)


async def look_at_thing(robot: SkillRobot, locate: Locate, policy: GuardedPolicy, thing: str) -> dict[str, Any]:
    """Look at a thing, and say how that went."""
    if not thing.strip():
        return {"status": "error", "message": "Tell me what to look at."}
    watch, deciding_s, arrived = ThingWatch(locate, thing.strip()), 0.0, False
    if not await watch.look() and not await search_around(robot, watch):
        return {"status": "success", "arrived": False, "found": False, "message": f"I see no {watch.name} from here."}
    for _ in range(ATTEMPTS):
        began = time.monotonic()
        await attempt_look(robot, watch, policy)
        deciding_s += time.monotonic() - began - SETTLE_S
        arrived = await watch.look() and watch.off < SUCCESS
        if arrived:
            break
    degrees = round(math.degrees(watch.off), 1)
    if arrived:
        told = f"I am looking at the {watch.name}, as I practised."
    elif watch.visible:
        told = f"I turned to the {watch.name}, but I am still {degrees:.0f} degrees beside it."
    else:
        told = f"I turned to the {watch.name}, but lost sight of it."
    return {
        "status": "success",
        "message": f"{told} {policy.told()}".strip(),
        "arrived": arrived,
        "found": True,
        "thing": watch.name,
        "decisions": policy.decisions,
        "fallbacks": policy.fallbacks,
        "remaining_degrees": degrees if watch.visible else None,
        "decisions_per_s": round(policy.decisions / deciding_s, 1) if policy.decisions else None,
    }
