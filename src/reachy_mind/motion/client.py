"""`Motion`: the robot's movements, as the main process asks for them.

Moves are queued and played by the motion process; every answer is what the robot reported afterwards. `stop` is never
refused and never waits. One `Motion` drives one robot; while it does, nobody else of ours opens the robot's line.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self
from uuid import uuid4

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.daemon import Daemon
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import Clamped
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import (
    HardwareError,
    InvalidParameter,
    LinkLost,
    MindError,
    NotReady,
    RobotBusy,
    TimedOut,
    VersionMismatch,
)
from reachy_mind.events import Bus, LinkChanged, MotionRestarted
from reachy_mind.motion.child import FRAMES_PER_PACKET, Child
from reachy_mind.motion.moves import Frames, Goto, Move, sampled

LOCK_CHECK_S = 2.0
ARRIVED_DEGREES = 8.0
"""How near the measured pose must be to the wish: with the neck turned far, gravity bends it by five."""
STILL, CALM_STATES, SETTLE_S = math.radians(0.15), 15, 0.9
GRACE_S = 5.0
UP = math.radians(3)
MODE_REPORT_S = 1.5
"""The daemon tells its motor mode once a second: for this long what we set counts more than what it said before."""

Status = Literal["connecting", "connected", "lost", "refused", "closed"]

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """What the robot reported last, what it was told last, and when (monotonic seconds)."""

    pose: Pose
    command: Pose
    joints: tuple[float, ...]
    at: float
    mode: MotorMode | None
    engaged: bool
    busy: bool
    robot: str
    version: str
    simulated: bool
    error: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a command ended: what was measured, and what of the wish had to give."""

    state: State
    clamped: tuple[Clamped, ...] = ()


