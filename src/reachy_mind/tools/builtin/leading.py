"""Leading the robot by hand from afar, and keeping what it did then as a move; taking such moves away again.

Whoever leads has `Reins` (a socket of the server opens them) and makes one call, `teleoperate`, which lasts until they
let go: like any other call it is permitted, audited, ended by a stop, and has the body to itself.
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
from reachy_mind.motion.editing import stirring
from reachy_mind.motion.moves import LONGEST_S, Frames
from reachy_mind.tools.builtin.direct import applied
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.tools.context import Context, Parts

SILENCE_S = 4.0
"""Who says nothing for so long has let go, whether they wanted to or not. The robot holds still half a second after the
last wish in any case; a browser on a busy machine may pause for longer than that."""

Wish = dict[str, float | None]


class Reins:
    """What somebody wants the robot to do now, and what of it they have recorded. Only the newest wish counts."""

    def __init__(self) -> None:
        self.id = uuid4().hex
        self.take: Frames | None = None
        """The latest recording."""
        self.taken: asyncio.Future[Pose] = asyncio.get_running_loop().create_future()
        """Done when the robot follows: where it was then."""
        self._wish: Wish | None = None
        self._changed = asyncio.Event()

    @classmethod
    @contextlib.contextmanager
    def opened(cls, parts: Parts) -> Iterator[Reins]:
        """Reins that calls can find by their id."""
        reins = cls()
        _all(parts)[reins.id] = reins
        try:
            yield reins
        finally:
            del _all(parts)[reins.id]
            reins.let_go()

    @classmethod
    def find(cls, parts: Parts, name: str) -> Reins:
        """Raises InvalidParameter."""
        found = _all(parts).get(name)
        if found is None:
            raise InvalidParameter("nobody holds these reins", hint="they are opened by the socket /ws/teleoperate")
        return found

    def pull(self, wish: Wish) -> None:
        self._wish = wish
        self._changed.set()

    def let_go(self) -> None:
        """Ends the call that follows them."""
        self._wish = None
        self._changed.set()

    def begin(self) -> None:
        """Before a new call."""
        self._changed.clear()
        self.taken.cancel()
        self.taken = asyncio.get_running_loop().create_future()

    async def wishes(self) -> AsyncIterator[Wish]:
        """Each as it comes, until they are let go of, or nothing comes any more."""
        while True:
            try:
                async with asyncio.timeout(SILENCE_S):
                    await self._changed.wait()
            except TimeoutError:
                return
            self._changed.clear()
            if self._wish is None:
                return
            yield self._wish


def _all(parts: Parts) -> dict[str, Reins]:
    known: dict[str, Reins] = parts.extra.setdefault("reins", {})
    return known


@tool(
    group="robot",
    tier="autonomous",
    moves=True,
    hidden=True,
    timeout_s=LONGEST_S,
    covered_by=("move_head", "look_at", "set_antennas"),
)
async def teleoperate(
    ctx: Context, reins: Annotated[str, Field(max_length=64, description="Whose: as their socket says")]
) -> dict[str, Any]:
    """Follow somebody's hand, until they let go."""
    held, motion = Reins.find(ctx.parts, reins), ctx.motion
    await motion.wake()
    with motion.teleoperate() as send:
        pose = motion.state.command
        send(pose)  # it holds still at once, not with the first wish
        if not held.taken.done():
            held.taken.set_result(pose)
        followed = 0
        async for wish in held.wishes():
            pose = applied(pose, wish)
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
    take = Reins.find(ctx.parts, reins).take
    if take is None:
        raise NotReady("nothing was recorded", hint="record something first")
    clip = Clip(name, stirring(take), description)
    await asyncio.to_thread(ctx.repertoire.keep, clip, overwrite=overwrite)
    return {"message": f"I know {name} now.", "move": name, "duration_s": round(clip.duration, 2)}


@tool(group="robot", tier="confirm", hidden=True)
async def remove_move(
    ctx: Context, name: Annotated[str, Field(min_length=1, max_length=64, description="One of your own")]
) -> dict[str, Any]:
    """Delete a recorded move of your own, for good."""
    await asyncio.to_thread(ctx.repertoire.remove, name)
    return {"message": f"I have forgotten the move {name}.", "move": name}


TOOLS: tuple[Tool, ...] = (teleoperate, save_take, remove_move)
