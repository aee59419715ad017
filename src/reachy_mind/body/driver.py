"""`Driver`: simple, complete robot commands over a link: go there, look, wake, sleep, stop, motor modes.

Each checks its wish against the robot's reach before anything is sent, and ends with the state that was measured
afterwards. For continuous motion there is the motion process; this is for one command at a time.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import Clamped
from reachy_mind.body.link import Link, State
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import HardwareError, InvalidParameter, NotReady, TimedOut

_log = log.get(__name__)

ARRIVED = math.radians(5)
"""How near the measured pose must be to the wish: gravity bends real robots a little."""
UP = math.radians(3)
STILL = math.radians(0.15)
SETTLE_S = 3.0
CALM_STATES = 20
MOVE_MARGIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a command ended: what was measured, and what of the wish had to give."""

    state: State
    clamped: tuple[Clamped, ...] = ()


class Driver:
    def __init__(self, link: Link, kinematics: Kinematics) -> None:
        self._link = link
        self._kinematics = kinematics
        self._commanded: Pose | None = None

    @property
    def here(self) -> Pose:
        """Where the robot was sent last, if it is still there, else where it is.

        A wish for one part of the robot builds on this: on the measured pose, the sag of every call would add up.
        """
        measured = self._link.state.pose
        commanded = self._commanded
        return commanded if commanded is not None and commanded.distance(measured) < ARRIVED else measured

    async def goto(self, wish: Pose, duration: float = 1.0, *, clamp: bool = False) -> Arrival:
        """Move to `wish`. Raises OutOfReach (unless `clamp`), NotReady with motors off, HardwareError if short."""
        if not (math.isfinite(duration) and 0.1 <= duration <= 60):
            raise InvalidParameter(f"a duration of {duration} s", hint="between 0.1 and 60 seconds")
        target, clamped = self._kinematics.within_reach(wish)
        if not clamp:
            target = self._kinematics.require_reach(wish)
        self._require_motors()
        self._commanded = target
        error = await self._link.task(self._task(target, duration), duration + MOVE_MARGIN_S)
        if error == "stopped":
            raise HardwareError("the move was stopped before its end")
        if error:
            raise HardwareError(f"the robot did not move: {error}", hint="reachy-mind robot stop ends what it is doing")
        state = await self._settled()
        if state.pose.distance(target) > ARRIVED:
            raise HardwareError(
                f"the robot stopped {math.degrees(state.pose.distance(target)):.1f} degrees short of the target",
                hint="is something in its way, or was it stopped?",
            )
        return Arrival(state, clamped)

    def require_reach(self, wish: Pose) -> None:
        """Raises OutOfReach, with the nearest the robot can do, or InvalidParameter."""
        self._kinematics.require_reach(wish)

    async def set_target(self, wish: Pose) -> None:
        """One target for a stream of them: sent at once, within reach or not at all."""
        target = self._kinematics.require_reach(wish)
        await self._link.send(
            protocol.SetFullTarget(
                head=list(target.head_matrix()), antennas=list(target.antennas), body_yaw=target.body_yaw
            )
        )

    async def set_motor_mode(self, mode: MotorMode) -> State:
        """Raises HardwareError when the daemon says ok but the motors stay as they were."""
        await self._link.ask("POST", f"{protocol.SET_MOTORS_ROUTE}/{mode}")
        state = await self._link.refresh()
        if state.mode is not mode:
            raise HardwareError(f"the daemon accepted motor mode {mode} but the motors are still {state.mode}")
        return state

    async def wake(self) -> Arrival:
        """Motors on and head up; does nothing to a robot that is awake already."""
        if self.awake:
            return Arrival(self._link.state)
        if self._link.state.mode is not MotorMode.ENABLED:
            await self.set_motor_mode(MotorMode.ENABLED)
        await self._play(protocol.WAKE_ROUTE, timeout=20.0)
        try:
            self._commanded = AWAKE
            return Arrival(await self._link.wait_for(lambda s: s.pose.distance(AWAKE) < UP, SETTLE_S))
        except TimedOut:
            hint = "is its power supply plugged in? reachy-mind doctor"
            raise HardwareError("the robot did not get up", hint=hint) from None

    async def sleep(self) -> Arrival:
        """Head down, motors off."""
        if self._link.state.mode is not MotorMode.ENABLED:
            await self.set_motor_mode(MotorMode.ENABLED)
        await self._play(protocol.SLEEP_ROUTE, timeout=30.0)
        state = await self._link.refresh()
        if state.mode is not MotorMode.DISABLED:
            try:
                state = await self.set_motor_mode(MotorMode.DISABLED)
            except HardwareError as error:  # the vendor's simulator can't; the head is down all the same
                _log.warning("asleep, but with its motors on", reason=error.message)
        if state.pose.distance(ASLEEP) > math.radians(15):
            raise HardwareError("the robot did not lie down", hint="is something in its way?")
        return Arrival(state)

    async def stop(self) -> Arrival:
        """End whatever move is running; the robot holds where it is. Never refused."""
        self._commanded = None
        await self._link.send(protocol.StopMove())
        for move in await self._link.ask("GET", protocol.RUNNING_ROUTE):
            await self._cancel(UUID(move["uuid"]))
        return Arrival(await self._settled())

    @property
    def awake(self) -> bool:
        state = self._link.state
        return state.mode is MotorMode.ENABLED and state.pose.distance(ASLEEP) > math.radians(20)

    def _require_motors(self) -> None:
        if self._link.state.mode is not MotorMode.ENABLED:
            raise NotReady(f"the motors are {self._link.state.mode}", hint="reachy-mind robot wake")

    def _task(self, target: Pose, duration: float) -> protocol.Task:
        goto = protocol.GotoTask(
            head=list(target.head_matrix()),
            antennas=list(target.antennas),
            duration=duration,
            method=protocol.Interpolation.MIN_JERK,
            body_yaw=target.body_yaw,
        )
        return protocol.Task(uuid=uuid4(), req=goto, timestamp=datetime.now(UTC))

    async def _play(self, route: str, timeout: float) -> None:
        """One of the daemon's own moves, until it is no longer running."""
        uuid = (await self._link.ask("POST", route))["uuid"]
        try:
            async with asyncio.timeout(timeout):
                # The daemon has no event for this, so it is asked.
                while any(m["uuid"] == uuid for m in await self._link.ask("GET", protocol.RUNNING_ROUTE)):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        except TimeoutError:
            await self._cancel(UUID(uuid))
            raise TimedOut(f"{route} did not end within {timeout:g} s") from None

    async def _cancel(self, uuid: UUID) -> None:
        try:
            await self._link.ask("POST", protocol.STOP_ROUTE, {"uuid": str(uuid)})
        except HardwareError:
            return  # it ended by itself meanwhile

    async def _settled(self) -> State:
        """The state once the robot has come to rest for 0.4 seconds, or after SETTLE_S at the latest."""
        recent: deque[State] = deque([self._link.state], maxlen=CALM_STATES)
        deadline = recent[0].at + SETTLE_S
        async for state in self._link.states():
            recent.append(state)
            still = len(recent) == CALM_STATES and state.pose.distance(recent[0].pose) < STILL
            if still or state.at > deadline:
                return state
        return self._link.state
