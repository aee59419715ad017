"""`Link`: the connection to one robot's daemon, real or simulated.

It keeps itself connected (backoff from 0.25 to 5 s, with jitter), says at any time how it stands (`status`), and reads
back what the robot did: no command counts as done because the daemon said so. Before it drives a robot it checks the
daemon's version and whether another app holds the robot, and it lets go as soon as another app takes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self
from uuid import UUID

import httpx
from pydantic import ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.pose import Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import HardwareError, LinkLost, MindError, RobotBusy, TimedOut, VersionMismatch
from reachy_mind.events import Bus, LinkChanged

BACKOFF_S = (0.25, 5.0)
SILENCE_S = 2.0
LOCK_CHECK_S = 2.0

Status = Literal["connecting", "connected", "lost", "refused", "closed"]

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """What the robot reported last: measured pose and joints, motor mode, when (monotonic seconds)."""

    pose: Pose
    joints: tuple[float, ...]
    at: float
    mode: MotorMode | None = None
    robot: str = ""
    version: str = ""
    simulated: bool = False
    error: str | None = None


class Link:
    """Use as `async with Link(address) as link:`; entering starts it, leaving closes it."""

    def __init__(self, address: Address, *, app_name: str = "reachy_mind", bus: Bus | None = None) -> None:
        self.address = address
        self.status: Status = "connecting"
        self.reason = ""
        self.refusal: MindError | None = None
        self._app_name = app_name
        self._bus = bus or Bus()
        # Plain HTTP, so no certificates: loading them would take longer than connecting.
        self._http = httpx.AsyncClient(base_url=address.http, timeout=3.0, verify=False, trust_env=False)  # noqa: S501
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()
        self._state: State | None = None
        self._joints: tuple[tuple[float, ...], tuple[float, ...]] | None = None
        self._finished: dict[UUID, asyncio.Future[str | None]] = {}

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_connected(), name=f"link {self.address}")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        await self._http.aclose()
        await self._set_status("closed", "")

    # What is known

    @property
    def state(self) -> State:
        """The last report. Raises LinkLost while there is no connection, RobotBusy when another app has the robot."""
        if self.status != "connected" or self._state is None:
            raise self._absence()
        return self._state

    def _absence(self) -> MindError:
        if self.status == "refused" and self.refusal is not None:
            return self.refusal
        return LinkLost(
            f"no connection to the robot at {self.address}: {self.reason or self.status}",
            hint="is it switched on, and its daemon running? 'reachy-mind robot discover' finds robots",
        )

    async def wait_connected(self, timeout: float) -> State:
        """The first state after connecting. Raises the refusal (RobotBusy, VersionMismatch) or LinkLost."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._wait(lambda: self.refusal or self._live()), timeout)
        if self.refusal is not None:
            raise self.refusal
        return self.state

    async def wait_status(self, status: Status, timeout: float) -> None:
        """Until the link stands so. Raises TimedOut."""
        try:
            await asyncio.wait_for(self._wait(lambda: self.status == status), timeout)
        except TimeoutError:
            raise TimedOut(f"the link is {self.status}, not {status}, after {timeout:g} s") from None

    async def wait_for(self, test: Callable[[State], bool], timeout: float) -> State:
        """The first state for which `test` holds. Raises TimedOut or LinkLost."""
        try:
            await asyncio.wait_for(self._wait(lambda: not self._live() or test(self.state)), timeout)
        except TimeoutError:
            raise TimedOut(f"the robot did not get there within {timeout:g} s") from None
        return self.state

    async def states(self) -> AsyncIterator[State]:
        """Every new state, as long as the link is open; a slow reader skips some."""
        last_at = 0.0
        while True:
            async with self._changed:
                while self.status != "closed" and not (self._state and self._live() and self._state.at > last_at):
                    await self._changed.wait()
            if self.status == "closed" or self._state is None:
                return
            last_at = self._state.at
            yield self._state

    def _live(self) -> bool:
        return self.status == "connected" and self._state is not None

    async def _wait(self, test: Callable[[], object]) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: bool(test()))

    async def refresh(self) -> State:
        """The state with the motor mode asked for now; the stream tells it once a second only."""
        motors = protocol.MotorStatus.model_validate(await self.ask("GET", protocol.MOTORS_ROUTE))
        async with self._changed:
            self._state = replace(self.state, mode=motors.mode)
            self._changed.notify_all()
        return self.state

    # Commands

    async def send(self, command: protocol.Message) -> None:
        """Put a command on the wire. Raises as `state` does."""
        socket = self._socket
        if socket is None:
            raise self._absence()
        try:
            await socket.send(command.model_dump_json())
        except ConnectionClosed as error:
            raise LinkLost(f"the connection to the robot at {self.address} broke: {error}") from error

    async def task(self, task: protocol.Task, timeout: float) -> str | None:
        """Run a goto on the daemon until it says that it ended; the answer is its error, or None."""
        ended = self._finished[task.uuid] = asyncio.get_running_loop().create_future()
        try:
            await self.send(task)
            return await asyncio.wait_for(ended, timeout)
        except TimeoutError:
            raise TimedOut(f"the robot did not finish the move within {timeout:g} s") from None
        finally:
            self._finished.pop(task.uuid, None)

    async def ask(self, method: str, route: str, content: Any = None) -> Any:
        """A REST call. Raises LinkLost when nobody answers, HardwareError when the daemon says no."""
        try:
            answer = await self._http.request(method, route, json=content)
        except httpx.HTTPError as error:
            raise LinkLost(f"{self.address} does not answer: {error or type(error).__name__}") from error
        if answer.status_code >= 400:
            raise HardwareError(f"the daemon refused {route}: {_detail(answer)}")
        return answer.json()

    # Connection

    async def _keep_connected(self) -> None:
        wait_s = BACKOFF_S[0]
        while True:
            try:
                await self._check_daemon()
                async with connect(
                    self.address.socket,
                    max_size=protocol.MAX_MESSAGE_BYTES,
                    compression=None,
                    proxy=None,
                    open_timeout=5,
                    close_timeout=0.5,  # a frozen daemon does not say goodbye
                ) as socket:
                    # The daemon turns the body by itself unless told not to; body yaw is ours to decide.
                    await socket.send(protocol.SetAutomaticBodyYaw(enabled=False).model_dump_json())
                    await self._listen(socket)
                    wait_s = BACKOFF_S[0]
            except (VersionMismatch, RobotBusy) as error:
                self.refusal = error
                await self._set_status("refused", error.message)
            except (OSError, MindError, WebSocketException, TimeoutError) as error:
                await self._set_status("lost" if self.status != "connecting" else "connecting", _words(error))
            finally:
                self._socket = None
                self._fail_tasks()
            await asyncio.sleep(wait_s * random.uniform(0.8, 1.2))  # noqa: S311 -- jitter, not a secret
            wait_s = min(wait_s * 2, BACKOFF_S[1])

    async def _check_daemon(self) -> None:
        status = await self.ask("GET", protocol.STATUS_ROUTE)
        version = protocol.parse_version(status.get("version"))
        if version is not None and not protocol.OLDEST <= version < (2, 0):
            raise VersionMismatch(
                f"the robot's daemon is version {status['version']}; this program speaks 1.10 to 1.x",
                hint="update the robot's software, or Reachy Mind",
            )
        if status.get("state") not in ("running", None):
            raise LinkLost(f"the robot's daemon is {status['state']}: {status.get('error') or 'no reason given'}")
        await self._check_lock()
        self.refusal = None

    async def _check_lock(self) -> None:
        try:
            lock = protocol.AppLock.model_validate(await self.ask("GET", protocol.LOCK_ROUTE))
        except (HardwareError, ValidationError):
            return  # a daemon without app lock
        if lock.state != "free" and lock.holder_name != self._app_name:
            raise RobotBusy(
                f"the robot is in use by {lock.holder_name or lock.state}", hint="stop that app first, then try again"
            )

    async def _listen(self, socket: ClientConnection) -> None:
        self._state = self._joints = None
        watch = asyncio.create_task(self._watch_lock(socket), name="app lock")
        self._socket = socket
        try:
            while True:
                async with asyncio.timeout(SILENCE_S):
                    raw = await socket.recv()
                await self._take(raw)
        except TimeoutError:
            raise LinkLost(f"the robot has been silent for {SILENCE_S:g} s") from None
        except ConnectionClosed:
            if self.refusal is not None:
                raise self.refusal from None
            raise
        finally:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch

    async def _watch_lock(self, socket: ClientConnection) -> None:
        """Lets go of the robot when another app takes it."""
        while True:
            await asyncio.sleep(LOCK_CHECK_S)
            try:
                await self._check_lock()
            except RobotBusy as busy:
                self.refusal = busy
                await socket.close()
                return
            except LinkLost:
                continue

    async def _take(self, raw: str | bytes) -> None:
        try:
            report = protocol.reports.validate_json(raw)
        except ValidationError:
            return  # newer daemons send more kinds of messages than we know
        match report:
            case protocol.JointPositions() as r:
                self._joints = tuple(r.head_joint_positions), tuple(r.antennas_joint_positions)
            case protocol.HeadPose() as r if self._joints is not None:
                await self._take_pose([value for row in r.head_pose for value in row], *self._joints)
            case protocol.DaemonStatus() as r:
                await self._take_status(r)
            case protocol.TaskProgress() as r if r.finished and r.uuid in self._finished:
                self._resolve(self._finished[r.uuid], r.error)
            case protocol.ErrorNote() as r:
                _log.warning("the robot refused a message", code=r.code, message=r.message)

    async def _take_pose(self, head: list[float], joints: tuple[float, ...], antennas: tuple[float, ...]) -> None:
        pose = Pose.from_head_matrix(head, body_yaw=joints[0], antennas=antennas)
        if self._state is None:
            status = protocol.DaemonStatus.model_validate(await self.ask("GET", protocol.STATUS_ROUTE))
            self._state = _with_status(State(pose, joints, time.monotonic()), status)
            await self._set_status("connected", "")
        async with self._changed:
            self._state = replace(self._state, pose=pose, joints=joints, at=time.monotonic())
            self._changed.notify_all()

    async def _take_status(self, status: protocol.DaemonStatus) -> None:
        if self._state is not None:
            async with self._changed:
                self._state = _with_status(self._state, status)
                self._changed.notify_all()

    async def _set_status(self, status: Status, reason: str) -> None:
        async with self._changed:
            if (status, reason) != (self.status, self.reason):
                self.status, self.reason = status, reason
                self._bus.publish(LinkChanged(status=status, reason=reason))
                tell = _log.warning if reason else _log.debug
                tell(f"robot {status}", robot=str(self.address), reason=reason)
            self._changed.notify_all()

    def _fail_tasks(self) -> None:
        for future in self._finished.values():
            if not future.done():
                future.set_exception(LinkLost("the connection broke while the robot was moving"))

    @staticmethod
    def _resolve(future: asyncio.Future[str | None], error: str | None) -> None:
        if not future.done():
            future.set_result(error)


def _with_status(state: State, status: protocol.DaemonStatus) -> State:
    backend = status.backend_status
    return replace(
        state,
        mode=backend.motor_control_mode if backend else None,
        robot=status.robot_name,
        version=status.version or "",
        simulated=bool(status.simulation_enabled or status.mockup_sim_enabled),
        error=status.error or (backend.error if backend else None),
    )


def _detail(answer: httpx.Response) -> str:
    try:
        detail = answer.json().get("detail", answer.text)
    except (json.JSONDecodeError, AttributeError):
        detail = answer.text
    return f"{answer.status_code}, {detail}"[:300]


def _words(error: BaseException) -> str:
    return error.message if isinstance(error, MindError) else f"{error or type(error).__name__}"
