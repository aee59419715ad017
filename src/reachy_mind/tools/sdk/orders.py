"""`MovementOrders`: what one call, or one run of sandboxed code, does to the robot, in the main event loop.

Plain movement uses the body lock of the gated call, taken at the first movement, so that code that only fetches
something blocks nobody; the acts of each movement are checked first (`Context.permit`). An action with a permission of
its own (sleep, motors, head tracking) is a nested tool call through the gate.

Orders run one after the other. After the first failure, for example a stop, every further order is refused for the
same reason.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import InvalidParameter, MindError, RobotBusy
from reachy_mind.events import RobotMoved
from reachy_mind.motion.moves import MAX_DURATION_S, Frames, Goto
from reachy_mind.tools.acts import MOTORS_ON, Act, acts_of_target
from reachy_mind.tools.builtin.movement import RunningMovement, RunningMovements
from reachy_mind.tools.definition import Outcome, ToolError

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival, Motion
    from reachy_mind.tools.body_lock import Hold
    from reachy_mind.tools.context import Context

MAX_QUEUED_MOVES = 200


class MovementOrders:
    """Created in the task that a stop has to end: of a call, a background task or a run."""

    def __init__(self, ctx: Context, hold: Hold, tool: str) -> None:
        self.ctx, self.hold, self.tool = ctx, hold, tool
        self.arrives: Pose | None = None
        """Where the last ordered move ends."""
        self._origin: Pose | None = None
        self._task = asyncio.current_task()
        self._order_lock = asyncio.Lock()
        self._orders: set[asyncio.Future[Any]] = set()
        self._plays: list[asyncio.Future[Arrival]] = []
        self._failed: MindError | None = None
        self._over = self._moved = self._waking = False
        self._lease, self._registrations = contextlib.ExitStack(), contextlib.ExitStack()
        self._kinds: set[str] = set()
        self._permitted: set[Act] = set()
        self._send: Callable[[Pose], None] | None = None

    @property
    def motion(self) -> Motion:
        """The robot. Raises NotReady without one, RobotBusy when the call has ended, and the first order's failure."""
        if self._failed is not None:
            raise self._failed
        if self._over:
            raise RobotBusy("this call has ended", hint="a call moves the robot only while it lasts")
        return self.ctx.motion

    @property
    def over(self) -> bool:
        """Whether the call has ended."""
        return self._over

    def start_pose(self) -> Pose:
        """The pose from which the next order starts."""
        motion = self.motion
        return self.arrives or (motion.state.command if motion.awake else AWAKE)

    def acts_to(self, before: Pose, *targets: Pose) -> frozenset[Act]:
        """The acts of movements to these poses. Many small steps are what they add up to since the first order."""
        self._origin = self._origin or before
        origin = self._origin
        return frozenset().union(*(acts_of_target(one, to) for to in targets for one in {before, origin}))

    def require_room(self, move: Goto | Frames) -> None:
        """Raises InvalidParameter when too many moves are queued or one is too long, and what `motion` raises."""
        self.motion.state  # noqa: B018 -- raises while there is no robot
        if len(self._plays) >= MAX_QUEUED_MOVES or move.duration > MAX_DURATION_S:
            hint = f"at most {MAX_QUEUED_MOVES} moves at a time, each up to {MAX_DURATION_S:g} s"
            raise InvalidParameter(f"{self.tool} orders too many moves", hint=hint)

    async def perform(self, move: Goto | Frames, kind: str = "pose", acts: Collection[Act] = ()) -> None:
        """Queue a move with these acts, and wait until it has ended."""
        self.require_room(move)
        await (await self.play(move, kind, acts))

    async def goto(self, target: Pose, duration: float, axes: Collection[str]) -> None:
        """Move these axes to their values in `target`, and wait until they are there."""
        before = self.start_pose()
        wish = {axis: getattr(target, axis) for axis in axes}
        aim = replace(before, **wish)
        move = Goto(wish, duration)
        self.require_room(move)
        play = await self.play(move, "pose", self.acts_to(before, aim))
        self.arrives = aim
        await play

    async def play(
        self, move: Goto | Frames, kind: str = "pose", acts: Collection[Act] = ()
    ) -> asyncio.Future[Arrival]:
        """Queue a move with these acts. Returns the future of its end."""
        async with self._order_lock:
            await self._ready(kind, acts)
            self._end_stream()
            self._moved = True
            play = asyncio.ensure_future(self.motion.play(move, settle=False))
            self._plays.append(play)
            play.add_done_callback(self._on_done)
            await asyncio.sleep(0)  # let it be queued before the next one
            return play

    async def stream(self, target: Pose) -> None:
        """Follow a target pose from now on; for a stream of them."""
        async with self._order_lock:
            await self._ready("pose", self.acts_to(self.motion.state.command, target))
            if self._send is None:
                self._send = self._lease.enter_context(self.motion.teleoperate())
            self._send(target)
            self.arrives = target

    async def clear(self) -> None:
        """End all ordered moves, and whatever else plays."""
        self.motion.state  # noqa: B018 -- raises while there is no robot
        self.arrives = None
        async with self._order_lock:
            await self.hold.take()
            self._end_stream()
            self._plays.clear()  # cleared moves have not failed
            self.motion.clear()

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """Call another tool through the gate, after the orders so far. Returns its data. Raises ToolError."""
        async with self._order_lock:
            self.motion  # noqa: B018 -- raises after a failure
            self._end_stream()
            self.arrives = None
            return data_of(tool, await self.ctx.call(tool, **arguments))

    async def lend(self) -> None:
        """Take the body for another tool that moves as part of this call; a stream of targets ends."""
        async with self._order_lock:
            await self.hold.take()
            self._end_stream()
            self.arrives = None

    def schedule(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run an order without waiting for it; its failure is the failure of the call."""
        if self._over:
            work.close()
            return
        order = asyncio.ensure_future(work)
        self._orders.add(order)
        order.add_done_callback(self._on_done)

    async def wait_done(self) -> None:
        """Wait until all orders have ended. Raises the first failure."""
        while pending := [one for one in (*self._orders, *self._plays) if not one.done()]:
            await asyncio.wait(pending)
            await asyncio.sleep(0)  # let the callbacks of ended orders run
        if self._failed is not None:
            raise self._failed
        if self._moved:
            measured = self.motion.state.pose.in_degrees()
            self.ctx.parts.bus.publish(RobotMoved(command=self.tool, measured=measured))

    async def close(self) -> None:
        """End the call: its movement stops, its lease and its place among the running movements are given back."""
        self._over = True
        moving = self._waking or self._send is not None or any(not play.done() for play in self._plays)
        for one in (*self._orders, *self._plays):
            one.cancel()
        self._end_stream()
        self._registrations.close()
        if moving and self.ctx.parts.motion is not None:
            with contextlib.suppress(MindError):
                self.ctx.parts.motion.clear()

    async def permit(self, *acts: Act) -> None:
        """Check acts; each is asked about once. Raises Denied, NotConfirmed."""
        new = set(acts) - self._permitted
        if new:
            await self.ctx.permit(new)
            self._permitted |= new

    async def _ready(self, kind: str, acts: Collection[Act]) -> None:
        """Check the acts of a movement, take the body and wake the robot."""
        await self.permit(*acts, *(() if self.motion.awake else (MOTORS_ON,)))
        await self.hold.take()
        if kind not in self._kinds and self._task is not None:  # so that a stop ends the whole call
            self._kinds.add(kind)
            self._registrations.enter_context(
                RunningMovements.of(self.ctx.parts).registered(RunningMovement(self.tool, kind, self._task))
            )
        self._waking = True  # and stays so if that is cut short: `close` then ends it
        await self.motion.wake()
        self._waking = False

    def _end_stream(self) -> None:
        self._send = None
        self._lease.close()

    def _on_done(self, done: asyncio.Future[Any]) -> None:
        """Record the failure of an order or a move."""
        wanted = done in self._orders or done in self._plays  # not cleared
        self._orders.discard(done)
        self._plays = [play for play in self._plays if play is not done]
        error = None if done.cancelled() else done.exception()
        if error is not None and wanted and self._failed is None and not self._over:
            self._failed = error if isinstance(error, MindError) else ToolError("TOOL_FAILED", str(error))


def data_of(tool: str, outcome: Outcome) -> Any:
    """The data of a call that went well. Raises ToolError with the error of one that did not."""
    if outcome.status in ("ok", "started"):
        return outcome.data
    error = outcome.error or {}
    message = error.get("message", f"{tool} was {outcome.status}")
    raise ToolError(error.get("code", "CANCELLED"), message, hint=error.get("hint", ""))
