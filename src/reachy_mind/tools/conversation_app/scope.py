"""`Scope`: what a guest tool may do to the robot, from its own thread, during its call.

Orders come from the guest's thread and run in the main event loop, by the rules of `sdk.orders`. `ScopeTransport`
passes the calls of the SDK surface there.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Collection, Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import InvalidParameter, NotReady, RobotBusy
from reachy_mind.motion.moves import MAX_DURATION_S, Frames, Goto
from reachy_mind.tools.sdk.media_calls import MediaCalls
from reachy_mind.tools.sdk.orders import MAX_QUEUED_MOVES, MovementOrders
from reachy_mind.tools.sdk.robot_calls import RobotCalls

if TYPE_CHECKING:
    from reachy_mind.motion.client import Motion
    from reachy_mind.tools.acts import Act
    from reachy_mind.tools.body_lock import Hold
    from reachy_mind.tools.context import Context
    from reachy_mind.tools.conversation_app.threads import ToolThreads

current: ContextVar[Scope | None] = ContextVar("guest scope", default=None)
"""The scope of the running guest tool."""


class Scope:
    """Created in the main event loop for one call or one background task."""

    def __init__(self, ctx: Context, hold: Hold, threads: ToolThreads, tool: str) -> None:
        self.ctx, self.hold, self.threads, self.tool = ctx, hold, threads, tool
        self.loop = asyncio.get_running_loop()
        self.orders = MovementOrders(ctx, hold, tool)
        self._robot, self._media = RobotCalls(self.orders), MediaCalls(self.orders)
        self._methods = {**self._robot.methods, **self._media.methods}
        self.moving_s = 0.0
        """Duration of all ordered moves: added to the tool's timeout."""
        self._ordered = 0
        self._main_thread = threading.get_ident()
        self._waits: set[concurrent.futures.Future[Any]] = set()

    # From any thread

    @property
    def motion(self) -> Motion:
        """The robot. Raises NotReady without one, RobotBusy when the call has ended, and the first order's failure."""
        return self.orders.motion

    def order(self, move: Goto | Frames, kind: str = "pose", acts: Collection[Act] = ()) -> None:
        """Queue a move with these acts; does not wait. Raises InvalidParameter when the queue is full."""
        self._count(move)
        self._post(self.orders.play(move, kind, acts))

    def perform(self, move: Goto | Frames, kind: str = "pose", acts: Collection[Act] = ()) -> None:
        """Queue a move with these acts, and wait until it has ended."""
        self._count(move)
        self.wait(self.orders.perform(move, kind, acts))

    def clear(self) -> None:
        """End all ordered moves, and whatever else plays."""
        self.motion.state  # noqa: B018 -- raises while there is no robot
        self._post(self.orders.clear())

    def post(self, act: Callable[[], object]) -> None:
        """Run a function that needs no body in the main event loop."""
        self.loop.call_soon_threadsafe(act)

    def call(self, tool: str, /, **arguments: Any) -> None:
        """Call another tool through the gate, after the orders so far; does not wait."""
        self._post(self.orders.call(tool, **arguments))

    def sdk_call(self, method: str, args: dict[str, Any]) -> Any:
        """Answer one call of the SDK surface. Raises a MindError."""
        duration = args.get("duration")
        if isinstance(duration, int | float) and args.get("perform_movement", True):
            self._count_seconds(duration)
        return self.wait(self._methods[method].run(args))

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
        self.orders.require_room(move)
        self._ordered += 1
        self._count_seconds(move.duration)

    def _count_seconds(self, duration: float) -> None:
        if duration > 0:  # no NaN: the order itself refuses that
            self.moving_s += duration
        if self._ordered >= MAX_QUEUED_MOVES or self.moving_s > MAX_DURATION_S:
            hint = f"at most {MAX_QUEUED_MOVES} moves and {MAX_DURATION_S:g} s in one call"
            raise InvalidParameter(f"{self.tool} orders too many moves", hint=hint)

    def _post(self, work: Coroutine[Any, Any, Any]) -> None:
        self.loop.call_soon_threadsafe(self.orders.schedule, work)

    # In the main event loop

    async def wait_done(self) -> None:
        """Wait until all orders have ended. Raises the first failure."""
        await self.orders.wait_done()

    async def close(self) -> None:
        """End the call: stop its movement and its sound, and release waiting threads."""
        for future in list(self._waits):
            future.cancel()
        await self.orders.close()
        await self._robot.close(keep_tracking=True)
        await self._media.close()


class ScopeTransport:
    """The transport of the SDK surface in this process: to the scope of the running call, else to a given one."""

    def __init__(self, scope: Scope | None = None) -> None:
        self._scope = scope

    @property
    def scope(self) -> Scope:
        """Raises NotReady outside of a call."""
        found = current.get() or self._scope
        if found is None:
            raise NotReady("no tool is being called here", hint="use the robot within the call of a tool")
        return found

    def call(self, method: str, args: dict[str, Any]) -> Any:
        return self.scope.sdk_call(method, args)

    async def acall(self, method: str, args: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self.scope.sdk_call, method, args)
