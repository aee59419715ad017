"""Movement for tools: wake the robot, move it, and end the movement when the call ends early.

A cancelled call (a newer command, a timeout) must not leave its movement running: tools move the robot only within
`moving`. `RunningMovements` knows the calls that move, so that `stop` cancels them too: else the next step of one of
them would move the robot again.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reachy_mind.body.limits import Clamped
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.events import RobotMoved
from reachy_mind.motion.library.gestures import Speed

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival, Motion
    from reachy_mind.tools.context import Context, Parts

DURATION_S: dict[Speed, float] = {"slow": 2.0, "normal": 1.0, "fast": 0.5}
DEGREES_PER_S: dict[Speed, float] = {"slow": 30.0, "normal": 60.0, "fast": 90.0}
"""For large turns, which would be too fast in the default duration."""
CANCEL_TIMEOUT_S = 1.0


@dataclass(frozen=True, eq=False)
class RunningMovement:
    """A movement of a tool call. `kind` is a move's kind in the repertoire, or `pose`."""

    what: str
    kind: str
    task: asyncio.Task[Any]

    @property
    def over(self) -> bool:
        """Whether it ended by itself."""
        return self.task.done() and not self.task.cancelled()


class RunningMovements:
    """The running movements of one robot."""

    def __init__(self) -> None:
        self._movements: set[RunningMovement] = set()

    @classmethod
    def of(cls, parts: Parts) -> RunningMovements:
        movements: RunningMovements = parts.extra.setdefault("running_movements", cls())
        return movements

    @contextlib.contextmanager
    def registered(self, movement: RunningMovement) -> Any:
        self._movements.add(movement)
        try:
            yield
        finally:
            # The gate cancels the holder of the body before it runs `stop`, which reports what it ended. So a movement
            # stays registered for one more turn of the event loop.
            asyncio.get_running_loop().call_soon(self._movements.discard, movement)

    def end(self, why: str, kinds: Collection[str] | None = None) -> list[RunningMovement]:
        """Cancel all movements, or those of `kinds`, without waiting. Returns the cancelled ones."""
        ended = [
            movement for movement in self._movements if not movement.over and (kinds is None or movement.kind in kinds)
        ]
        for movement in ended:
            movement.task.cancel(why)
        return ended


async def wait_ended(movements: Sequence[RunningMovement]) -> None:
    """Wait for cancelled movements to end, up to a timeout."""
    if movements:
        await asyncio.wait([movement.task for movement in movements], timeout=CANCEL_TIMEOUT_S)


@contextlib.asynccontextmanager
async def moving(ctx: Context, what: str, kind: str = "pose") -> AsyncIterator[Motion]:
    """The robot's motion, for one movement. A cancelled call ends its movement."""
    motion = ctx.motion
    task = asyncio.current_task()
    assert task is not None
    with RunningMovements.of(ctx.parts).registered(RunningMovement(what, kind, task)):
        try:
            yield motion
        except asyncio.CancelledError:
            motion.clear()
            raise


def travel_time_s(start: Pose, target: Pose, speed: Speed) -> float:
    """Seconds for a movement at this speed."""
    turn = max(abs(target.yaw - start.yaw), abs(target.body_yaw - start.body_yaw))
    return max(DURATION_S[speed], math.degrees(turn) / DEGREES_PER_S[speed])


async def move_to(
    ctx: Context,
    what: str,
    target_of: Callable[[Pose], Pose],
    *,
    duration: float | None = None,
    speed: Speed = "normal",
) -> Arrival:
    """Wake the robot and move to `target_of(current pose)`, clamped to its reach.

    `target_of` may raise for a target that can't be reached at all, before the robot wakes.
    """
    async with moving(ctx, what) as motion:
        state = motion.state
        target_of((state.command if state.engaged else state.pose) if motion.awake else AWAKE)
        await motion.wake()
        # From the commanded pose, not the measured one: else the sag of every call would add up.
        start = motion.state.command
        target = target_of(start)
        arrival = await motion.goto(target, duration or travel_time_s(start, target, speed), clamp=True)
    announce(ctx, what, arrival)
    return arrival


def announce(ctx: Context, what: str, arrival: Arrival) -> None:
    """Publish that the robot has moved."""
    ctx.parts.bus.publish(RobotMoved(command=what, measured=arrival.state.pose.in_degrees()))


def position(pose: Pose) -> dict[str, float]:
    """The position of head and body, in degrees and millimetres."""
    values = pose.in_degrees()
    return {name: values[name] for name in ("pitch", "yaw", "roll", "z_mm", "body_yaw")}


def antennas(pose: Pose) -> dict[str, float]:
    """How far each leans outwards: 0 is straight up, 90 level."""
    values = pose.in_degrees()
    return {"left": values["antenna_left"], "right": -values["antenna_right"]}


def clamped_axes(clamped: Sequence[Clamped]) -> list[dict[str, str | float]]:
    """What was clamped; of a recorded move only the axes."""
    return [clamp.as_dict() if math.isfinite(clamp.asked) else {"axis": clamp.axis} for clamp in clamped]


def clamp_sentence(clamped: Sequence[Clamped]) -> str:
    """What was clamped, as a sentence to append; empty when nothing was."""
    lost = [clamp.as_dict() for clamp in clamped if math.isfinite(clamp.asked)]
    if not lost:
        return ""
    each = ", ".join(
        f"{str(c['axis']).replace('_', ' ')} {c['given']:.0f} instead of {c['asked']:.0f} {c['unit']}" for c in lost
    )
    return f" That is as far as I can go: {each}."
