"""`Caller` and `Context`: who calls a tool, and the parts of the robot it may use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from reachy_mind.errors import NotReady

if TYPE_CHECKING:
    from reachy_mind.body.media import Microphone, Speaker
    from reachy_mind.body.pose import Pose
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.events import Bus
    from reachy_mind.eyes.answers import SceneAnswer
    from reachy_mind.eyes.faces import Face
    from reachy_mind.eyes.frame_source import CameraFrame
    from reachy_mind.eyes.lens import Lens
    from reachy_mind.eyes.objects import DetectedObject
    from reachy_mind.eyes.pending_pictures import PendingPictures
    from reachy_mind.eyes.photos import Photos
    from reachy_mind.eyes.pictures import Picture
    from reachy_mind.eyes.vision_model import VisionModel
    from reachy_mind.memory.memory import Memory
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.repertoire import Repertoire
    from reachy_mind.storage.database import Database
    from reachy_mind.tools.acts import Act
    from reachy_mind.tools.body_lock import Hold
    from reachy_mind.tools.definition import Outcome
    from reachy_mind.tools.permissions_file import PermissionsFile
    from reachy_mind.tools.tasks import Tasks
    from reachy_mind.tools.timers import Timers

Part = TypeVar("Part")


@dataclass(frozen=True)
class Caller:
    """Who calls a tool, over which channel, in which turn of which conversation.

    A `person`, or a `brain` that answers one, preempts the holder of the body; a `program` (another assistant) and a
    `background` task wait for it.
    """

    kind: Literal["person", "brain", "program", "background"] = "person"
    channel: str = "python"
    person: str = ""
    conversation: str = ""
    turn: str = ""
    principal: str = ""
    """The token or login behind it, by name and id; the gate fills it in."""
    scopes: frozenset[str] | None = None
    """The scopes of the token or login that the call came with; None: no limit, for the owner's own programs."""


class VoiceAccess(Protocol):
    """Speech input and output for tools. Each method raises NotReady with the reason and a hint."""

    async def speak(self, text: str, *, voice: str = "", speed: float | None = None) -> str | None:
        """Speak, and return when it was heard. When interrupted: the part that was heard, else None."""

    async def listen(self, seconds: float) -> str:
        """The words said in that time; empty when there are none."""

    async def switch_microphone(self, *, on: bool) -> str:
        """The new state: `open`, `off` or `lost`."""

    async def speaker(self) -> Speaker:
        """The loudspeaker for samples, not open yet: use as `async with`."""

    async def microphone(self) -> Microphone:
        """The microphone for samples, not open yet: use as `async with`."""


class SightAccess(Protocol):
    """The camera and vision for tools."""

    lens: Lens
    pending_pictures: PendingPictures
    """Pictures passed with a call, or returned by one."""

    @property
    def vision_model(self) -> VisionModel | None:
        """A vision-language model; None when none is configured."""

    @property
    def on(self) -> bool:
        """Whether the camera may be used."""

    async def switch(self, *, on: bool) -> bool:
        """Switch the camera; returns whether it is on then. Raises NotReady when it must stay off."""

    async def faces(self, picture: Picture) -> list[Face]:
        """The faces in a picture, most confident first. Raises NotReady."""

    async def follow(self, *, on: bool) -> None:
        """Start or stop following people with the head. Raises NotReady with the reason."""

    photos: Photos

    async def look(self) -> Picture:
        """A picture of now. Raises NotReady when the camera is off, LinkLost or HardwareError."""

    async def frame(self, age_s: float = 0.0) -> CameraFrame:
        """A frame as the camera sent it, at most `age_s` old. Raises as `look` does."""

    @property
    def following(self) -> bool:
        """Whether the head follows people."""

    def followed(self, moment: float) -> tuple[float, float] | None:
        """Yaw and pitch of the followed person at a monotonic time; None without one."""

    def pose_at(self, moment: float) -> Pose:
        """The pose at a monotonic time in the last seconds."""

    async def things(self, picture: Picture, names: Sequence[str] = ()) -> list[DetectedObject]:
        """The objects in a picture, restricted to `names` if any are given. Raises NotReady with a hint."""

    async def answer(
        self, question: str, picture: Picture, *, about: str = "", known: Sequence[DetectedObject] | None = None
    ) -> SceneAnswer:
        """The answer to a question about a picture. `about`: what "it" refers to; `known`: objects already detected."""


class ProfileAccess(Protocol):
    """The personalities (profiles) for tools."""

    async def become(self, name: str, *, keep: bool, aloud: bool) -> dict[str, Any]:
        """Switch the profile; returns it and what the robot says. Raises UnknownProfile, BrokenProfile."""

    async def listed(self) -> dict[str, Any]:
        """All profiles, and the active one."""

    async def save(self, name: str, content: dict[str, Any], *, new: bool, like: str) -> dict[str, Any]:
        """Save a profile of the user; returns it as read back. Raises InvalidParameter, UnknownProfile."""

    async def remove(self, name: str) -> str:
        """Move a profile of the user aside; returns where to. Raises InvalidParameter, UnknownProfile."""


class PreferencesAccess(Protocol):
    """The owner's settings for tools."""

    async def change(self, key: str, value: Any) -> dict[str, Any]:
        """Change one; returns its value and whether it applies at once. Raises InvalidParameter, ConfigError."""


