"""`RobotCalls`: the host side of `reachy_mini.ReachyMini`: a fixed table of methods, each with strict checks."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from reachy_mind.body.pose import Pose
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.motion.limits import RATE_HZ
from reachy_mind.motion.moves import Frames, Goto
from reachy_mind.tools import acts
from reachy_mind.tools.builtin.head import facing
from reachy_mind.tools.sdk import arguments
from reachy_mind.tools.sdk.method import Answer, Method
from reachy_mind.tools.sdk.orders import MovementOrders

MAX_FRAMES = 60 * RATE_HZ + 2
MAX_RECORDING_S = 60.0
DANCES, EMOTIONS = "dance", "emotion"
INTERPOLATIONS = ("linear", "minjerk", "ease_in_out", "cartoon")

Arguments = Mapping[str, Any]


class RobotCalls:
    """The robot for one call of a guest or one run of sandboxed code."""

    def __init__(self, orders: MovementOrders) -> None:
        self._orders = orders
        self._recording: asyncio.Task[Frames] | None = None
        self._recorded = asyncio.Event()
        self._tracks = False
        self.methods: Mapping[str, Method] = {method.name: method for method in self._table()}

    def _table(self) -> list[Method]:
        duration = ("duration", "perform_movement")

        def reads(name: str, answer: Answer, *parameters: str) -> Method:
            return Method(f"robot.{name}", parameters, answer, cheap=True)

        def moves(name: str, answer: Answer, *parameters: str, needs: tuple[str, ...] = ("motion",)) -> Method:
            return Method(f"robot.{name}", parameters, answer, needs)

        return [
            reads("get_current_head_pose", self._head_pose),
            reads("get_current_joint_positions", self._joints),
            reads("get_imu", self._imu),
            moves("list_moves", self._list_moves, "dataset", needs=()),
            moves("find_move", self._find_move, "dataset", "name", needs=()),
            moves("goto_target", self._goto_target, "head", "antennas", "duration", "method", "body_yaw"),
            moves("set_target", self._set_target, "head", "antennas", "body_yaw"),
            moves("look_at_world", self._look_at_world, "x", "y", "z", *duration),
            moves("look_at_image", self._look_at_image, "u", "v", *duration, needs=("motion", "camera")),
            moves("play_frames", self._play_frames, "frames", "initial_goto_duration"),
            moves("play_recorded_move", self._play_recorded_move, "name", "sound"),
            moves("cancel_move", self._cancel_move),
            moves("wake_up", self._tool("robot.wake_up")),
            moves("goto_sleep", self._tool("robot.sleep")),
            moves("enable_motors", self._tool("robot.set_motor_mode", mode="enabled")),
            moves("disable_motors", self._tool("robot.set_motor_mode", mode="disabled")),
            moves("enable_gravity_compensation", self._tool("robot.set_motor_mode", mode="gravity_compensation")),
            moves("start_head_tracking", self._start_tracking, "weight", needs=("motion", "camera")),
            moves("stop_head_tracking", self._stop_tracking, needs=("motion", "camera")),
            Method("robot.get_tracked_face", (), self._tracked_face, ("camera",), cheap=True),
            reads("start_recording", self._start_recording),
            reads("stop_recording", self._stop_recording),
        ]

    async def close(self, *, keep_tracking: bool = False) -> None:
        """End what outlives a call: a recording and, unless it is to be kept, head tracking that was started here."""
        if self._recording is not None:
            self._recording.cancel()
            self._recording = None
        if self._tracks and not keep_tracking:
            self._tracks = False
            with contextlib.suppress(MindError):
                await self._orders.ctx.sight.follow(on=False)

    @property
    def tracking(self) -> bool:
        """Whether the head follows people now."""
        sight = self._orders.ctx.parts.sight
        return sight is not None and sight.following

    def note_tracking(self, *, before: bool) -> None:
        """After a call that may have switched head tracking on: it then ends with the run."""
        self._tracks = self._tracks or (self.tracking and not before)

    # Where it is

    async def _head_pose(self, _: Arguments) -> list[float]:
        return list(self._orders.ctx.motion.state.pose.head_matrix())

    async def _joints(self, _: Arguments) -> list[list[float]]:
        state = self._orders.ctx.motion.state
        return [list(state.joints), list(state.pose.antennas)]

    async def _imu(self, _: Arguments) -> None:
        return None

    # Movement

    async def _goto_target(self, args: Arguments) -> None:
        duration = arguments.duration(args.get("duration", 0.5))
        if args.get("method") is not None:
            arguments.choice("method", args["method"], INTERPOLATIONS)
        target, axes = arguments.target(self._orders.start_pose(), args)
        await self._orders.goto(target, duration, axes)

    async def _set_target(self, args: Arguments) -> None:
        target, _ = arguments.target(self._orders.start_pose(), args)
        await self._orders.stream(target)

    async def _look_at_world(self, args: Arguments) -> list[float]:
        x, y, z = (arguments.number(axis, args.get(axis), -100.0, 100.0) for axis in "xyz")
        if math.hypot(x, y, z) < 1e-6:
            raise InvalidParameter("that point is inside the head", hint="metres from the head's pivot")
        looking = Pose(yaw=math.atan2(y, x), pitch=-math.atan2(z, math.hypot(x, y)))
        return await self._look(looking, args)

    async def _look_at_image(self, args: Arguments) -> list[float]:
        await self._orders.permit(acts.TAKE_PICTURE)
        sight = self._orders.ctx.sight
        picture = await (await sight.frame()).picture()
        u = arguments.whole("u", args.get("u"), 0, picture.width - 1)
        v = arguments.whole("v", args.get("v"), 0, picture.height - 1)
        place = (u + 0.5) / picture.width, (v + 0.5) / picture.height
        yaw, pitch = sight.lens.direction(*place, sight.pose_at(picture.taken_at))
        return await self._look(Pose(yaw=yaw, pitch=pitch), args)

    async def _look(self, looking: Pose, args: Arguments) -> list[float]:
        """Turn the head there, with the body when the neck could not reach. Returns the head's transform."""
        duration = arguments.duration(args.get("duration", 1.0))
        if arguments.flag("perform_movement", args.get("perform_movement", True)):
            target = facing(self._orders.start_pose(), looking)
            await self._orders.goto(target, duration, (*arguments.HEAD_AXES, "body_yaw"))
        return list(looking.head_matrix())

    async def _play_frames(self, args: Arguments) -> None:
        frames = arguments.finite_frames(args.get("frames"), MAX_FRAMES)
        settle_s = arguments.number("initial_goto_duration", args.get("initial_goto_duration", 0.0), 0.0, 60.0)
        start = self._orders.start_pose()
        poses = await asyncio.to_thread(_poses, start, frames)
        performed = await asyncio.to_thread(self._orders.acts_to, start, *poses)
        if settle_s >= arguments.MIN_DURATION_S:
            await self._orders.perform(Goto.to(poses[0], settle_s), "pose", performed)
        await self._orders.perform(Frames([pose.as_tuple for pose in poses]), "pose", performed)
        self._orders.arrives = poses[-1]

    async def _play_recorded_move(self, args: Arguments) -> None:
        name = arguments.text("name", args.get("name"), 200)
        arguments.flag("sound", args.get("sound", True))
        await self._orders.call("robot.play_move", name=name)

    async def _cancel_move(self, _: Arguments) -> None:
        await self._orders.clear()

    def _tool(self, name: str, **fixed: Any) -> Answer:
        async def answer(_: Arguments) -> None:
            await self._orders.call(name, **fixed)

        return answer

    # Moves that the robot knows

    async def _list_moves(self, args: Arguments) -> list[str]:
        dataset = arguments.text("dataset", args.get("dataset"), 200)
        return await asyncio.to_thread(self._known, dataset.rpartition("/")[2])

    async def _find_move(self, args: Arguments) -> dict[str, Any]:
        folder = arguments.text("dataset", args.get("dataset"), 200).rpartition("/")[2]
        name = arguments.text("name", args.get("name"), 200)
        if "+" in name:
            raise InvalidParameter("that is a sequence of moves", hint="find one move at a time")
        return await asyncio.to_thread(self._found, folder, name)

    def _known(self, folder: str) -> list[str]:
        entries = self._orders.ctx.repertoire.entries()
        recorded = [entry.name.rpartition("/")[2] for entry in entries if entry.name.startswith(f"{folder}/")]
        return recorded or [entry.name for entry in entries if entry.kind == _kind(folder)]

    def _found(self, folder: str, name: str) -> dict[str, Any]:
        repertoire = self._orders.ctx.repertoire
        for candidate in (f"{folder}/{name}", name, name.rstrip("0123456789_")):
            with contextlib.suppress(MindError):
                clip = repertoire.clip(candidate)
                return {"name": clip.name, "description": clip.description, "duration": clip.duration}
        known = ", ".join(self._known(folder)[:50])
        raise InvalidParameter(f"no move {name[:80]!r} in {folder[:80]}", hint=f"there are {known}")

    # People

    async def _start_tracking(self, args: Arguments) -> None:
        arguments.number("weight", args.get("weight", 1.0), 0.0, 1.0)
        before = self.tracking
        await self._orders.call("robot.head_tracking", enabled=True)
        self.note_tracking(before=before)

    async def _stop_tracking(self, _: Arguments) -> None:
        await self._orders.call("robot.head_tracking", enabled=False)
        self._tracks = False

    async def _tracked_face(self, _: Arguments) -> dict[str, float] | None:
        await self._orders.permit(acts.TAKE_PICTURE, acts.FIND_FACES)
        found = self._orders.ctx.sight.followed(time.monotonic())
        return None if found is None else {"yaw": found[0], "pitch": found[1]}

    # Recording

    async def _start_recording(self, _: Arguments) -> None:
        if self._recording is not None:
            raise InvalidParameter("it records already", hint="stop_recording ends it")
        self._recorded.clear()
        motion = self._orders.motion
        self._recording = asyncio.create_task(motion.record(MAX_RECORDING_S, self._recorded), name="recording")

    async def _stop_recording(self, _: Arguments) -> Any:
        """Rows as `play_frames` has them, at 100 Hz."""
        recording, self._recording = self._recording, None
        if recording is None:
            raise InvalidParameter("nothing is being recorded", hint="start_recording begins it")
        self._recorded.set()
        poses = [Pose(*frame) for frame in (await recording).frames]
        return np.array([[*pose.head_matrix(), *pose.antennas, pose.body_yaw] for pose in poses])


def _kind(folder: str) -> str:
    return DANCES if "dance" in folder else EMOTIONS


def _poses(start: Pose, frames: Any) -> list[Pose]:
    """The poses of sampled rows; a part that a row leaves out stays as it was."""
    poses, last = [], start
    for row in frames:
        parts = {"head": row[:16], "antennas": row[16:18], "body_yaw": row[18]}
        given = {name: value for name, value in parts.items() if not np.isnan(value).all()}
        if given:
            last, _ = arguments.target(last, given)
        poses.append(last)
    return poses
