"""`Mind`: everything put together, and the commands that the command line and the server share.

`compose` starts the simulator when the robot is `sim`, opens the link, and takes it all down again at the end. Lengths
are millimetres and angles degrees here, as people say them; inside they are metres and radians.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from reachy_mind.body.limits import follow
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.config import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.events import Bus, RobotMoved, RobotStopped
from reachy_mind.models.store import Store
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.editing import Edit, stirring
from reachy_mind.motion.moves import LONGEST_S
from reachy_mind.motion.repertoire import Repertoire
from reachy_mind.sim.launch import Simulator

if TYPE_CHECKING:
    from reachy_mind.motion.client import Arrival, Motion

DESCRIPTION = "robot-description"


class Look(BaseModel):
    """Turn the head: degrees, left, down and leaning right positive; what is not given is level."""

    model_config = ConfigDict(extra="forbid")

    yaw: FiniteFloat = 0.0
    pitch: FiniteFloat = 0.0
    roll: FiniteFloat = 0.0
    duration: FiniteFloat = Field(1.0, ge=0.1, le=60)
    clamp: bool = False

    def applied_to(self, pose: Pose) -> Pose:
        roll, pitch, yaw = map(math.radians, (self.roll, self.pitch, self.yaw))
        body_yaw = follow(yaw, pose.body_yaw)
        return replace(pose, x=0.0, y=0.0, z=0.0, roll=roll, pitch=pitch, yaw=yaw, body_yaw=body_yaw)


class Goto(BaseModel):
    """Move any part: millimetres and degrees; what is not given stays, but the body follows the head if it must."""

    model_config = ConfigDict(extra="forbid")

    x: FiniteFloat | None = None
    y: FiniteFloat | None = None
    z: FiniteFloat | None = None
    roll: FiniteFloat | None = None
    pitch: FiniteFloat | None = None
    yaw: FiniteFloat | None = None
    body_yaw: FiniteFloat | None = None
    antenna_left: FiniteFloat | None = None
    antenna_right: FiniteFloat | None = None
    duration: FiniteFloat = Field(1.0, ge=0.1, le=60)
    clamp: bool = False

    def applied_to(self, pose: Pose) -> Pose:
        wish = self.model_dump(exclude={"duration", "clamp"}, exclude_none=True)
        wished = replace(pose, **{k: v / 1000 if k in "xyz" else math.radians(v) for k, v in wish.items()})
        return wished if "body_yaw" in wish else replace(wished, body_yaw=follow(wished.yaw, pose.body_yaw))


class Play(BaseModel):
    """Play a move of the repertoire by name, as its parameters say, edited on the way."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=500)
    parameters: dict[str, float | int | str] = Field(default_factory=dict)
    edit: Edit = Field(default_factory=lambda: Edit.model_validate({}))


