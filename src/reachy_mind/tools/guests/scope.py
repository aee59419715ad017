"""`Scope`: what a guest tool may do to the robot, from its own thread, while its call lasts.

Plain movement plays under the body that the gated call itself holds: taken at the first movement, not before, so that
a tool which only fetches something stands in nobody's way. What is a tool of ours with a permission of its own (lying
down, motors, head tracking) is called through the gate, as part of the same call.

Orders come from the guest's thread and are carried out one after the other in the mind's event loop. The first that
fails, for example because somebody said stop, is the last one: everything after it is refused for the same reason.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from reachy_mind.body.pose import Pose
from reachy_mind.errors import InvalidParameter, MindError, RobotBusy
from reachy_mind.events import RobotMoved
from reachy_mind.motion.moves import LONGEST_S, Frames, Goto
from reachy_mind.tools.builtin.acting import Act, Acts
from reachy_mind.tools.definition import ToolError

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival, Motion
    from reachy_mind.tools.body import Hold
    from reachy_mind.tools.context import Context
    from reachy_mind.tools.guests.threads import Room

MOST_QUEUED = 200

current: ContextVar[Scope | None] = ContextVar("guest scope", default=None)
"""Of the guest that runs here."""


class Scope:
    """Made in the mind's event loop for one call, or for one task in the background."""

    def __init__(self, ctx: Context, hold: Hold, room: Room, tool: str) -> None:
        self.ctx, self.hold, self.room, self.tool = ctx, hold, room, tool
        self.loop = asyncio.get_running_loop()
        self.moving_s = 0.0
        """How long all it ordered takes: no part of the time a tool may think."""
        self.arrives: Pose | None = None
        """Where the last move it ordered ends."""
        self._home, self._task = threading.get_ident(), asyncio.current_task()
        self._door = asyncio.Lock()
        self._orders: set[asyncio.Future[Any]] = set()
        self._plays: list[asyncio.Future[Arrival]] = []
        self._waits: set[concurrent.futures.Future[Any]] = set()
        self._failed: MindError | None = None
        self._over = False
        self._lease, self._acts = contextlib.ExitStack(), contextlib.ExitStack()
        self._kinds: set[str] = set()
        self._send: Callable[[Pose], None] | None = None
        self._wish: Pose | None = None

    # From any thread

    @property
    def motion(self) -> Motion:
        """The robot. Raises NotReady without one, RobotBusy when the call has ended, and what made an order fail."""
        if self._failed is not None:
            raise self._failed
        if self._over:
            raise RobotBusy("this call has ended", hint="a call moves the robot only while it lasts")
        return self.ctx.motion

    def order(self, move: Goto | Frames, kind: str = "pose") -> None:
        """Play a move after those before it; does not wait. Raises InvalidParameter when it is too much."""
        self._count(move)
        self._post(self._play(move, kind))

    def perform(self, move: Goto | Frames, kind: str = "pose") -> None:
        """Play a move and wait until it has ended."""
        self._count(move)

        async def through() -> None:
            await (await self._play(move, kind))

        self.wait(through())

    def target(self, pose: Pose) -> None:
        """Follow this pose from now on; of many, the latest counts."""
        scheduled = self._wish is not None
        _, self._wish, self.arrives = self.motion, pose, pose
        if not scheduled:
            self._post(self._stream())

    def clear(self) -> None:
        """End what it ordered so far, and whatever else plays."""
        self.motion.state  # noqa: B018 -- raises while there is no robot
        self.arrives = None
        self._post(self._clear())

    def tell(self, act: Callable[[], object]) -> None:
        """Something that needs no body, in the mind's event loop."""
        self.loop.call_soon_threadsafe(act)

    def call(self, tool: str, **arguments: Any) -> None:
        """Another tool, through the gate, after what was ordered so far; does not wait."""
        self._post(self._call(tool, arguments))

    def call_through(self, tool: str, **arguments: Any) -> None:
        """The same, until it has ended. Raises ToolError."""
        self.wait(self._call(tool, arguments))

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Have something done in the mind's event loop, and wait for it."""
        if threading.get_ident() == self._home:
            work.close()
            raise RobotBusy("a guest tool waits in the mind's own thread", hint="a bug of ours: please tell us")
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
        if len(self._plays) >= MOST_QUEUED or self.moving_s > LONGEST_S:
            hint = f"at most {MOST_QUEUED} moves and {LONGEST_S:g} s in one call"
            raise InvalidParameter(f"{self.tool} orders too many moves", hint=hint)

    def _post(self, work: Coroutine[Any, Any, Any]) -> None:
        def begin() -> None:
            if self._over:
                work.close()
                return
            order = asyncio.ensure_future(work)
            self._orders.add(order)
            order.add_done_callback(self._noted)

        self.loop.call_soon_threadsafe(begin)

    # In the mind's event loop

    async def settled(self) -> None:
        """Until everything ordered has ended. Raises the first thing that went wrong."""
        while pending := [one for one in (*self._orders, *self._plays) if not one.done()]:
            await asyncio.wait(pending)
            await asyncio.sleep(0)  # let what has ended be noted
        if self._failed is not None:
            raise self._failed
        if self._plays:
            measured = self.motion.state.pose.in_degrees()
            self.ctx.parts.bus.publish(RobotMoved(command=self.tool, measured=measured))

    async def close(self) -> None:
        """The end of the call: what still moves is ended, and whoever waits in a thread is let go."""
        self._over = True
        for future in list(self._waits):
            future.cancel()
        moving = any(not play.done() for play in self._plays) or self._send is not None
        for one in (*self._orders, *self._plays):
            one.cancel()
        self._end_stream()
        self._acts.close()
        if moving and self.ctx.parts.motion is not None:
            with contextlib.suppress(MindError):
                self.ctx.parts.motion.clear()

    async def _ready(self, kind: str = "pose") -> None:
        await self.hold.take()
        if kind not in self._kinds and self._task is not None:  # so that a stop ends the call, not this move alone
            self._kinds.add(kind)
            self._acts.enter_context(Acts.of(self.ctx.parts).under_way(Act(self.tool, kind, self._task)))
        await self.motion.wake()

    async def _play(self, move: Goto | Frames, kind: str) -> asyncio.Future[Arrival]:
        async with self._door:
            await self._ready(kind)
            self._end_stream()
            play = asyncio.ensure_future(self.motion.play(move))
            self._plays.append(play)
            play.add_done_callback(self._noted)
            await asyncio.sleep(0)  # now it is queued, and the next one may be
            return play

    async def _stream(self) -> None:
        async with self._door:
            await self._ready()
            wish, self._wish = self._wish, None
            if self._send is None:
                self._send = self._lease.enter_context(self.motion.teleoperate())
            if wish is not None and self._send is not None:
                self._send(wish)

    async def _clear(self) -> None:
        async with self._door:
            await self.hold.take()
            self._end_stream()
            self._plays.clear()  # what is ended on purpose has not failed
            self.motion.clear()

    async def _call(self, tool: str, arguments: dict[str, Any]) -> None:
        async with self._door:
            outcome = await self.ctx.call(tool, **arguments)
        if outcome.status not in ("ok", "started"):
            error = outcome.error or {}
            raise ToolError(error.get("code", "CANCELLED"), error.get("message", f"{tool} was {outcome.status}"))

    def _end_stream(self) -> None:
        self._send = None
        self._lease.close()

    def _noted(self, done: asyncio.Future[Any]) -> None:
        """An order was carried out, or a move has ended."""
        wanted = done in self._orders or done in self._plays  # not ended on purpose
        self._orders.discard(done)
        error = None if done.cancelled() else done.exception()
        if error is not None and wanted and self._failed is None and not self._over:
            self._failed = error if isinstance(error, MindError) else ToolError("TOOL_FAILED", str(error))
