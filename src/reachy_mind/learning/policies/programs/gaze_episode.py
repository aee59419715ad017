"""`gaze_episode`: ten decisions a second turn the head, while the camera takes pictures as quickly as it can."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from reachy_mind.learning.environments.bodies import DECISION_S, Array
from reachy_mind.learning.environments.gaze import turned
from reachy_mind.learning.environments.task import Observations
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.robot_pose import SkillRobot, measured_pose, send_pose

SETTLE_S = 0.5

Locate = Callable[[str], Awaitable[dict[str, Any] | None]]
Observe = Callable[[Array, float], Observations]
"""What the policy sees, for a pose (1, 9) and the share of time that is left."""


class Sightings:
    """Pictures of one thing: where it was seen last, and whether the last picture shows it.

    `off`: radians between the camera's axis and the thing in the last picture that shows it; `pose`: of the robot when
    the last picture was asked for.
    """

    def __init__(self, robot: SkillRobot, locate: Locate, thing: str) -> None:
        self._robot, self._locate, self._thing = robot, locate, thing
        self.name, self.visible, self.off, self.pictures = thing, False, math.pi, 0
        self.place: Array = np.zeros((1, 3))
        self.pose: Array = np.zeros((1, 9))
        self.seen_at = -math.inf

    async def look(self) -> bool:
        """Take a picture; whether it shows the thing."""
        self.pose, asked_at = measured_pose(self._robot), time.monotonic()
        seen = await self._locate(self._thing)
        self.pictures += 1
        self.visible = seen is not None
        if seen is not None:
            self.name, self.place, self.seen_at = str(seen["name"]), np.array([seen["place"]]), asked_at
            self.off = math.acos(math.cos(seen["left"]) * math.cos(seen["up"]))
        return self.visible

    async def keep_looking(self, after: Callable[[], None]) -> None:
        """Take pictures until it is cancelled; `after` each of them."""
        while True:
            await self.look()
            after()


async def gaze_episode(
    robot: SkillRobot,
    sightings: Sightings,
    policy: GuardedPolicy,
    observe: Observe,
    is_over: Callable[[Array], bool],
    decisions: int,
    horizon: int,
    after_picture: Callable[[], None] = lambda: None,
) -> None:
    """Decide so many times at most, or until it is over; then be still. `horizon`: decisions of an episode in training,
    after which its time begins anew."""
    target, due = measured_pose(robot), time.monotonic()
    looking = asyncio.ensure_future(sightings.keep_looking(after_picture))
    try:
        for decision in range(decisions):
            pose = measured_pose(robot)
            if is_over(pose) or looking.done():
                break
            seen = observe(pose, 1.0 - decision % horizon / horizon)
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
