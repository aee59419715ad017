"""`Motion`: client of the motion process: moves, gaze, posture, speech sway, teleoperation lease, motors.

The motion process queues and plays moves; every result is what the robot reported afterwards. `stop` is never refused
and never waits. One `Motion` drives one robot and owns its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from reachy_mind import log
from reachy_mind.body.limits import Clamped
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.body.protocol import MotorMode, SoundDirection
from reachy_mind.errors import HardwareError, InvalidParameter, MindError, NotReady, RobotBusy, TimedOut
from reachy_mind.motion import posture
from reachy_mind.motion.connection import REPLY_TIMEOUT_S, SETTLE_TIMEOUT_S, MotionConnection, State
from reachy_mind.motion.limits import NAMES
from reachy_mind.motion.moves import Frames, Goto, Move, sampled

ARRIVAL_TOLERANCE_DEGREES = 8.0
"""Largest deviation of the measured pose from the target: with the neck turned far, gravity bends it by five."""
SPEECH_VALUES_PER_PACKET = 1000
AWAKE_TOLERANCE = math.radians(3)
ANTENNAS_FOLDED = math.radians(300)
"""Angle between the antennas: a daemon started without wake-up may hold the head up with the antennas down."""

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The result of a command: the measured state and the axes that were clamped."""

    state: State
    clamped: tuple[Clamped, ...] = ()


