"""The robot API of the conversation app: `ReachyMini`, `MovementManager`, `CameraWorker`, for use in a guest's thread.

They are thin views that pass orders to the `Scope` of the running call.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from reachy_mind import log
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import NotReady
from reachy_mind.motion.limits import NAMES
from reachy_mind.motion.moves import Goto
from reachy_mind.tools.conversation_app.moves import acts_of_guest_move, matrix, merge_pose, to_native_move
from reachy_mind.tools.conversation_app.scope import Scope, current

_log = log.get(__name__)
_logged: set[str] = set()


def log_once(what: str, why: str) -> None:
    """Log, on first use, that a function does nothing here."""
    if what not in _logged:
        _logged.add(what)
        _log.info(f"{what} does nothing here: {why}")


class View:
    """Acts on the scope of the running background task, else of the call it was created for."""

    def __init__(self, scope: Scope) -> None:
        self._default_scope = scope

    @property
    def _scope(self) -> Scope:
        return current.get() or self._default_scope

    def _from(self) -> Pose:
        """The pose from which the next order starts."""
        scope = self._scope
        motion = scope.motion
        return scope.arrives or (motion.state.command if motion.awake else AWAKE)

    def _order(self, move: Any, *, wait: bool) -> None:
        scope = self._scope
        ours = to_native_move(move, self._from())
        acts = acts_of_guest_move(move, ours, self._from())
        (scope.perform if wait else scope.order)(ours, getattr(move, "kind", "pose"), acts)
        scope.arrives = replace(self._from(), **ours.target) if isinstance(ours, Goto) else Pose(*ours.frames[-1])


class NoMedia:
    """Guests have no camera and no sound yet: every method returns nothing."""

    def __bool__(self) -> bool:
        return False

    def get_frame(self) -> None:
        return None

    def get_frame_jpeg(self) -> None:
        return None

    def play_sound(self, *_: Any, **__: Any) -> None:
        log_once("media.play_sound", "guests have no speaker")


class ReachyMini(View):
    """The robot; commands with a duration return when they have ended."""

    media = NoMedia()
    imu = None

    def get_current_head_pose(self) -> Any:
        """The head's 4x4 transform, as measured."""
        return matrix(self._scope.motion.state.pose)

    def get_current_joint_positions(self) -> tuple[list[float], list[float]]:
        """Seven joints of body and head, two antennas (right, left)."""
        state = self._scope.motion.state
        return list(state.joints), list(state.pose.antennas)

    def get_present_antenna_joint_positions(self) -> list[float]:
        return self.get_current_joint_positions()[1]

    def goto_target(
        self,
        head: Any = None,
        antennas: Any = None,
        duration: float = 0.5,
        method: Any = None,  # noqa: ARG002 -- all moves are smooth here
        body_yaw: float | None = 0.0,
    ) -> None:
        before = self._from()
        wished = dict(zip(NAMES, merge_pose(before, head, antennas, body_yaw).as_tuple, strict=True))
        given = {"body_yaw": body_yaw, "antenna_left": antennas, "antenna_right": antennas}
        wish = {name: value for name, value in wished.items() if given.get(name, head) is not None}
        self._order(Goto(wish, max(float(duration), 0.05)), wait=True)

    def set_target(self, head: Any = None, antennas: Any = None, body_yaw: float | None = None) -> None:
        """Follow from now on; for a stream of poses."""
        self._scope.target(merge_pose(self._from(), head, antennas, body_yaw))

    def set_target_head_pose(self, pose: Any) -> None:
        self.set_target(head=pose)

    def set_target_antenna_joint_positions(self, antennas: Any) -> None:
        self.set_target(antennas=antennas)

    def set_target_body_yaw(self, body_yaw: float) -> None:
        self.set_target(body_yaw=body_yaw)

    def look_at_world(self, x: float, y: float, z: float, duration: float = 1.0, perform_movement: bool = True) -> Any:
        """Towards a point, in metres from the head; returns the head's transform."""
        looking = Pose(yaw=math.atan2(y, x), pitch=-math.atan2(z, math.hypot(x, y)))
        if perform_movement:
            self.goto_target(matrix(looking), duration=duration, body_yaw=None)
        return matrix(looking)

    def look_at_image(self, *_: Any, **__: Any) -> Any:
        raise NotReady("guests can't look at a place in the picture", hint="look_at_world can be used")

    def play_move(self, move: Any, *_: Any, **__: Any) -> None:
        self._order(move, wait=True)

    async def async_play_move(self, move: Any, *_: Any, **__: Any) -> None:
        import asyncio  # noqa: PLC0415

        await asyncio.to_thread(self._order, move, wait=True)

    def wake_up(self) -> None:
        self._scope.call_and_wait("robot.wake_up")

    def goto_sleep(self) -> None:
        self._scope.call_and_wait("robot.sleep")

    def enable_motors(self) -> None:
        self._scope.call_and_wait("robot.set_motor_mode", mode="enabled")

    def disable_motors(self) -> None:
        self._scope.call_and_wait("robot.set_motor_mode", mode="disabled")

    def enable_gravity_compensation(self) -> None:
        self._scope.call_and_wait("robot.set_motor_mode", mode="gravity_compensation")

    def disable_gravity_compensation(self) -> None:
        self.enable_motors()


class MovementManager(View):
    """The queue of moves. The call ends when all of them have; until then they can be cleared."""

    def queue_move(self, move: Any) -> None:
        self._order(move, wait=False)

    def clear_move_queue(self) -> None:
        self._scope.clear()

    clear_queue = clear_move_queue

    def set_listening(self, listening: bool) -> None:
        scope = self._scope
        motion = scope.motion
        scope.post(lambda: motion.listening(bool(listening)))

    def is_idle(self) -> bool:
        return not self._scope.motion.state.busy

    def set_moving_state(self, duration: float = 0.0) -> None:
        """Does nothing: the motion process knows when it moves."""

    mark_activity = set_moving_state

    def set_speech_offsets(self, *_: Any, **__: Any) -> None:
        log_once("movement_manager.set_speech_offsets", "the head moves with speech by itself")

    def set_tracking_offsets(self, *_: Any, **__: Any) -> None:
        log_once("movement_manager.set_tracking_offsets", "use head_tracking, or look_at_world")

    def set_head_tracking(self, enabled: bool) -> None:
        self._scope.call("robot.head_tracking", enabled=bool(enabled))

    def get_status(self) -> dict[str, Any]:
        state = self._scope.motion.state
        return {"is_idle": not state.busy, "pose": state.pose.in_degrees()}


class CameraWorker(View):
    """Guests get no frames yet."""

    def get_latest_frame(self) -> None:
        return None

    def set_head_tracking_enabled(self, enabled: bool) -> None:
        self._scope.call("robot.head_tracking", enabled=bool(enabled))

    set_tracking_enabled = set_head_tracking_enabled

    def get_face_tracking_offsets(self) -> tuple[float, ...]:
        return (0.0,) * 6


class HeadWobbler:
    """Does nothing: the robot itself moves the head with speech. Logged once."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def nothing(*_: Any, **__: Any) -> None:
            log_once(f"head_wobbler.{name}", "the head moves with speech by itself")

        return nothing
