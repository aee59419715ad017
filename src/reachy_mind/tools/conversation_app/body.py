"""The robot API of the conversation app for use in a guest's thread: the robot, `MovementManager`, `CameraWorker`.

`GuestReachyMini` is the SDK surface of `tools.sdk`, whose calls go to the `Scope` of the running call. The others are
thin views of the app's own classes on that scope.
"""

from __future__ import annotations

import asyncio
import base64
import functools
from dataclasses import replace
from typing import Any

import numpy as np

from reachy_mind import log
from reachy_mind.body.pose import Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.moves import Goto
from reachy_mind.motion.speech_playback import SpeechPlayback
from reachy_mind.tools.conversation_app.moves import acts_of_guest_move, to_native_move
from reachy_mind.tools.conversation_app.scope import Scope, ScopeTransport
from reachy_mind.tools.sdk import reachy_mini as surface

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
        self._scope_transport = ScopeTransport(scope)

    @property
    def _scope(self) -> Scope:
        return self._scope_transport.scope


def order(scope: Scope, move: Any, *, wait: bool) -> None:
    """Convert a guest's move in its own thread, and queue it."""
    start = scope.orders.start_pose()
    ours = to_native_move(move, start)
    acts = acts_of_guest_move(move, ours, start)
    (scope.perform if wait else scope.order)(ours, getattr(move, "kind", "pose"), acts)
    scope.orders.arrives = replace(start, **ours.target) if isinstance(ours, Goto) else Pose(*ours.frames[-1])


class GuestReachyMini(surface.ReachyMini):
    """The SDK surface; moves of the app's own classes are played as what they are."""

    def __init__(self, *_: Any, scope: Scope | None = None, **__: Any) -> None:
        self._scope_transport = ScopeTransport(scope)
        super().__init__(transport=self._scope_transport)

    def play_move(
        self,
        move: Any,
        play_frequency: float = 100.0,  # noqa: ARG002 -- our loop has a rate of its own
        initial_goto_duration: float = 0.0,  # noqa: ARG002 -- our motion starts every move smoothly
        sound: bool = True,  # noqa: ARG002
    ) -> None:
        order(self._scope_transport.scope, move, wait=True)

    async def async_play_move(
        self, move: Any, play_frequency: float = 100.0, initial_goto_duration: float = 0.0, sound: bool = True
    ) -> None:
        await asyncio.to_thread(self.play_move, move, play_frequency, initial_goto_duration, sound)


class MovementManager(View):
    """The queue of moves. The call ends when all of them have; until then they can be cleared."""

    def queue_move(self, move: Any) -> None:
        order(self._scope, move, wait=False)

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
    """Frames of the robot's camera, and head tracking."""

    def get_latest_frame(self) -> Any:
        """A new frame (blue, green, red); None while there is no camera."""
        return self._scope_transport.call("media.get_frame", {})

    def set_head_tracking_enabled(self, enabled: bool) -> None:
        self._scope.call("robot.head_tracking", enabled=bool(enabled))

    set_tracking_enabled = set_head_tracking_enabled

    def get_face_tracking_offsets(self) -> tuple[float, ...]:
        """No offsets: the motion process adds those of head tracking itself."""
        return (0.0,) * 6


class HeadWobbler(View):
    """Sways the head with sound that the guest plays itself; with the robot's own speech it sways by itself."""

    RATE_HZ = 24000

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._playback: SpeechPlayback | None = None

    def feed(self, delta_b64: str) -> None:
        """Sound as it goes to the player: base64 of 16-bit mono at 24 kHz. Raises InvalidParameter."""
        try:
            samples = np.frombuffer(base64.b64decode(delta_b64, validate=True), dtype="<i2")
        except (ValueError, TypeError) as error:
            raise InvalidParameter(f"that is no sound: {error}", hint="base64 of 16-bit samples") from None
        motion = self._scope.motion
        if self._playback is None:
            self._playback = SpeechPlayback(motion, self.RATE_HZ)
        self._scope.post(functools.partial(self._playback.push, samples))

    def reset(self) -> None:
        """The sound was interrupted: the head comes to rest."""
        playback, self._playback = self._playback, None
        if playback is not None:
            self._scope.post(playback.cancel)

    def request_reset_after_current_audio(self) -> None:
        """The sound ends with what was fed."""
        playback, self._playback = self._playback, None
        if playback is not None:
            self._scope.post(playback.finish)

    def start(self) -> None:
        """Does nothing: the first sound starts it."""

    stop = reset
