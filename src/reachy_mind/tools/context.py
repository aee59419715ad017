"""Who calls, and what a tool is given to work with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from reachy_mind.errors import NotReady

if TYPE_CHECKING:
    from reachy_mind.body.pose import Pose
    from reachy_mind.config import Configuration
    from reachy_mind.database import Database
    from reachy_mind.events import Bus
    from reachy_mind.eyes.answers import Answer
    from reachy_mind.eyes.describer import Describer
    from reachy_mind.eyes.faces import Face
    from reachy_mind.eyes.photos import Photos
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.eyes.rays import Lens
    from reachy_mind.eyes.things import Seen
    from reachy_mind.eyes.tray import Tray
    from reachy_mind.memory.memory import Memory
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.repertoire import Repertoire
    from reachy_mind.tools.body import Hold
    from reachy_mind.tools.definition import Outcome
    from reachy_mind.tools.rulebook import Rulebook
    from reachy_mind.tools.tasks import Tasks
    from reachy_mind.tools.timers import Timers

Part = TypeVar("Part")


@dataclass(frozen=True)
class Caller:
    """On whose behalf a tool is called, by which way, and in which turn of which conversation.

    A `person` or a brain that answers one (`brain`) takes the body from whoever has it; a `program` (another
    assistant) and a `background` task wait for it.
    """

    kind: Literal["person", "brain", "program", "background"] = "person"
    channel: str = "python"
    person: str = ""
    conversation: str = ""
    turn: str = ""


class Voice(Protocol):
    """The robot's ears and mouth, as tools use them. Each raises NotReady with the reason and what to do."""

    async def speak(self, text: str, *, voice: str = "", speed: float | None = None) -> str | None:
        """Until it was heard; of what was cut short, as much as was heard, else None."""

    async def listen(self, seconds: float) -> str:
        """What is said in that time; empty when nothing is."""

    async def switch_microphone(self, *, on: bool) -> str:
        """The state that it has then: `open`, `off` or `lost`."""


class Sight(Protocol):
    """The robot's eyes, as tools use them."""

    lens: Lens
    tray: Tray
    """Pictures that a call is about, or gives back."""

    @property
    def describer(self) -> Describer | None:
        """A model that says what it sees; None when none is configured."""

    @property
    def on(self) -> bool:
        """Whether the camera may be looked through."""

    async def switch(self, *, on: bool) -> bool:
        """Open or close the eyes; whether they are open then. Raises NotReady when they must stay closed."""

    async def faces(self, picture: Picture) -> list[Face]:
        """The faces in a picture, surest first. Raises NotReady."""

    async def follow(self, *, on: bool) -> None:
        """Follow people with the head, or no longer. Raises NotReady with the reason why that can't be."""

    photos: Photos

    async def look(self) -> Picture:
        """What there is to be seen now. Raises NotReady when the camera is off, LinkLost or HardwareError."""

    def pose_at(self, moment: float) -> Pose:
        """Where the head was at a monotonic time not long ago."""

    async def things(self, picture: Picture, names: Sequence[str] = ()) -> list[Seen]:
        """What is in a picture; only what one of `names` fits, if any is given. Raises NotReady with what to do."""

    async def answer(
        self, question: str, picture: Picture, *, about: str = "", known: Sequence[Seen] | None = None
    ) -> Answer:
        """The answer to a question about a picture. `about`: what "it" is; `known`: what is known to be in it."""


class Personalities(Protocol):
    """Who the robot can be, as tools use it."""

    async def become(self, name: str, *, keep: bool, aloud: bool) -> dict[str, Any]:
        """Be somebody else: who it is then, and what it says about it. Raises UnknownProfile, BrokenProfile."""

    async def listed(self) -> dict[str, Any]:
        """All of them, and who it is now."""

    async def save(self, name: str, content: dict[str, Any], *, new: bool, like: str) -> dict[str, Any]:
        """Write one of the user's own: it, as it was read back. Raises InvalidParameter, UnknownProfile."""

    async def remove(self, name: str) -> str:
        """Put one of the user's own aside: where it is then. Raises InvalidParameter, UnknownProfile."""


class Preferences(Protocol):
    """The owner's settings, as tools change them."""

    async def change(self, key: str, value: Any) -> dict[str, Any]:
        """Write one down: what holds then, and whether it does at once. Raises InvalidParameter, ConfigError."""


@dataclass
class Parts:
    """What of the robot is there. A tool that needs a part asks `ctx.need`."""

    configuration: Configuration
    bus: Bus
    database: Database | None = None
    motion: Motion | None = None
    repertoire: Repertoire | None = None
    tasks: Tasks | None = None
    timers: Timers | None = None
    voice: Voice | None = None
    sight: Sight | None = None
    personalities: Personalities | None = None
    memory: Memory | None = None
    rulebook: Rulebook | None = None
    preferences: Preferences | None = None
    extra: dict[str, Any] = field(default_factory=dict)


Report = Callable[[float, str], None]


@dataclass
class Context:
    """Given to a tool with every call."""

    call_id: str
    caller: Caller
    parts: Parts
    call: Callable[..., Awaitable[Outcome]]
    """`await ctx.call("robot.nod", times=2)`: another tool, through the same gate, on behalf of the same caller."""
    report: Report | None = None
    background: bool = False
    """Whether it runs beside the conversation."""
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it was cancelled: for work in threads, which can't be."""
    hold: Hold | None = None
    """The body, for a tool that may move and did not say so: `await ctx.hold.take()`."""

    def progress(self, share: float, message: str = "") -> None:
        """How far it has got, 0 to 1."""
        if self.report is not None:
            self.report(min(max(share, 0.0), 1.0), message[:200])

    def need(self, part: Part | None, what: str) -> Part:
        """That part, or NotReady."""
        if part is None:
            raise NotReady(f"there is no {what}", hint="it was not started with this robot")
        return part

    @property
    def motion(self) -> Motion:
        """The robot's body. Raises NotReady."""
        if self.parts.motion is None:
            raise NotReady("there is no robot", hint="start with --robot sim or --robot HOST")
        return self.parts.motion

    @property
    def voice(self) -> Voice:
        """Ears and mouth. Raises NotReady."""
        return self.need(self.parts.voice, "voice")

    @property
    def sight(self) -> Sight:
        """The eyes. Raises NotReady."""
        return self.need(self.parts.sight, "camera")

    @property
    def personalities(self) -> Personalities:
        """Who it can be. Raises NotReady."""
        return self.need(self.parts.personalities, "choice of personalities")

    @property
    def memory(self) -> Memory:
        """What the mind remembers. Raises NotReady."""
        if self.parts.memory is None:
            raise NotReady("my memory is switched off", hint="start without --no-memory")
        return self.parts.memory

    @property
    def repertoire(self) -> Repertoire:
        return self.need(self.parts.repertoire, "repertoire of moves")

    @property
    def database(self) -> Database:
        return self.need(self.parts.database, "database")
