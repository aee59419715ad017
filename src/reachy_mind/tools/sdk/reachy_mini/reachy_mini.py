"""`ReachyMini`: the robot. Commands with a duration return when they have ended."""

from __future__ import annotations

from typing import Any

import numpy as np

from .media.media_manager import MediaManager
from .motion.recorded_move import RecordedMove
from .motion.sampling import RATE_HZ, sample
from .transport import Transport, default


class ReachyMini:
    """The robot of this mind. Connection options of the vendor's constructor are accepted and have no effect."""

    def __init__(self, *_: Any, transport: Transport | None = None, **__: Any) -> None:
        self._transport = transport
        self.media = MediaManager(self._call)

    def __enter__(self) -> ReachyMini:
        return self

    def __exit__(self, *_: object) -> None:
        """The robot stays with its mind: leaving the block only ends what this block has started."""
        self.media.close()

    def _call(self, method: str, /, **args: Any) -> Any:
        return (self._transport or default()).call(method, args)

    async def _acall(self, method: str, /, **args: Any) -> Any:
        return await (self._transport or default()).acall(method, args)

    @property
    def media_manager(self) -> MediaManager:
        return self.media

    # Where it is

    def get_current_head_pose(self) -> Any:
        """The head's 4x4 transform, as measured."""
        return np.asarray(self._call("robot.get_current_head_pose"), dtype=float).reshape(4, 4)

    def get_current_joint_positions(self) -> tuple[list[float], list[float]]:
        """Seven joints of body and head, and two antennas (right, left)."""
        head, antennas = self._call("robot.get_current_joint_positions")
        return list(head), list(antennas)

    def get_present_antenna_joint_positions(self) -> list[float]:
        """The antennas (right, left)."""
        return self.get_current_joint_positions()[1]

    def get_current_body_yaw(self) -> float:
        """The body's yaw."""
        return float(self.get_current_joint_positions()[0][0])

    @property
    def imu(self) -> dict[str, Any] | None:
        """None: the host reads no inertial sensor."""
        found: dict[str, Any] | None = self._call("robot.get_imu")
        return found

    # Movement

    def goto_target(
        self,
        head: Any = None,
        antennas: Any = None,
        duration: float = 0.5,
        method: Any = None,
        body_yaw: float | None = 0.0,
    ) -> None:
        """Move to a target and return when it is reached. A `body_yaw` of None leaves the body as it is."""
        self._call("robot.goto_target", **_goto(head, antennas, duration, method, body_yaw))

    async def async_goto_target(
        self,
        head: Any = None,
        antennas: Any = None,
        duration: float = 0.5,
        method: Any = None,
        body_yaw: float | None = 0.0,
    ) -> None:
        """`goto_target` for coroutines."""
        await self._acall("robot.goto_target", **_goto(head, antennas, duration, method, body_yaw))

    def set_target(self, head: Any = None, antennas: Any = None, body_yaw: float | None = None) -> None:
        """Follow this target from now on, for a stream of targets; returns at once."""
        self._call("robot.set_target", head=head, antennas=antennas, body_yaw=body_yaw)

    def set_target_head_pose(self, pose: Any) -> None:
        self.set_target(head=pose)

    def set_target_antenna_joint_positions(self, antennas: Any) -> None:
        self.set_target(antennas=antennas)

    def set_target_body_yaw(self, body_yaw: float) -> None:
        self.set_target(body_yaw=body_yaw)

    def look_at_world(self, x: float, y: float, z: float, duration: float = 1.0, perform_movement: bool = True) -> Any:
        """Look at a point in metres from the head's pivot. Returns the head's transform there."""
        pose = self._call("robot.look_at_world", x=x, y=y, z=z, duration=duration, perform_movement=perform_movement)
        return np.asarray(pose, dtype=float).reshape(4, 4)

    def look_at_image(self, u: int, v: int, duration: float = 1.0, perform_movement: bool = True) -> Any:
        """Look at a pixel of the camera's picture. Returns the head's transform there."""
        pose = self._call("robot.look_at_image", u=u, v=v, duration=duration, perform_movement=perform_movement)
        return np.asarray(pose, dtype=float).reshape(4, 4)

    def play_move(
        self,
        move: Any,
        play_frequency: float = 100.0,  # noqa: ARG002 -- the host plays every move at its own rate
        initial_goto_duration: float = 0.0,
        sound: bool = True,
    ) -> None:
        """Play a move: a `RecordedMove`, or any object with `duration` and `evaluate(t)`. Returns at its end."""
        method, args = _play(move, initial_goto_duration, sound)
        self._call(method, **args)

    async def async_play_move(
        self,
        move: Any,
        play_frequency: float = 100.0,  # noqa: ARG002
        initial_goto_duration: float = 0.0,
        sound: bool = True,
    ) -> None:
        """`play_move` for coroutines."""
        method, args = _play(move, initial_goto_duration, sound)
        await self._acall(method, **args)

    def cancel_move(self) -> None:
        """End every movement of this tool; the robot holds still."""
        self._call("robot.cancel_move")

    def wake_up(self) -> None:
        """Motors on, head up."""
        self._call("robot.wake_up")

    def goto_sleep(self) -> None:
        """Head down, motors off."""
        self._call("robot.goto_sleep")

    # Motors and modes

    def enable_motors(self, ids: Any = None) -> None:  # noqa: ARG002
        """Switch the motors on; all of them, whatever `ids` are."""
        self._call("robot.enable_motors")

    def disable_motors(self, ids: Any = None) -> None:  # noqa: ARG002
        """Lay the head down and switch the motors off; all of them, whatever `ids` are."""
        self._call("robot.disable_motors")

    def enable_gravity_compensation(self) -> None:
        """Make the motors yield to a hand."""
        self._call("robot.enable_gravity_compensation")

    def disable_gravity_compensation(self) -> None:
        """Make the motors hold again."""
        self._call("robot.enable_motors")

    def set_automatic_body_yaw(self, body_yaw: bool) -> None:
        """No effect: the host turns the body along by itself whenever the neck could not reach."""

    # People

    def start_head_tracking(self, weight: float = 1.0) -> None:
        """Follow people with the head."""
        self._call("robot.start_head_tracking", weight=weight)

    def stop_head_tracking(self) -> None:
        """Follow nobody any more."""
        self._call("robot.stop_head_tracking")

    def get_tracked_face(self) -> dict[str, Any] | None:
        """The face that is followed, as {"yaw", "pitch"} in radians; None without one."""
        found: dict[str, Any] | None = self._call("robot.get_tracked_face")
        return found

    def enable_wobbling(self) -> None:
        """No effect: the head moves with speech by itself."""

    def disable_wobbling(self) -> None:
        """No effect: the head moves with speech by itself."""

    # Recording and media

    def start_recording(self) -> None:
        """Record the robot's poses from now on."""
        self._call("robot.start_recording")

    def stop_recording(self) -> list[dict[str, Any]]:
        """End the recording. Returns frames with time, head, antennas and body_yaw, at 100 a second."""
        rows = self._call("robot.stop_recording")
        return [
            {
                "time": index / RATE_HZ,
                "head": row[:16].reshape(4, 4).tolist(),
                "antennas": row[16:18].tolist(),
                "body_yaw": float(row[18]),
            }
            for index, row in enumerate(rows)
        ]

    def acquire_media(self) -> None:
        """No effect: the host shares camera and sound."""

    def release_media(self) -> None:
        """No effect: the host shares camera and sound."""


def _goto(head: Any, antennas: Any, duration: float, method: Any, body_yaw: float | None) -> dict[str, Any]:
    named = getattr(method, "value", method)
    return {"head": head, "antennas": antennas, "duration": duration, "method": named, "body_yaw": body_yaw}


def _play(move: Any, initial_goto_duration: float, sound: bool) -> tuple[str, dict[str, Any]]:
    if isinstance(move, RecordedMove):
        return "robot.play_recorded_move", {"name": move.full_name, "sound": sound}
    return "robot.play_frames", {"frames": sample(move), "initial_goto_duration": initial_goto_duration}