class Motion(MotionConnection):
    """Use as `async with Motion(...) as motion:`; then `await motion.wait_connected(...)`."""

    # Moves

    async def play(self, move: Goto | Move, *, wait: bool = True, settle: bool = True) -> Arrival:
        """Queue a move and, with `wait`, wait until it has ended and, with `settle`, the robot is at rest.

        Without `settle` the robot is near the end of the move: for a program that orders one move after the other.

        Raises InvalidParameter for an invalid move, NotReady with motors off, Cancelled when it was stopped.
        """
        self._require_motors()
        native = move if isinstance(move, Goto | Frames) else sampled(move)
        if not native.finite:
            raise InvalidParameter("the move is not finite", hint="every number of a move must be one")
        ended = self._queue(native)
        if not wait:
            return Arrival(self.state)
        timeout_s = native.duration + sum(1 for _ in self._moves) * 60 + REPLY_TIMEOUT_S
        outcome = await self._wait_for_end(ended, timeout_s)
        state = await (self._settled() if settle else self._caught_up())
        return Arrival(state, self._clamped(outcome["clamped"], native, state))

    async def goto(self, target_pose: Pose, duration: float = 1.0, *, clamp: bool = False) -> Arrival:
        """Move to a pose. Raises OutOfReach (unless `clamp`), and HardwareError when the robot ends up elsewhere."""
        if not (math.isfinite(duration) and 0.1 <= duration <= 60):
            raise InvalidParameter(f"a duration of {duration} s", hint="between 0.1 and 60 seconds")
        target, clamped = self.kinematics.within_reach(target_pose)
        if not clamp:
            target = self.kinematics.require_reach(target_pose)
        number = self._played + 1
        arrival = await self.play(Goto.to(target, duration))
        # If another move has started by now, the robot is elsewhere on purpose.
        newest = self._played == number
        off = math.degrees(arrival.state.base_pose.distance(target))
        if newest and not arrival.clamped and off > ARRIVAL_TOLERANCE_DEGREES:
            raise HardwareError(
                f"the robot stopped {off:.1f} degrees short of the target", hint="is something in its way?"
            )
        return Arrival(arrival.state, clamped or arrival.clamped)

    async def stop(self) -> Arrival:
        """Brake and hold now, drop all moves and revoke the teleoperation lease. Never refused."""
        self._process.send("stop")
        self._lease = ""
        with contextlib.suppress(MindError):
            await self._daemon.stop_moves()
        if self._sounding:
            self._sounding = False
            with contextlib.suppress(MindError):
                await self._daemon.stop_sound()
        return Arrival(await self._settled())

    def clear(self) -> None:
        """Cancel all moves; the robot then idles."""
        self._process.send("clear")

    def speech(self, envelope: Sequence[float], t0: float, *, start: int = 0) -> bool:
        """Sway with speech: loudness 0..1 at 100 Hz; the first value of all is heard at `t0` (monotonic seconds).

        With `start` 0 it replaces the current envelope; an empty one ends it. A larger `start` appends to or overwrites
        the envelope from that value on, and updates `t0`. `SpeechPlayback` calls this for an audio player. Returns
        False while the motion process is restarting. Raises InvalidParameter.
        """
        try:
            values = [round(float(value), 3) for value in envelope]
        except (TypeError, ValueError) as error:
            raise InvalidParameter(f"loudness that is no number: {error}") from error
        if start < 0 or not math.isfinite(t0):
            raise InvalidParameter(f"speech from {start}, heard at {t0}", hint="from 0 on, at a monotonic time")
        pieces = range(0, max(len(values), 1), SPEECH_VALUES_PER_PACKET)
        return all(
            self._process.send("speech", envelope=values[at : at + SPEECH_VALUES_PER_PACKET], t0=t0, start=start + at)
            for at in pieces
        )

    def gaze(self, yaw: float, pitch: float, seen_at: float, rate: tuple[float, float] = (0.0, 0.0)) -> None:
        """Look at a direction, in radians from straight ahead, seen at a monotonic time.

        `rate`: its movement, yaw and pitch per second; the head aims at the predicted position.
        """
        self._process.send("gaze", yaw=yaw, pitch=pitch, at=seen_at, rate=rate)

    def look_away(self) -> None:
        """End the gaze at once, without waiting for its timeout."""
        self._process.send("look_away")

    def resume(self) -> None:
        """Allow idle motion and gaze again after a stop, which otherwise last until the next move."""
        self._process.send("resume")

    def posture(self, name: str) -> None:
        """Set the posture while no move plays: `listening`, `thinking`, `speaking` or `none`.

        Raises InvalidParameter.
        """
        if name not in posture.NAMES:
            raise InvalidParameter(f"no posture {name!r}", hint=f"one of {', '.join(posture.NAMES)}")
        self._process.send("posture", name=name)

    def listening(self, on: bool) -> None:
        """Set or leave the listening posture, in which the antennas hold still."""
        self._process.send("listening", on=on)

    def idle(self, on: bool) -> None:
        """Switch idle motion (breathing, looking around) on or off."""
        self._idle = on
        self._process.switch("idle", on=on)

    def rest_idle(self, on: bool) -> None:
        """Hold still (`on`) instead of idling, for as long as a person is being answered."""
        self._process.send("rest_idle", on=on)

    @contextlib.contextmanager
    def teleoperate(self) -> Any:
        """Take the teleoperation lease: `with motion.teleoperate() as send: send(pose)`. Raises RobotBusy if taken."""
        if self._lease:
            raise RobotBusy("the robot is already being teleoperated", hint="one lease at a time")
        self._require_motors()
        lease = self._lease = uuid4().hex

        def send(pose: Pose) -> None:
            if self._lease != lease:
                raise RobotBusy("the robot was stopped, which ended this lease", hint="take a new one")
            self._process.send("teleoperate", pose=self.kinematics.within_reach(pose)[0].as_tuple, lease=lease)

        try:
            yield send
        finally:
            if self._lease == lease:
                self._lease = ""

    async def record(self, duration: float, until: asyncio.Event | None = None) -> Frames:
        """Record the robot's poses for `duration` seconds, or until the event, as a move."""
        poses: list[tuple[float, Pose]] = []
        start = self.state.at
        async for state in self.states():
            poses.append((state.at - start, state.pose))
            if state.at - start >= duration or (until is not None and until.is_set()):
                break
        return _at_100_hz(poses)

    # Motors

    @property
    def awake(self) -> bool:
        """Whether the motors are on and the head is up."""
        return self.state.mode is MotorMode.ENABLED and self.state.pose.distance(ASLEEP) > math.radians(20)

    async def motor_mode(self, mode: MotorMode) -> State:
        """Enable or disable the motors, or set gravity compensation. Raises HardwareError when the mode stays."""
        if mode is not MotorMode.ENABLED:
            await self._engage(on=False)
        await self._daemon.set_motor_mode(mode)
        self._mode, self._mode_set_at = mode, time.monotonic()
        if mode is MotorMode.ENABLED and not self.state.engaged:
            await self._daemon.settle_motors()
            await self._engage(on=True)
        self._state = replace(self.state, mode=mode)
        return self._state

    @contextlib.asynccontextmanager
    async def compliant(self) -> AsyncIterator[None]:
        """Make the motors yield to a hand for the duration of an `async with`; then they hold the new pose.

        Uses gravity compensation where the robot has it. Otherwise the robot lies down first, because its head would
        drop without motors. A robot whose motors were off before lies down again afterwards.
        """
        rested = not self.state.engaged
        try:
            await self.motor_mode(MotorMode.GRAVITY_COMPENSATION)
        except HardwareError as error:
            _log.info("no gravity compensation: lying down instead", reason=error.message)
            await self.sleep()
        try:
            yield
        finally:
            await self.motor_mode(MotorMode.ENABLED)
            if rested:
                await self.sleep()

    async def play_sound(self, sound: Path) -> str:
        """Play a sound file on the robot's speaker. Returns `played`, or why not: a move goes on without its sound."""
        try:
            await self._daemon.play_sound(sound)
        except MindError as error:
            _log.warning("sound not played", sound=sound.name, reason=error.message)
            return f"not played: {error.message}"
        self._sounding = True
        return "played"

    async def set_volume(self, volume: int) -> int:
        """Set the speaker volume, 0 to 100. Returns what the robot reports afterwards. Raises HardwareError."""
        return await self._daemon.set_volume(volume)

    async def camera_specs(self) -> dict[str, Any]:
        """The daemon's specs of the robot's camera. Raises LinkLost, HardwareError."""
        return await self._daemon.camera_specs()

    async def sound_direction(self) -> SoundDirection | None:
        """Direction of arrival of a sound, relative to the head; None on a robot that can't measure it."""
        return await self._daemon.sound_direction()

    async def wake(self) -> Arrival:
        """Motors on, head up. A robot that is awake already stays where it is."""
        if self.awake and self.state.engaged:
            return Arrival(self.state)
        await self._daemon.stop_moves()
        folded = self.state.pose.antenna_left - self.state.pose.antenna_right > ANTENNAS_FOLDED
        if self.awake and not folded:
            await self._engage(on=True)
            return Arrival(self.state)
        await self.motor_mode(MotorMode.ENABLED)
        self._process.switch("idle", on=self._idle)
        for pose, duration in ((AWAKE, 0.9), (replace(AWAKE, roll=math.radians(15)), 0.25)):
            self._queue(Goto.to(pose, duration))
        await self._wait_for_end(self._queue(Goto.to(AWAKE, 0.25)), 20.0)
        try:
            return Arrival(
                await self.wait_for(lambda s: s.base_pose.distance(AWAKE) < AWAKE_TOLERANCE, SETTLE_TIMEOUT_S)
            )
        except TimedOut:
            hint = "is its power supply plugged in? reachy-mind doctor"
            raise HardwareError("the robot did not get up", hint=hint) from None

    async def sleep(self) -> Arrival:
        """Head down, motors off; does nothing when it sleeps already."""
        if self._mode is MotorMode.DISABLED and self.state.pose.distance(ASLEEP) < math.radians(15):
            return Arrival(self.state)
        if not self.state.engaged:
            await self.motor_mode(MotorMode.ENABLED)
        self.posture("none")
        self._process.switch("idle", on=False)  # otherwise it would start breathing before its motors are off
        self.clear()
        if self.state.pose.distance(AWAKE) > 0.5 and self.state.pose.distance(ASLEEP) > 0.3:
            self._queue(Goto.to(AWAKE, 1.0))
        await self._wait_for_end(self._queue(Goto.to(ASLEEP, 2.0)), 20.0)
        state = await self._settled()
        try:
            state = await self.motor_mode(MotorMode.DISABLED)
        except HardwareError as error:  # the vendor's simulator can't; the head is down anyway
            _log.warning("asleep, but with its motors on", reason=error.message)
        if state.pose.distance(ASLEEP) > math.radians(15):
            raise HardwareError("the robot did not lie down", hint="is something in its way?")
        return Arrival(state)

    async def lateness(self, *, clear: bool = False) -> dict[str, float]:
        """Timing statistics of the loop; see `timing_stats`."""
        figures: dict[str, float] = (await self._request("stats", "stats", clear=clear))["figures"]
        return figures

    def _clamped(self, axes: Sequence[str], move: Goto | Frames, state: State) -> tuple[Clamped, ...]:
        """The clamped axes: for a goto against where it ended, for frames against their largest values."""
        if isinstance(move, Goto):
            return tuple(
                Clamped(axis, move.target[axis], getattr(state.command, axis)) for axis in axes if axis in move.target
            )
        furthest = {axis: max((frame[NAMES.index(axis)] for frame in move.frames), key=abs) for axis in axes}
        given = self.kinematics.within_reach(Pose(**{**dict.fromkeys(NAMES, 0.0), **furthest}))[0]
        return tuple(Clamped(axis, furthest[axis], getattr(given, axis)) for axis in axes)

    def _require_motors(self) -> None:
        if not self.state.engaged:
            raise NotReady(f"the motors are {self._mode or 'off'}", hint="reachy-mind robot wake")


def _at_100_hz(poses: Sequence[tuple[float, Pose]]) -> Frames:
    """Poses at uneven times, resampled to 100 Hz."""
    frames, index = [], 0
    for tick in range(int(poses[-1][0] * 100) + 1):
        t = tick / 100
        while index + 2 < len(poses) and poses[index + 1][0] <= t:
            index += 1
        (t0, a), (t1, b) = poses[index], poses[min(index + 1, len(poses) - 1)]
        share = (t - t0) / (t1 - t0) if t1 > t0 else 0.0
        frames.append(a.blend(b, min(max(share, 0.0), 1.0)).as_tuple)
    return Frames(frames)
