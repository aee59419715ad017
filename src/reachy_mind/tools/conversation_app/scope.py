"""`Scope`: what a guest tool may do to the robot, from its own thread, during its call.

Plain movement uses the body lock of the gated call, taken at the first movement, so that a tool that only fetches
something blocks nobody; the acts of each movement are checked first (`Context.permit`). An action with a permission of
its own (sleep, motors, head tracking) is a nested tool call through the gate.

Orders come from the guest's thread and run one after the other in the main event loop. After the first failure, for
example a stop, every further order is refused for the same reason.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Collection, Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from reachy_mind.body.pose import Pose
from reachy_mind.errors import InvalidParameter, MindError, RobotBusy
from reachy_mind.events import RobotMoved
from reachy_mind.motion.moves import MAX_DURATION_S, Frames, Goto
from reachy_mind.tools.acts import MOTORS_ON, Act, acts_of_target
from reachy_mind.tools.builtin.movement import RunningMovement, RunningMovements
from reachy_mind.tools.definition import ToolError

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival, Motion
    from reachy_mind.tools.body_lock import Hold
    from reachy_mind.tools.context import Context
    from reachy_mind.tools.conversation_app.threads import ToolThreads

MAX_QUEUED_MOVES = 200

current: ContextVar[Scope | None] = ContextVar("guest scope", default=None)
"""The scope of the running guest tool."""


class Scope:
    """Created in the main event loop for one call or one background task."""

    def __init__(self, ctx: Context, hold: Hold, threads: ToolThreads, tool: str) -> None:
        self.ctx, self.hold, self.threads, self.tool = ctx, hold, threads, tool
        self.loop = asyncio.get_running_loop()
        self.moving_s = 0.0
        """Duration of all ordered moves: added to the tool's timeout."""
        self.arrives: Pose | None = None
        """Where the last ordered move ends."""
        self._main_thread, self._task = threading.get_ident(), asyncio.current_task()
        self._order_lock = asyncio.Lock()
        self._orders: set[asyncio.Future[Any]] = set()
        self._plays: list[asyncio.Future[Arrival]] = []
        self._waits: set[concurrent.futures.Future[Any]] = set()
        self._failed: MindError | None = None
        self._over = False
        self._lease, self._registrations = contextlib.ExitStack(), contextlib.ExitStack()
        self._kinds: set[str] = set()
        self._send: Callable[[Pose], None] | None = None
        self._target: Pose | None = None

    # From any thread

    @property
    def motion(self) -> Motion:
        """The robot. Raises NotReady without one, RobotBusy when the call has ended, and the first order's failure."""
        if self._failed is not None:
            raise self._failed
        if self._over:
            raise RobotBusy("this call has ended", hint="a call moves the robot only while it lasts")
        return self.ctx.motion

    def order(self, move: Goto | Frames, kind: str = "pose", acts: Collection[Act] = ()) -> None:
        """Queue a move with these acts; does not wait. Raises InvalidParameter when the queue is full."""
        self._count(move)
        self._post(self._play(move, kind, acts))

    def perform(self, move: Goto | Frames, kind: str = "pose", acts: Collection[Act] = ()) -> None:
        """Queue a move with these acts, and wait until it has ended."""
        self._count(move)

        async def through() -> None:
            await (await self._play(move, kind, acts))

        self.wait(through())

    def target(self, pose: Pose) -> None:
        """Stream a target pose; the latest wins."""
        scheduled = self._target is not None
        _, self._target, self.arrives = self.motion, pose, pose
        if not scheduled:
            self._post(self._stream())

    def clear(self) -> None:
        """End all ordered moves, and whatever else plays."""
        self.motion.state  # noqa: B018 -- raises while there is no robot
        self.arrives = None
        self._post(self._clear())

    def post(self, act: Callable[[], object]) -> None:
        """Run a function that needs no body in the main event loop."""
        self.loop.call_soon_threadsafe(act)

    def call(self, tool: str, /, **arguments: Any) -> None:
        """Call another tool through the gate, after the orders so far; does not wait."""
        self._post(self._call(tool, arguments))

    def call_and_wait(self, tool: str, /, **arguments: Any) -> None:
        """As `call`, and wait for its end. Raises ToolError."""
        self.wait(self._call(tool, arguments))

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the main event loop, and wait for it."""
        if threading.get_ident() == self._main_thread:
            work.close()
            raise RobotBusy(
                "a guest tool waits in the main thread", hint="this is a bug of Reachy Mind: please report it"
            )
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        self._waits.add(future)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise RobotBusy("this call has ended") from None
        finally:
            self._waits.discard(future)

    def _count(self, move: Goto | Frames) -> None:
        self.motion.state  # noqa: B018 -- raises while there is no robot
        self.moving_s += move.duration
        if len(self._plays) >= MAX_QUEUED_MOVES or self.moving_s > MAX_DURATION_S:
            hint = f"at most {MAX_QUEUED_MOVES} moves and {MAX_DURATION_S:g} s in one call"
            raise InvalidParameter(f"{self.tool} orders too many moves", hint=hint)

    def _post(self, work: Coroutine[Any, Any, Any]) -> None:
        def begin() -> None:
            if self._over:
                work.close()
                return
            order = asyncio.ensure_future(work)
            self._orders.add(order)
            order.add_done_callback(self._on_done)

        self.loop.call_soon_threadsafe(begin)

    # In the main event loop

    async def wait_done(self) -> None:
        """Wait until all orders have ended. Raises the first failure."""
        while pending := [one for one in (*self._orders, *self._plays) if not one.done()]:
            await asyncio.wait(pending)
            await asyncio.sleep(0)  # let the callbacks of ended orders run
        if self._failed is not None:
            raise self._failed
        if self._plays:
            measured = self.motion.state.pose.in_degrees()
            self.ctx.parts.bus.publish(RobotMoved(command=self.tool, measured=measured))

    async def close(self) -> None:
        """End the call: stop its movement, and release waiting threads."""
        self._over = True
        for future in list(self._waits):
            future.cancel()
        moving = any(not play.done() for play in self._plays) or self._send is not None
        for one in (*self._orders, *self._plays):
            one.cancel()
        self._end_stream()
        self._registrations.close()
        if moving and self.ctx.parts.motion is not None:
            with contextlib.suppress(MindError):
                self.ctx.parts.motion.clear()

    async def _ready(self, kind: str, acts: Collection[Act]) -> None:
        """Check the acts of a movement, take the body and wake the robot."""
        motors = () if self.motion.awake else (MOTORS_ON,)
        await self.ctx.permit((*acts, *motors))
        await self.hold.take()
        if kind not in self._kinds and self._task is not None:  # so that a stop ends the whole call
            self._kinds.add(kind)
            self._registrations.enter_context(
                RunningMovements.of(self.ctx.parts).registered(RunningMovement(self.tool, kind, self._task))
            )
        await self.motion.wake()

    async def _play(self, move: Goto | Frames, kind: str, acts: Collection[Act]) -> asyncio.Future[Arrival]:
        async with self._order_lock:
            await self._ready(kind, acts)
            self._end_stream()
            play = asyncio.ensure_future(self.motion.play(move))
            self._plays.append(play)
            play.add_done_callback(self._on_done)
            await asyncio.sleep(0)  # let it be queued before the next one
            return play

    async def _stream(self) -> None:
        async with self._order_lock:
            target, self._target = self._target, None
            await self._ready("pose", acts_of_target(self.motion.state.command, target) if target is not None else ())
            if self._send is None:
                self._send = self._lease.enter_context(self.motion.teleoperate())
            if target is not None and self._send is not None:
                self._send(target)

    async def _clear(self) -> None:
        async with self._order_lock:
            await self.hold.take()
            self._end_stream()
            self._plays.clear()  # cleared moves have not failed
            self.motion.clear()

    async def _call(self, tool: str, arguments: dict[str, Any]) -> None:
        async with self._order_lock:
            outcome = await self.ctx.call(tool, **arguments)
        if outcome.status not in ("ok", "started"):
            error = outcome.error or {}
            raise ToolError(error.get("code", "CANCELLED"), error.get("message", f"{tool} was {outcome.status}"))

    def _end_stream(self) -> None:
        self._send = None
        self._lease.close()

    def _on_done(self, done: asyncio.Future[Any]) -> None:
        """Record the failure of an order or a move."""
        wanted = done in self._orders or done in self._plays  # not cleared
        self._orders.discard(done)
        error = None if done.cancelled() else done.exception()
        if error is not None and wanted and self._failed is None and not self._over:
            self._failed = error if isinstance(error, MindError) else ToolError("TOOL_FAILED", str(error))