class Motion:
    """Use as `async with Motion(...) as motion:`; then `await motion.wait_connected(...)`."""

    def __init__(
        self,
        address: Address,
        description: Path,
        *,
        app_name: str = "reachy_mind",
        idle: bool = True,
        bus: Bus | None = None,
        log_level: str = "info",
        priority: bool = True,
    ) -> None:
        self.address = address
        self.status: Status = "connecting"
        self.reason = ""
        self.refusal: MindError | None = None
        self.kinematics = Kinematics(description / "kinematics_data.json")
        self._daemon = Daemon(address, app_name=app_name)
        self._bus = bus or Bus()
        self._child = Child.for_robot(
            address,
            description / "kinematics_data.json",
            idle=idle,
            priority=priority,
            log_level=log_level,
            heard=self._heard,
            died=self._on_death,
        )
        self._state: State | None = None
        self._mode: MotorMode | None = None
        self._mode_set_at = -math.inf
        self._engaged = False
        self._changed = asyncio.Event()
        self._moves: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._idle = idle
        self._lease = ""
        self._played = 0
        self._tracked = False
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._child.start()
        self._watch = asyncio.create_task(self._watch_daemon(), name="daemon watch")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._watch is not None
        self._watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._watch
        await self._child.close()
        if self._tracked:
            with contextlib.suppress(MindError):
                await self._daemon.resume_tracking()
        await self._daemon.aclose()
        self._set_status("closed", "")

    async def _watch_daemon(self) -> None:
        """Checks version and lock before the line is opened, and the lock ever after."""
        checked = False
        while True:
            try:
                if not checked:
                    status = await self._daemon.check()
                    self._tracked = status.face_target.ts is not None
                    await self._daemon.quiet()
                    checked = True
                    self._child.switch("line", on=True)
                else:
                    await self._daemon.check_lock()
                if self.refusal is not None:
                    self.refusal = None
                    self._child.switch("line", on=True)
                pause = LOCK_CHECK_S
                checked = checked and self.status != "lost"  # whoever answers next may be another daemon
            except (VersionMismatch, RobotBusy) as error:
                self.refusal, pause = error, LOCK_CHECK_S
                self._child.switch("line", on=False)
                self._set_status("refused", error.message)
            except MindError as error:
                pause = 0.3
                if not checked:
                    self._set_status("connecting", error.message)
            await asyncio.sleep(pause)

    @property
    def pid(self) -> int:
        """Of the motion process."""
        return self._child.pid

    # What is known

    @property
    def state(self) -> State:
        """The last report. Raises LinkLost, or RobotBusy when another app has the robot."""
        if self.status == "connected" and self._state is not None:
            return self._state
        if self.refusal is not None:
            raise self.refusal
        raise LinkLost(
            f"no connection to the robot at {self.address}: {self.reason or self.status}",
            hint="is it switched on, and its daemon running? 'reachy-mind robot discover' finds robots",
        )

    async def wait_connected(self, timeout: float) -> State:
        """The first state. Raises the refusal (RobotBusy, VersionMismatch) or LinkLost."""
        with contextlib.suppress(TimedOut):
            await self._until(lambda: self.refusal is not None or self.status == "connected", timeout)
        if self.refusal is not None:
            raise self.refusal
        return self.state

    async def wait_status(self, status: Status, timeout: float) -> None:
        """Until the line stands so. Raises TimedOut."""
        await self._until(lambda: self.status == status, timeout)

    async def wait_for(self, test: Callable[[State], bool], timeout: float) -> State:
        """The first state for which `test` holds. Raises TimedOut or LinkLost."""
        await self._until(lambda: self.status != "connected" or test(self.state), timeout)
        return self.state

    async def states(self) -> AsyncIterator[State]:
        """Every new state while the line is up; a slow reader skips some."""
        last_at = 0.0
        while True:
            await self._until(lambda: self.status != "connected" or self.state.at > last_at, GRACE_S)  # noqa: B023
            last_at = self.state.at
            yield self.state

    async def _until(self, test: Callable[[], object], timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                while not test():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise TimedOut(f"the robot did not get there within {timeout:g} s") from None

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
        off = math.degrees(arrival.state.pose.distance(target))
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
        return Arrival(await self._settled())

    def clear(self) -> None:
        """End every move; the robot then idles."""
        self._child.send("clear")

    def speech(self, envelope: Sequence[float], t0: float) -> None:
        """Sway with speech: loudness 0..1 at 100 a second, the first of it heard at `t0` (monotonic seconds)."""
        self._child.send("speech", envelope=list(envelope), t0=t0)

    def gaze(self, yaw: float, pitch: float, seen_at: float) -> None:
        """Something worth looking at, in radians from straight ahead, seen at a monotonic time."""
        self._child.send("gaze", yaw=yaw, pitch=pitch, at=seen_at)

    def listening(self, on: bool) -> None:
        """Antennas hold still while the robot listens."""
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

    async def record(self, duration: float) -> Frames:
        """What the robot does for `duration` seconds, as a move."""
        poses: list[tuple[float, Pose]] = []
        start = self.state.at
        async for state in self.states():
            poses.append((state.at - start, state.pose))
            if state.at - start >= duration:
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

    async def wake(self) -> Arrival:
        """Motors on, head up; a robot that is awake already is taken up where it is."""
        if self.awake and self.state.engaged:
            return Arrival(self.state)
        await self._daemon.stop_moves()
        if self.awake:
            await self._engage(on=True)
            return Arrival(self.state)
        await self.motor_mode(MotorMode.ENABLED)
        self._child.switch("idle", on=self._idle)
        for pose, duration in ((AWAKE, 0.9), (replace(AWAKE, roll=math.radians(15)), 0.25)):
            self._queue(Goto.to(pose, duration))
        await self._ending(self._queue(Goto.to(AWAKE, 0.25)), 20.0)
        try:
            return Arrival(await self.wait_for(lambda s: s.pose.distance(AWAKE) < UP, SETTLE_S))
        except TimedOut:
            hint = "is its power supply plugged in? reachy-mind doctor"
            raise HardwareError("the robot did not get up", hint=hint) from None

    async def sleep(self) -> Arrival:
        """Head down, motors off; does nothing to a robot that sleeps already."""
        if self._mode is MotorMode.DISABLED and self.state.pose.distance(ASLEEP) < math.radians(15):
            return Arrival(self.state)
        if not self.state.engaged:
            await self.motor_mode(MotorMode.ENABLED)
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

    async def _engage(self, *, on: bool) -> None:
        answer = await self._ask("engage", "engaged", on=on)
        if answer["on"] is not on:
            raise NotReady("the robot has not reported its pose yet", hint="try again")
        self._engaged = on
        await self.wait_for(lambda state: state.engaged is on, GRACE_S)

    async def _ask(self, kind: str, answer: str, **content: Any) -> dict[str, Any]:
        future = self._answers[answer] = asyncio.get_running_loop().create_future()
        if not self._child.send(kind, **content):
            raise NotReady("the motion process is starting", hint="try again")
        try:
            return await asyncio.wait_for(future, GRACE_S)
        except TimeoutError:
            raise TimedOut("the motion process does not answer") from None

    def _queue(self, move: Goto | Frames) -> asyncio.Future[dict[str, Any]]:
        move_id = uuid4().hex
        self._played += 1
        ended = self._moves[move_id] = asyncio.get_running_loop().create_future()
        ended.add_done_callback(lambda _: self._moves.pop(move_id, None))
        if isinstance(move, Goto):
            sent = self._child.send("play", id=move_id, kind="goto", wish=move.wish, duration=move.duration)
        else:
            for start in range(0, len(move.frames), FRAMES_PER_PACKET):
                self._child.send("frames", id=move_id, frames=list(move.frames[start : start + FRAMES_PER_PACKET]))
            sent = self._child.send("play", id=move_id, kind="frames", gazing=move.gazing)
        if not sent:
            ended.cancel()
            raise NotReady("the motion process is starting", hint="try again")
        return ended

    async def _ending(self, ended: asyncio.Future[dict[str, Any]], timeout: float) -> dict[str, Any]:
        try:
            outcome = await asyncio.wait_for(ended, timeout)
        except TimeoutError:
            raise TimedOut(f"the robot did not finish the move within {timeout:g} s") from None
        match outcome["how"]:
            case "finished":
                return outcome
            case "stopped":
                raise HardwareError("the move was stopped before its end")
            case "cancelled":
                raise HardwareError("the move gave way to another one")
            case _:
                raise HardwareError(f"the move failed: {outcome['reason']}")

    def _given(self, axes: Sequence[str], move: Goto | Frames, state: State) -> tuple[Clamped, ...]:
        wish = move.wish if isinstance(move, Goto) else {}
        command = state.command
        return tuple(Clamped(axis, wish.get(axis, math.nan), getattr(command, axis)) for axis in axes)

    def _require_motors(self) -> None:
        if not self.state.engaged:
            raise NotReady(f"the motors are {self._mode or 'off'}", hint="reachy-mind robot wake")

    async def _settled(self) -> State:
        """The state once the robot has come to rest for 0.4 seconds, or after SETTLE_S at the latest."""
        recent: deque[State] = deque([self.state], maxlen=CALM_STATES)
        deadline = time.monotonic() + SETTLE_S
        async for state in self.states():
            recent.append(state)
            still = len(recent) == CALM_STATES and state.pose.distance(recent[0].pose) < STILL
            if still or time.monotonic() > deadline:
                return state
        return self.state

    # The process

    def _heard(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "state":
                self._take(message)
            case "ended":
                future = self._moves.get(message["id"])
                if future is not None and not future.done():
                    future.set_result(message)
            case "refused":
                _log.error("the motion process refused a message", reason=message["reason"])
            case kind:
                answer = self._answers.pop(kind, None)
                if answer is not None and not answer.done():
                    answer.set_result(message)

    def _take(self, message: dict[str, Any]) -> None:
        if not message["connected"]:
            if self.refusal is None and message["reason"]:
                was_up = self.status in ("connected", "lost")
                self._set_status("lost" if was_up else "connecting", message["reason"])
            self._changed.set()
            return
        if message["mode"] and time.monotonic() - self._mode_set_at > MODE_REPORT_S:
            self._mode = MotorMode(message["mode"])
        self._engaged = message["engaged"]
        self._state = State(
            Pose(*message["pose"]),
            Pose(*message["command"]),
            tuple(message["joints"]),
            message["at"],
            self._mode,
            message["engaged"],
            message["busy"],
            message["robot"],
            message["version"],
            message["simulated"],
            message["error"],
        )
        if message["robot"]:
            self._set_status("connected", "")
        self._changed.set()

    def _on_death(self, exit_code: int) -> None:
        self._bus.publish(MotionRestarted(exit_code=exit_code))
        self._set_status("lost", f"the motion process died ({exit_code}) and is being started again")
        for future in [*self._moves.values(), *self._answers.values()]:
            if not future.done():
                future.set_exception(LinkLost("the motion process died in mid-move"))
        self._answers.clear()
        if self._engaged:
            self._reengage = asyncio.create_task(self._engage_again(), name="engage again")

    async def _engage_again(self) -> None:
        """The robot still stands where it was left: take it up from there."""
        with contextlib.suppress(MindError):
            await self.wait_status("connected", 10.0)
            if await self._daemon.motor_mode() is MotorMode.ENABLED:
                await self._engage(on=True)

    def _set_status(self, status: Status, reason: str) -> None:
        if (status, reason) != (self.status, self.reason):
            self.status, self.reason = status, reason
            self._bus.publish(LinkChanged(status=status, reason=reason))
            tell = _log.warning if reason and status != "connecting" else _log.debug
            tell(f"robot {status}", robot=str(self.address), reason=reason)
        self._changed.set()


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
