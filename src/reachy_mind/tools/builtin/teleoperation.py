"""Teleoperation: a person steers the robot remotely, records moves that way, and removes them again.

A WebSocket of the server opens a `TeleoperationLease` and makes one call, `teleoperate`, which lasts until the lease is
released. Like any other call it passes the gate, is audited, ends at a stop, and holds the body.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

from pydantic import Field

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.editing import trim_still_ends
from reachy_mind.motion.moves import MAX_DURATION_S, Frames
from reachy_mind.tools.builtin.exact_commands import apply_target
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.tools.context import Context, Parts

LEASE_TIMEOUT_S = 4.0
"""Without a target for this long the lease ends. The robot holds still half a second after the last target in any case;
a browser on a busy machine may pause for longer than that."""

TeleoperationTarget = dict[str, float | None]


class TeleoperationLease:
    """The newest target of a person who steers the robot, and their latest recording."""

    def __init__(self) -> None:
        self.id = uuid4().hex
        self.take: Frames | None = None
        """The latest recording."""
        self.started: asyncio.Future[Pose] = asyncio.get_running_loop().create_future()
        """Resolved with the start pose when the robot begins to follow."""
        self._target: TeleoperationTarget | None = None
        self._changed = asyncio.Event()

    @classmethod
    @contextlib.contextmanager
    def open(cls, parts: Parts) -> Iterator[TeleoperationLease]:
        """A lease that calls can find by its id."""
        lease = cls()
        _leases(parts)[lease.id] = lease
        try:
            yield lease
        finally:
            del _leases(parts)[lease.id]
            lease.release()

    @classmethod
    def find(cls, parts: Parts, name: str) -> TeleoperationLease:
        """Raises InvalidParameter."""
        found = _leases(parts).get(name)
        if found is None:
            raise InvalidParameter(
                "no teleoperation lease of this id is open", hint="the WebSocket /ws/teleoperate opens one"
            )
        return found

    def send(self, target: TeleoperationTarget) -> None:
        self._target = target
        self._changed.set()

    def release(self) -> None:
        """End the call that follows this lease."""
        self._target = None
        self._changed.set()

    def begin(self) -> None:
        """Reset the lease before a new call."""
        self._changed.clear()
        self.started.cancel()
        self.started = asyncio.get_running_loop().create_future()

    async def targets(self) -> AsyncIterator[TeleoperationTarget]:
        """Targets as they come, until the lease is released or times out."""
        while True:
            try:
                async with asyncio.timeout(LEASE_TIMEOUT_S):
                    await self._changed.wait()
            except TimeoutError:
                return
            self._changed.clear()
            if self._target is None:
                return
            yield self._target


def _leases(parts: Parts) -> dict[str, TeleoperationLease]:
    known: dict[str, TeleoperationLease] = parts.extra.setdefault("teleoperation_leases", {})
    return known


@tool(
    group="robot",
    tier="autonomous",
    moves=True,
    hidden=True,
    timeout_s=MAX_DURATION_S,
)
async def teleoperate(
    ctx: Context, reins: Annotated[str, Field(max_length=64, description="Whose: as their socket says")]
) -> dict[str, Any]:
    """Follow somebody's hand, until they let go."""
    lease, motion = TeleoperationLease.find(ctx.parts, reins), ctx.motion
    await motion.wake()
    with motion.teleoperate() as send:
        pose = motion.state.command
        send(pose)  # hold still at once, before the first target
        if not lease.started.done():
            lease.started.set_result(pose)
        followed = 0
        async for target in lease.targets():
            pose = apply_target(pose, target)
            send(pose)
            followed += 1
    return {"message": "You let go.", "followed": followed, "pose": motion.state.pose.in_degrees()}


@tool(group="robot", tier="autonomous", hidden=True)
async def save_take(
    ctx: Context,
    reins: Annotated[str, Field(max_length=64, description="Whose: as their socket says")],
    name: Annotated[str, Field(min_length=1, max_length=64, description="What to call it")],
    description: Annotated[str, Field(max_length=500)] = "",
    overwrite: bool = False,
) -> dict[str, Any]:
    """Keep what was recorded while somebody led the robot, as a move."""
    take = TeleoperationLease.find(ctx.parts, reins).take
    if take is None:
        raise NotReady("nothing was recorded", hint="record something first")
    clip = Clip(name, trim_still_ends(take), description)
    await asyncio.to_thread(ctx.repertoire.save, clip, overwrite=overwrite)
    return {"message": f"I know {name} now.", "move": name, "duration_s": round(clip.duration, 2)}


@tool(group="robot", tier="confirm", hidden=True)
async def remove_move(
    ctx: Context, name: Annotated[str, Field(min_length=1, max_length=64, description="One of your own")]
) -> dict[str, Any]:
    """Delete a recorded move of your own, for good."""
    await asyncio.to_thread(ctx.repertoire.remove, name)
    return {"message": f"I have forgotten the move {name}.", "move": name}


TOOLS: tuple[Tool, ...] = (teleoperate, save_take, remove_move)
