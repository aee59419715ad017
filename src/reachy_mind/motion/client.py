"""`Motion`: the robot's movements, as the main process asks for them.

Moves are queued and played by the motion process; every answer is what the robot reported afterwards. `stop` is never
refused and never waits. One `Motion` drives one robot; while it does, nobody else of ours opens the robot's line.
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
from reachy_mind.motion.limits import NAMES
from reachy_mind.motion.line import GRACE_S, SETTLE_S, Line, State
from reachy_mind.motion.moves import Frames, Goto, Move, sampled

ARRIVED_DEGREES = 8.0
"""How near the measured pose must be to the wish: with the neck turned far, gravity bends it by five."""
SPEECH_PER_PACKET = 1000
UP = math.radians(3)
ANTENNAS_FOLDED = math.radians(300)
"""Between the two: a daemon started without waking its robot may hold the head up with the antennas still down."""

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a command ended: what was measured, and what of the wish had to give."""

    state: State
    clamped: tuple[Clamped, ...] = ()


class Motion(Line):
    """Use as `async with Motion(...) as motion:`; then `await motion.wait_connected(...)`."""

    # Moves

    async def play(self, move: Goto | Move, *, wait: bool = True) -> Arrival:
        """Queue a move; unless `wait` is off, until it has ended and the robot is at rest.

        Raises InvalidParameter for a broken move, NotReady with motors off, HardwareError when it was stopped.
        """
        self._require_motors()
        native = move if isinstance(move, Goto | Frames) else sampled(move)
        if not native.finite:
            raise InvalidParameter("the move is not finite", hint="every number of a move must be one")
        ended = self._queue(native)
        if not wait:
            return Arrival(self.state)
        patience = native.duration + sum(1 for _ in self._moves) * 60 + GRACE_S
        outcome = await self._ending(ended, patience)
        state = await self._settled()
        return Arrival(state, self._given(outcome["clamped"], native, state))

    async def goto(self, wish: Pose, duration: float = 1.0, *, clamp: bool = False) -> Arrival:
        """Move to `wish`. Raises OutOfReach (unless `clamp`), and HardwareError when the robot ends up elsewhere."""
        if not (math.isfinite(duration) and 0.1 <= duration <= 60):
            raise InvalidParameter(f"a duration of {duration} s", hint="between 0.1 and 60 seconds")
        target, clamped = self.kinematics.within_reach(wish)
        if not clamp:
            target = self.kinematics.require_reach(wish)
        number = self._played + 1
        arrival = await self.play(Goto.to(target, duration))
        # If another move has followed by now, the robot is rightly elsewhere: that one answers for itself.
        newest = self._played == number
        off = math.degrees(arrival.state.underneath.distance(target))
        if newest and not arrival.clamped and off > ARRIVED_DEGREES:
            raise HardwareError(
                f"the robot stopped {off:.1f} degrees short of the target", hint="is something in its way?"
            )
        return Arrival(arrival.state, clamped or arrival.clamped)

    async def stop(self) -> Arrival:
        """Brake now and hold, whatever was playing or waiting, and end a lease. Never refused."""
        self._child.send("stop")
        self._lease = ""
        with contextlib.suppress(MindError):
            await self._daemon.stop_moves()
        if self._sounding:
            self._sounding = False
            with contextlib.suppress(MindError):
                await self._daemon.stop_sound()
        return Arrival(await self._settled())

    def clear(self) -> None:
        """End every move; the robot then idles."""
        self._child.send("clear")

    def speech(self, envelope: Sequence[float], t0: float, *, start: int = 0) -> bool:
        """Move with speech: loudness 0..1 at 100 a second, the first of all heard at `t0` (monotonic seconds).

        With `start` 0 it replaces what was playing; an empty one ends it. With more it goes on with, or overwrites,
        what was sent before from that value on, and says anew when the first was heard. `Utterance` does this for
        whoever plays audio. Returns whether it went out: it does not while the motion process is being started.
        Raises InvalidParameter.
        """
        try:
            values = [round(float(value), 3) for value in envelope]
        except (TypeError, ValueError) as error:
            raise InvalidParameter(f"loudness that is no number: {error}") from error
        if start < 0 or not math.isfinite(t0):
            raise InvalidParameter(f"speech from {start}, heard at {t0}", hint="from 0 on, at a monotonic time")
        pieces = range(0, max(len(values), 1), SPEECH_PER_PACKET)
        return all(
            self._child.send("speech", envelope=values[at : at + SPEECH_PER_PACKET], t0=t0, start=start + at)
            for at in pieces
        )

    def gaze(self, yaw: float, pitch: float, seen_at: float, rate: tuple[float, float] = (0.0, 0.0)) -> None:
        """Something worth looking at, in radians from straight ahead, seen at a monotonic time.

        `rate`: how it moves, yaw and pitch a second; it is then looked for where it will be.
        """
        self._child.send("gaze", yaw=yaw, pitch=pitch, at=seen_at, rate=rate)

    def look_away(self) -> None:
        """What was looked at last is looked at no longer: the head returns at once instead of waiting for it."""
        self._child.send("look_away")

    def resume(self) -> None:
        """After a stop the robot holds still until it is asked for a move; this lets it idle and gaze without one."""
        self._child.send("resume")

    def posture(self, name: str) -> None:
        """How the robot holds itself when no move plays: `listening`, `thinking`, `speaking` or `none`.

        Raises InvalidParameter.
        """
        if name not in posture.NAMES:
            raise InvalidParameter(f"no posture {name!r}", hint=f"one of {', '.join(posture.NAMES)}")
        self._child.send("posture", name=name)

    def listening(self, on: bool) -> None:
        """The posture of listening, or out of it if it is the one; the antennas hold still meanwhile."""
        self._child.send("listening", on=on)

    def idle(self, on: bool) -> None:
        """Whether the robot breathes and looks around when it has nothing to do."""
        self._idle = on
        self._child.switch("idle", on=on)

    @contextlib.contextmanager
    def teleoperate(self) -> Any:
        """A lease on the robot: `with motion.teleoperate() as send: send(pose)`. Raises RobotBusy if there is one."""
        if self._lease:
            raise RobotBusy("somebody else teleoperates the robot", hint="one lease at a time")
        self._require_motors()
        lease = self._lease = uuid4().hex

        def send(pose: Pose) -> None:
            if self._lease != lease:
                raise RobotBusy("the robot was stopped, which ended this lease", hint="take a new one")
            self._child.send("teleoperate", pose=self.kinematics.within_reach(pose)[0].nine, lease=lease)

        try:
            yield send
        finally:
            if self._lease == lease:
                self._lease = ""

    async def record(self, duration: float, until: asyncio.Event | None = None) -> Frames:
        """What the robot does for `duration` seconds, or until an event if that comes sooner, as a move."""
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
        """Motors on and head up, whoever woke it."""
        return self.state.mode is MotorMode.ENABLED and self.state.pose.distance(ASLEEP) > math.radians(20)

    async def motor_mode(self, mode: MotorMode) -> State:
        """Motors on (holding), off, or limp but weightless. Raises HardwareError when they stay as they were."""
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
    async def yielding(self) -> AsyncIterator[None]:
        """Motors that give way to a hand, for the time of an `async with`; then they hold where it left the robot.

        A robot that can be weightless is; any other lies down first, for without its motors the head would drop. One
        whose motors were off before lies down again.
        """
        rested = not self.state.engaged
        try:
            await self.motor_mode(MotorMode.GRAVITY_COMPENSATION)
        except HardwareError as error:
            _log.info("no weightless mode: lying down instead", reason=error.message)
            await self.sleep()
        try:
            yield
        finally:
            await self.motor_mode(MotorMode.ENABLED)
            if rested:
                await self.sleep()

    async def play_sound(self, sound: Path) -> str:
        """Start a sound file on the robot's speaker: `played`, or why it could not be. A move goes on without it."""
        try:
            await self._daemon.play_sound(sound)
        except MindError as error:
            _log.warning("a sound was not played", sound=sound.name, reason=error.message)
            return f"not played: {error.message}"
        self._sounding = True
        return "played"

    async def set_volume(self, volume: int) -> int:
        """How loud the robot's loudspeaker is, 0 to 100, as it reports afterwards. Raises HardwareError."""
        return await self._daemon.set_volume(volume)

    async def camera_specs(self) -> dict[str, Any]:
        """What the daemon knows of the robot's camera. Raises LinkLost, HardwareError."""
        return await self._daemon.camera_specs()

    async def sound_direction(self) -> SoundDirection | None:
        """Where the robot hears a sound, seen from its head; None for one that can't tell."""
        return await self._daemon.sound_direction()

    async def wake(self) -> Arrival:
        """Motors on, head up; a robot that is awake already is taken up where it is."""
        if self.awake and self.state.engaged:
            return Arrival(self.state)
        await self._daemon.stop_moves()
        folded = self.state.pose.antenna_left - self.state.pose.antenna_right > ANTENNAS_FOLDED
        if self.awake and not folded:
            await self._engage(on=True)
            return Arrival(self.state)
        await self.motor_mode(MotorMode.ENABLED)
        self._child.switch("idle", on=self._idle)
        for pose, duration in ((AWAKE, 0.9), (replace(AWAKE, roll=math.radians(15)), 0.25)):
            self._queue(Goto.to(pose, duration))
        await self._ending(self._queue(Goto.to(AWAKE, 0.25)), 20.0)
        try:
            return Arrival(await self.wait_for(lambda s: s.underneath.distance(AWAKE) < UP, SETTLE_S))
        except TimedOut:
            hint = "is its power supply plugged in? reachy-mind doctor"
            raise HardwareError("the robot did not get up", hint=hint) from None

    async def sleep(self) -> Arrival:
        """Head down, motors off; does nothing to a robot that sleeps already."""
        if self._mode is MotorMode.DISABLED and self.state.pose.distance(ASLEEP) < math.radians(15):
            return Arrival(self.state)
        if not self.state.engaged:
            await self.motor_mode(MotorMode.ENABLED)
        self.posture("none")
        self._child.switch("idle", on=False)  # else it would breathe again before its motors are off
        self.clear()
        if self.state.pose.distance(AWAKE) > 0.5 and self.state.pose.distance(ASLEEP) > 0.3:
            self._queue(Goto.to(AWAKE, 1.0))
        await self._ending(self._queue(Goto.to(ASLEEP, 2.0)), 20.0)
        state = await self._settled()
        try:
            state = await self.motor_mode(MotorMode.DISABLED)
        except HardwareError as error:  # the vendor's simulator can't; the head is down all the same
            _log.warning("asleep, but with its motors on", reason=error.message)
        if state.pose.distance(ASLEEP) > math.radians(15):
            raise HardwareError("the robot did not lie down", hint="is something in its way?")
        return Arrival(state)

    async def lateness(self, *, clear: bool = False) -> dict[str, float]:
        """How punctual the loop was; see `stats`."""
        figures: dict[str, float] = (await self._ask("stats", "stats", clear=clear))["figures"]
        return figures

    def _given(self, axes: Sequence[str], move: Goto | Frames, state: State) -> tuple[Clamped, ...]:
        """What had to give: of a goto against where it ended, of frames against the furthest they asked for."""
        if isinstance(move, Goto):
            return tuple(
                Clamped(axis, move.wish[axis], getattr(state.command, axis)) for axis in axes if axis in move.wish
            )
        furthest = {axis: max((frame[NAMES.index(axis)] for frame in move.frames), key=abs) for axis in axes}
        given = self.kinematics.within_reach(Pose(**{**dict.fromkeys(NAMES, 0.0), **furthest}))[0]
        return tuple(Clamped(axis, furthest[axis], getattr(given, axis)) for axis in axes)

    def _require_motors(self) -> None:
        if not self.state.engaged:
            raise NotReady(f"the motors are {self._mode or 'off'}", hint="reachy-mind robot wake")


def _at_100_hz(poses: Sequence[tuple[float, Pose]]) -> Frames:
    """Poses at uneven times as frames at even ones."""
    frames, index = [], 0
    for tick in range(int(poses[-1][0] * 100) + 1):
        t = tick / 100
        while index + 2 < len(poses) and poses[index + 1][0] <= t:
            index += 1
        (t0, a), (t1, b) = poses[index], poses[min(index + 1, len(poses) - 1)]
        share = (t - t0) / (t1 - t0) if t1 > t0 else 0.0
        frames.append(a.blend(b, min(max(share, 0.0), 1.0)).nine)
    return Frames(frames)