class Record(BaseModel):
    """Keep what the robot does for some seconds as a move; `by_hand`: its motors yield, so that it can be posed."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=64)
    seconds: FiniteFloat = Field(10.0, ge=0.5, le=LONGEST_S)
    by_hand: bool = False
    overwrite: bool = False
    description: str = Field("", max_length=500)


@dataclass
class Mind:
    """One robot's mind. Commands that move it take turns; `stop` never waits."""

    configuration: Configuration
    bus: Bus
    motion: Motion | None = None
    simulator: Simulator | None = None
    repertoire: Repertoire = field(init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.repertoire = Repertoire(self.configuration.home.moves_folder)

    def body(self) -> Motion:
        if self.motion is None:
            raise NotReady("there is no robot", hint="start with --robot sim or --robot HOST")
        return self.motion

    def state(self) -> dict[str, Any]:
        """What the robot reported last. Raises LinkLost while it can't be reached."""
        motion = self.body()
        state = motion.state
        return {
            "robot": state.robot,
            "address": str(motion.address),
            "simulated": state.simulated,
            "version": state.version,
            "link": motion.status,
            "motor_mode": state.mode,
            "pose": state.pose.in_degrees(),
            "joints": [round(math.degrees(joint), 2) for joint in state.joints],
            "age_ms": round((time.monotonic() - state.at) * 1000, 1),
            "error": state.error or None,
        }

    async def look(self, wish: Look) -> dict[str, Any]:
        return await self._move("look", lambda motion: self._awake_goto(motion, wish))

    async def goto(self, wish: Goto) -> dict[str, Any]:
        return await self._move("goto", lambda motion: self._awake_goto(motion, wish))

    async def wake(self) -> dict[str, Any]:
        return await self._move("wake", lambda motion: motion.wake())

    async def sleep(self) -> dict[str, Any]:
        return await self._move("sleep", lambda motion: motion.sleep())

    async def play(self, wish: Play) -> dict[str, Any]:
        """A move from the repertoire. Raises InvalidParameter, or MoveInvalid when its file is broken."""

        def made() -> Clip:
            clip = self.repertoire.clip(wish.name, **wish.parameters)
            return replace(clip, frames=wish.edit.applied(clip.frames))

        clip = await asyncio.to_thread(made)
        sound = "none"

        async def act(motion: Motion) -> Arrival:
            nonlocal sound
            await motion.wake()
            if clip.sound is not None:
                sound = await motion.play_sound(clip.sound)
            return await motion.play(clip.frames)

        outcome = await self._move("play", act)
        return outcome | {"move": clip.name, "duration_s": round(clip.duration, 2), "sound": sound}

    async def record(self, wish: Record) -> dict[str, Any]:
        """What the robot does from now on, as a move in the repertoire. Raises InvalidParameter for a taken name."""
        self.repertoire.place(wish.name, overwrite=wish.overwrite)
        motion = self.body()
        if wish.by_hand:
            async with self._turn, motion.yielding():
                frames = stirring(await motion.record(wish.seconds))
        else:
            frames = await motion.record(wish.seconds)
        clip = Clip(wish.name, frames, wish.description)
        file = await asyncio.to_thread(self.repertoire.keep, clip, overwrite=wish.overwrite)
        return {"command": "record", "move": clip.name, "duration_s": round(clip.duration, 2), "file": str(file)}

    async def stop(self) -> dict[str, Any]:
        """Ends any movement at once, whatever else is waiting."""
        arrival = await self.body().stop()
        self.bus.publish(RobotStopped())
        return self._outcome("stop", arrival)

    async def _awake_goto(self, motion: Motion, wish: Look | Goto) -> Arrival:
        """Who asks a sleeping robot to look somewhere wants it awake; but a wish out of reach should not wake it."""
        if not wish.clamp:
            motion.kinematics.require_reach(wish.applied_to(motion.state.command if motion.awake else AWAKE))
        await motion.wake()
        # On what was commanded, not on what was measured: the sag of every call would add up.
        return await motion.goto(wish.applied_to(motion.state.command), wish.duration, clamp=wish.clamp)

    async def _move(self, name: str, act: Callable[[Motion], Awaitable[Arrival]]) -> dict[str, Any]:
        motion = self.body()
        async with self._turn:
            arrival = await act(motion)
        self.bus.publish(RobotMoved(command=name, measured=arrival.state.pose.in_degrees()))
        return self._outcome(name, arrival)

    def _outcome(self, name: str, arrival: Arrival) -> dict[str, Any]:
        measured = {"pose": arrival.state.pose.in_degrees(), "motor_mode": arrival.state.mode}
        return {"command": name} | self.state() | measured | {"clamped": [c.as_dict() for c in arrival.clamped]}


def compiled_folder(configuration: Configuration) -> Path:
    return configuration.models_folder / "compiled"


@contextlib.asynccontextmanager
async def compose(configuration: Configuration) -> AsyncIterator[Mind]:
    """A mind with its robot connected, for the time of an `async with`.

    Raises AssetError when the robot description was never pulled, LinkLost, RobotBusy or VersionMismatch when the
    robot can't be had.
    """
    settings = configuration.settings
    mind = Mind(configuration, Bus())
    async with contextlib.AsyncExitStack() as stack:
        if settings.robot.address != "none":
            description = Store(configuration.models_folder).path(DESCRIPTION)
            if settings.robot.address == "sim":
                level = "warning" if settings.log.level == "info" else settings.log.level
                simulator = Simulator(
                    description, compiled_folder(configuration), settings.robot.scene, log_level=level
                )
                mind.simulator = await stack.enter_async_context(simulator)
            await _connect(mind, description, stack)
        yield mind


async def _connect(mind: Mind, description: Path, stack: contextlib.AsyncExitStack) -> None:
    # Imported here, not above: it takes most of a second, in which a simulator of ours starts.
    from reachy_mind.body.address import Address  # noqa: PLC0415
    from reachy_mind.motion.client import Motion  # noqa: PLC0415

    settings = mind.configuration.settings
    if mind.simulator is not None:
        address = Address("127.0.0.1", await mind.simulator.ready())
    else:
        address = Address.parse(settings.robot.address)
    motion = Motion(
        address,
        description,
        app_name=settings.robot.app_name,
        idle=settings.robot.idle,
        bus=mind.bus,
        log_level=settings.log.level,
    )
    mind.motion = await stack.enter_async_context(motion)
    await motion.wait_connected(settings.robot.connect_timeout_s)