class WorkshopAccess(Protocol):
    """The workshop for tools: makes tools, and keeps their versions. Each method returns the data of a tool."""

    async def create(
        self, ctx: Context, description: str, name: str, test_cases: Sequence[Any], *, use: bool, ask: bool
    ) -> dict[str, Any]: ...
    async def approve(
        self, name: str, version: int, sha256: str, capabilities: Sequence[str], by: str
    ) -> dict[str, Any]: ...
    async def reject(self, name: str, version: int, reason: str) -> dict[str, Any]: ...
    async def rollback(self, name: str, version: int | None) -> dict[str, Any]: ...
    async def deactivate(self, name: str) -> dict[str, Any]: ...
    async def import_bundle(self, bundle: str) -> dict[str, Any]: ...
    async def retry(self, name: str, version: int) -> dict[str, Any]: ...
    async def list_tools(self) -> dict[str, Any]: ...


class TuningAccess(Protocol):
    """Values of tool parameters as people taught them."""

    def learned(self, tool: str, given: Mapping[str, Any], person: str) -> dict[str, Any]:
        """Values for parameters that a call does not give. They are within the limits of the tool."""

    def offsets(self, person: str, situation: Mapping[str, Any]) -> dict[str, float]:
        """Degrees left (`yaw_offset`) and up (`pitch_offset`) beside a thing at this azimuth, elevation, distance."""


class LessonsAccess(Protocol):
    """What people taught, for tools. Each method returns the data of a tool."""

    async def tell(self, person: str, language: str) -> dict[str, Any]: ...
    async def take_back(
        self, person: str, lesson: int | None, *, everything: bool, tools: frozenset[str] | None, language: str
    ) -> dict[str, Any]: ...


@dataclass
class Parts:
    """The available parts of the robot. A tool that needs one calls `ctx.need`."""

    configuration: Configuration
    bus: Bus
    database: Database | None = None
    motion: Motion | None = None
    repertoire: Repertoire | None = None
    tasks: Tasks | None = None
    timers: Timers | None = None
    voice: VoiceAccess | None = None
    sight: SightAccess | None = None
    personalities: ProfileAccess | None = None
    memory: Memory | None = None
    permissions_file: PermissionsFile | None = None
    preferences: PreferencesAccess | None = None
    workshop: WorkshopAccess | None = None
    tuning: TuningAccess | None = None
    lessons: LessonsAccess | None = None
    extra: dict[str, Any] = field(default_factory=dict)


Report = Callable[[float, str], None]


@dataclass
class Context:
    """Passed to a tool with every call."""

    call_id: str
    caller: Caller
    parts: Parts
    call: Callable[..., Awaitable[Outcome]]
    """Call another tool through the same gate for the same caller: `await ctx.call("robot.nod", times=2)`."""
    permit: Callable[[Iterable[Act]], Awaitable[None]]
    """Check acts that only the running tool knows of; a person may be asked. Raises Denied, NotConfirmed."""
    report: Report | None = None
    background: bool = False
    """Whether it runs as a background task."""
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the call ended or was cancelled, for work in threads, which can't be cancelled."""
    hold: Hold | None = None
    """The body, for a tool not declared with `moves` that moves after all: `await ctx.hold.take()`."""

    def progress(self, share: float, message: str = "") -> None:
        """Report progress, 0 to 1."""
        if self.report is not None:
            self.report(min(max(share, 0.0), 1.0), message[:200])

    def need(self, part: Part | None, what: str) -> Part:
        """Return `part`. Raises NotReady when it is None."""
        if part is None:
            raise NotReady(f"there is no {what}", hint="it was not started with this robot")
        return part

    @property
    def motion(self) -> Motion:
        """The robot's motion. Raises NotReady."""
        if self.parts.motion is None:
            raise NotReady("there is no robot", hint="start with --robot sim or --robot HOST")
        return self.parts.motion

    @property
    def voice(self) -> VoiceAccess:
        """Speech input and output. Raises NotReady."""
        return self.need(self.parts.voice, "voice")

    @property
    def sight(self) -> SightAccess:
        """Camera and vision. Raises NotReady."""
        return self.need(self.parts.sight, "camera")

    @property
    def personalities(self) -> ProfileAccess:
        """The profiles. Raises NotReady."""
        return self.need(self.parts.personalities, "choice of personalities")

    @property
    def workshop(self) -> WorkshopAccess:
        """The workshop. Raises NotReady."""
        return self.need(self.parts.workshop, "workshop")

    @property
    def lessons(self) -> LessonsAccess:
        """What people taught. Raises NotReady."""
        return self.need(self.parts.lessons, "store of lessons")

    @property
    def memory(self) -> Memory:
        """The long-term memory. Raises NotReady."""
        if self.parts.memory is None:
            raise NotReady("my memory is switched off", hint="start without --no-memory")
        return self.parts.memory

    async def speaker(self) -> str:
        """The id of the person this call is for: named by the caller, else known to the memory, else empty."""
        memory = self.parts.memory
        if memory is None:
            return self.caller.person
        person = await memory.people.identify(self.caller.person, self.caller.conversation)
        if person and not self.caller.person:
            await memory.people.attribute_call(self.call_id, person)
        return person

    @property
    def repertoire(self) -> Repertoire:
        return self.need(self.parts.repertoire, "repertoire of moves")

    @property
    def database(self) -> Database:
        return self.need(self.parts.database, "database")
