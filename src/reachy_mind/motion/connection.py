"""`MotionConnection`: connection state of the motion process and the robot behind it, in the main process.

It keeps the last reported state and the connection status, sends requests and waits for their results. `Motion` adds
the commands.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self
from uuid import uuid4

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.daemon import DaemonClient
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import Pose
from reachy_mind.body.pose_history import PoseHistory
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import (
    Cancelled,
    HardwareError,
    LinkLost,
    MindError,
    NotReady,
    RobotBusy,
    TimedOut,
    VersionMismatch,
)
from reachy_mind.events import Bus, LinkChanged, MotionRestarted
from reachy_mind.motion.backend import MotionBackend, MotionProcess, RobotDaemon
from reachy_mind.motion.idle import IdleLooks
from reachy_mind.motion.moves import Frames, Goto
from reachy_mind.motion.supervisor import FRAMES_PER_PACKET, MotionSupervisor

STILL_RAD, STILL_STATES, SETTLE_TIMEOUT_S = math.radians(0.15), 15, 0.9
CAUGHT_UP_RAD, CATCH_UP_S = math.radians(1.5), 0.4
REPLY_TIMEOUT_S = 5.0
MODE_REPORT_DELAY_S = 1.5
"""The daemon reports its motor mode once a second: for this long the mode we set overrides an older report."""

Status = Literal["connecting", "connected", "lost", "refused", "closed"]

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """The last reported pose, the last command, and the time of the report (monotonic seconds).

    `command` is the command of the moves alone. `added` is what speech and posture add to it; `pose` includes it.
    """

    pose: Pose
    command: Pose
    added: Pose
    joints: tuple[float, ...]
    at: float
    mode: MotorMode | None
    engaged: bool
    busy: bool
    robot: str
    version: str
    simulated: bool
    error: str

    @property
    def base_pose(self) -> Pose:
        """The pose without the offsets of speech and posture: the result of the moves alone."""
        return _subtract(self.pose, self.added)


class MotionConnection:
    """Use as `async with`; then `await connection.wait_connected(...)`. `backend`: see `MotionBackend`."""

    def __init__(
        self,
        address: Address,
        description: Path,
        *,
        app_name: str = "reachy_mind",
        idle: bool = True,
        idle_looks: IdleLooks = IdleLooks(),  # noqa: B008 -- frozen
        bus: Bus | None = None,
        log_level: str = "info",
        priority: bool = True,
        backend: MotionBackend | None = None,
    ) -> None:
        self.address = address
        self.status: Status = "connecting"
        self.reason = ""
        self.refusal: MindError | None = None
        self.kinematics = Kinematics(description / "kinematics_data.json")
        self._daemon: RobotDaemon = backend.daemon if backend else DaemonClient(address, app_name=app_name)
        self._bus = bus or Bus()
        self._process: MotionProcess
        if backend is not None:
            self._process = backend.process(self._on_message, self._on_exit)
        else:
            self._process = MotionSupervisor.for_robot(
                address,
                description / "kinematics_data.json",
                idle=idle,
                looks=idle_looks,
                priority=priority,
                log_level=log_level,
                on_message=self._on_message,
                on_exit=self._on_exit,
            )
        self._state: State | None = None
        self.pose_history = PoseHistory()
        self._mode: MotorMode | None = None
        self._mode_set_at = -math.inf
        self._engaged = False
        self._changed = asyncio.Event()
        self._moves: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._idle = idle
        self._lease = ""
        self._played = 0
        self._tracked = self._sounding = False
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._process.start()
        self._watch = asyncio.create_task(self._watch_daemon(), name="daemon watch")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._watch is not None
        self._watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._watch
        await self._process.close()
        if self._tracked:
            with contextlib.suppress(MindError):
                await self._daemon.resume_tracking()
        await self._daemon.aclose()
        self._set_status("closed", "")

    async def _watch_daemon(self) -> None:
        """Check version and app lock before connecting, then the app lock at an interval."""
        checked = False
        while True:
            try:
                if not checked:
                    status = await self._daemon.check()
                    self._tracked = status.face_target.ts is not None
                    await self._daemon.disable_own_motion()
                    checked = True
                    self._process.switch("line", on=True)
                else:
                    await self._daemon.check_lock()
                if self.refusal is not None:
                    self.refusal = None
                    self._process.switch("line", on=True)
                pause = self._daemon.lock_check_s
                checked = checked and self.status != "lost"  # after a reconnect it may be another daemon
            except (VersionMismatch, RobotBusy) as error:
                self.refusal, pause = error, self._daemon.lock_check_s
                self._process.switch("line", on=False)
                self._set_status("refused", error.message)
            except MindError as error:
                pause = 0.3
                if not checked:
                    self._set_status("connecting", error.message)
            await asyncio.sleep(pause)

    @property
    def pid(self) -> int:
        """Process id of the motion process."""
        return self._process.pid

    # State

    @property
    def state(self) -> State:
        """The last reported state. Raises LinkLost, or RobotBusy when another app has the robot."""
        if self.status == "connected" and self._state is not None:
            return self._state
        if self.refusal is not None:
            raise self.refusal
        raise LinkLost(
            f"no connection to the robot at {self.address}: {self.reason or self.status}",
            hint="is it switched on, and its daemon running? 'reachy-mind robot discover' finds robots",
        )

    async def wait_connected(self, timeout: float) -> State:
        """Wait for the first state. Raises the refusal (RobotBusy, VersionMismatch) or LinkLost."""
        with contextlib.suppress(TimedOut):
            await self._until(lambda: self.refusal is not None or self.status == "connected", timeout)
        if self.refusal is not None:
            raise self.refusal
        return self.state

    async def wait_status(self, status: Status, timeout: float) -> None:
        """Wait for this connection status. Raises TimedOut."""
        await self._until(lambda: self.status == status, timeout)

    async def wait_for(self, test: Callable[[State], bool], timeout: float) -> State:
        """The first state for which `test` holds. Raises TimedOut or LinkLost."""
        await self._until(lambda: self.status != "connected" or test(self.state), timeout)
        return self.state

    async def states(self) -> AsyncIterator[State]:
        """Each new state while connected; a slow reader skips some."""
        last_at = 0.0
        while True:
            await self._until(lambda: self.status != "connected" or self.state.at > last_at, REPLY_TIMEOUT_S)  # noqa: B023
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

    async def _settled(self) -> State:
        """The state after the robot is still for 0.4 seconds, or after SETTLE_TIMEOUT_S at the latest."""
        recent: deque[State] = deque([self.state], maxlen=STILL_STATES)
        deadline = time.monotonic() + SETTLE_TIMEOUT_S
        async for state in self.states():
            recent.append(state)
            still = len(recent) == STILL_STATES and state.pose.distance(recent[0].pose) < STILL_RAD
            if still or time.monotonic() > deadline:
                return state
        return self.state

    async def _caught_up(self) -> State:
        """The state after the measured pose has come close to the commanded one, or after CATCH_UP_S."""
        with contextlib.suppress(TimedOut):
            await self.wait_for(lambda state: state.base_pose.distance(state.command) < CAUGHT_UP_RAD, CATCH_UP_S)
        return self.state

    # Requests to the motion process

    async def _request(self, kind: str, answer: str, **content: Any) -> dict[str, Any]:
        future: asyncio.Future[dict[str, Any]]
        future = self._answers[answer] = asyncio.get_running_loop().create_future()
        if not self._process.send(kind, **content):
            raise NotReady("the motion process is starting", hint="try again")
        try:
            async with asyncio.timeout(REPLY_TIMEOUT_S):
                return await future
        except TimeoutError:
            raise TimedOut("the motion process does not answer") from None

    def _queue(self, move: Goto | Frames) -> asyncio.Future[dict[str, Any]]:
        move_id = uuid4().hex
        self._played += 1
        ended = self._moves[move_id] = asyncio.get_running_loop().create_future()
        ended.add_done_callback(lambda over: self._on_move_done(move_id, over))
        if isinstance(move, Goto):
            sent = self._process.send("play", id=move_id, kind="goto", wish=move.target, duration=move.duration)
        else:
            for start in range(0, len(move.frames), FRAMES_PER_PACKET):
                self._process.send("frames", id=move_id, frames=list(move.frames[start : start + FRAMES_PER_PACKET]))
            sent = self._process.send("play", id=move_id, kind="frames", gazing=move.gazing, anchored=move.anchored)
        if not sent:
            ended.cancel()
            raise NotReady("the motion process is starting", hint="try again")
        return ended

    def _on_move_done(self, move_id: str, over: asyncio.Future[dict[str, Any]]) -> None:
        self._moves.pop(move_id, None)
        if over.cancelled():  # the waiting task was cancelled: cancel the move as well
            self._process.send("cancel", id=move_id)

    async def _wait_for_end(self, ended: asyncio.Future[dict[str, Any]], timeout: float) -> dict[str, Any]:
        try:
            async with asyncio.timeout(timeout):
                outcome = await ended
        except TimeoutError:
            raise TimedOut(f"the robot did not finish the move within {timeout:g} s") from None
        match outcome["how"]:
            case "finished":
                return outcome
            case "stopped":
                raise Cancelled("the move was stopped before its end", hint="ask for it again")
            case "cancelled":
                raise Cancelled("the move gave way to another one", hint="ask for it again")
            case _:
                raise HardwareError(f"the move failed: {outcome['reason']}")

    async def _engage(self, *, on: bool) -> None:
        answer = await self._request("engage", "engaged", on=on)
        if answer["on"] is not on:
            raise NotReady("the robot has not reported its pose yet", hint="try again")
        self._engaged = on
        await self.wait_for(lambda state: state.engaged is on, REPLY_TIMEOUT_S)

    # Messages from the motion process

    def _on_message(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "state":
                self._on_state(message)
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

    def _on_state(self, message: dict[str, Any]) -> None:
        if not message["connected"]:
            if self.refusal is None and message["reason"]:
                was_up = self.status in ("connected", "lost")
                self._set_status("lost" if was_up else "connecting", message["reason"])
            self._changed.set()
            return
        if message["mode"] and time.monotonic() - self._mode_set_at > MODE_REPORT_DELAY_S:
            self._mode = MotorMode(message["mode"])
        self._engaged = message["engaged"]
        self._state = State(
            Pose(*message["pose"]),
            _subtract(Pose(*message["command"]), Pose(*message["added"])),
            Pose(*message["added"]),
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
        self.pose_history.add(self._state.at, self._state.pose)
        if message["robot"]:
            self._set_status("connected", "")
        self._changed.set()

    def _on_exit(self, exit_code: int) -> None:
        self._bus.publish(MotionRestarted(exit_code=exit_code))
        self._set_status("lost", f"the motion process died ({exit_code}) and is being started again")
        for future in [*self._moves.values(), *self._answers.values()]:
            if not future.done():
                future.set_exception(LinkLost("the motion process died in mid-move"))
        self._answers.clear()
        if self._engaged:
            self._reengage = asyncio.create_task(self._engage_again(), name="engage again")

    async def _engage_again(self) -> None:
        """Engage the robot again after a restart of the motion process, from where it stands."""
        with contextlib.suppress(MindError):
            await self.wait_status("connected", 10.0)
            if await self._daemon.motor_mode() is MotorMode.ENABLED:
                await self._engage(on=True)

    def _set_status(self, status: Status, reason: str) -> None:
        if (status, reason) != (self.status, self.reason):
            self.status, self.reason = status, reason
            self._bus.publish(LinkChanged(status=status, reason=reason))
            log_change = _log.warning if reason and status != "connecting" else _log.debug
            log_change(f"robot {status}", robot=str(self.address), reason=reason)
        self._changed.set()


def _subtract(pose: Pose, added: Pose) -> Pose:
    return Pose(*(a - b for a, b in zip(pose.as_tuple, added.as_tuple, strict=True)))
