"""What tools do with the body: wake it, move it, and end the movement when the call ends early.

A call that is cancelled (a newer command came, it took too long) must not leave its movement behind: whatever moves the
robot does so within `acting`. `Acts` knows all that are under way, so that `stop` ends the calls too, not only the
movement: else the next step of one of them would set the robot going again.
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

USUAL_S: dict[Speed, float] = {"slow": 2.0, "normal": 1.0, "fast": 0.5}
DEGREES_PER_S: dict[Speed, float] = {"slow": 30.0, "normal": 60.0, "fast": 90.0}
"""For turns that would be too quick in the usual time."""
ENDING_S = 1.0


@dataclass(frozen=True, eq=False)
class Act:
    """Something a tool does with the body. `kind` is a move's kind in the repertoire, or `pose`."""

    what: str
    kind: str
    task: asyncio.Task[Any]

    @property
    def over(self) -> bool:
        """Whether it has come to its own end."""
        return self.task.done() and not self.task.cancelled()


class Acts:
    """Those under way, for one robot."""

    def __init__(self) -> None:
        self._acts: set[Act] = set()

    @classmethod
    def of(cls, parts: Parts) -> Acts:
        acts: Acts = parts.extra.setdefault("acts", cls())
        return acts

    @contextlib.contextmanager
    def under_way(self, act: Act) -> Any:
        self._acts.add(act)
        try:
            yield
        finally:
            # The gate cancels whoever has the body and only then runs `stop`, which tells what it was that ended: one
            # turn of the loop later, an act is still known.
            asyncio.get_running_loop().call_soon(self._acts.discard, act)

    def end(self, why: str, kinds: Collection[str] | None = None) -> list[Act]:
        """Cancel them, or those of these kinds; at once, without waiting. Returns which."""
        ended = [act for act in self._acts if not act.over and (kinds is None or act.kind in kinds)]
        for act in ended:
            act.task.cancel(why)
        return ended


async def ended(acts: Sequence[Act]) -> None:
    """Until they have."""
    if acts:
        await asyncio.wait([act.task for act in acts], timeout=ENDING_S)


@contextlib.asynccontextmanager
async def acting(ctx: Context, what: str, kind: str = "pose") -> AsyncIterator[Motion]:
    """The robot, for one act. When that is cancelled, so is the movement."""
    motion = ctx.motion
    task = asyncio.current_task()
    assert task is not None
    with Acts.of(ctx.parts).under_way(Act(what, kind, task)):
        try:
            yield motion
        except asyncio.CancelledError:
            motion.clear()
            raise


def unhurried(start: Pose, target: Pose, speed: Speed) -> float:
    """How many seconds it takes at this speed."""
    turn = max(abs(target.yaw - start.yaw), abs(target.body_yaw - start.body_yaw))
    return max(USUAL_S[speed], math.degrees(turn) / DEGREES_PER_S[speed])


async def go(
    ctx: Context, what: str, wish: Callable[[Pose], Pose], *, duration: float | None = None, speed: Speed = "normal"
) -> Arrival:
    """To where `wish` says, given where the robot is, as far as it can; who asks a sleeping robot wants it awake.

    `wish` may raise for what can't be done at all: that does not wake it.
    """
    async with acting(ctx, what) as motion:
        state = motion.state
        wish((state.command if state.engaged else state.pose) if motion.awake else AWAKE)
        await motion.wake()
        # On what was commanded, not on what was measured: the sag of every call would add up.
        start = motion.state.command
        target = wish(start)
        arrival = await motion.goto(target, duration or unhurried(start, target, speed), clamp=True)
    announce(ctx, what, arrival)
    return arrival


def announce(ctx: Context, what: str, arrival: Arrival) -> None:
    """Tell everybody who listens that the robot has moved."""
    ctx.parts.bus.publish(RobotMoved(command=what, measured=arrival.state.pose.in_degrees()))


def position(pose: Pose) -> dict[str, float]:
    """Where the head and the body are, in degrees and millimetres."""
    values = pose.in_degrees()
    return {name: values[name] for name in ("pitch", "yaw", "roll", "z_mm", "body_yaw")}


def antennas(pose: Pose) -> dict[str, float]:
    """How far each leans outwards: 0 is straight up, 90 level."""
    values = pose.in_degrees()
    return {"left": values["antenna_left"], "right": -values["antenna_right"]}


def given_way(clamped: Sequence[Clamped]) -> list[dict[str, str | float]]:
    """What had to give; of a recorded move only which axes did."""
    return [clamp.as_dict() if math.isfinite(clamp.asked) else {"axis": clamp.axis} for clamp in clamped]


def and_no_further(clamped: Sequence[Clamped]) -> str:
    """The same as a sentence to add to others; empty when nothing had to."""
    lost = [clamp.as_dict() for clamp in clamped if math.isfinite(clamp.asked)]
    if not lost:
        return ""
    each = ", ".join(
        f"{str(c['axis']).replace('_', ' ')} {c['given']:.0f} instead of {c['asked']:.0f} {c['unit']}" for c in lost
    )
    return f" That is as far as I can go: {each}."
