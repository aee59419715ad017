"""`TrialBody`: the simulated robot and its world, with the real control loop, on the clock of the event loop.

The control loop ticks at 100 Hz and the world at 50 Hz while anything moves. When all is at rest they wait: for a
message, a change of the scene, or the next of the rare states that are reported at rest.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import ASLEEP, PoseTuple
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.motion.backend import OnExit, OnMessage
from reachy_mind.motion.engine import Engine
from reachy_mind.motion.limits import NAMES, PERIOD_S
from reachy_mind.motion.process import MotionLoop
from reachy_mind.sim.robot import SimulatedRobot
from reachy_mind.sim.scene import SceneName
from reachy_mind.sim.scene_state import SceneState
from reachy_mind.sim.world import CONTROL_PERIOD_S, SimulatedWorld
from reachy_mind.workshop.trial.daemon import TrialDaemon, TrialLink
from reachy_mind.workshop.trial.record import RecordedLimit, RecordedPose, TrialRecord

TICKS_PER_CONTROL = round(CONTROL_PERIOD_S / PERIOD_S)
REST_TICKS = 100
"""So many ticks without a change, and all is at rest: long enough for every wait for a robot that stands still."""
SAME_COMMAND = 1e-6
"""Largest difference of two commands in a row on any axis of a robot that stands still."""
REST_TICK_S = 2.0
"""Interval of ticks at rest. Every second one reports a state, which is less than a client waits for one."""
RECORD_EVERY = 2
"""Control periods from one recorded pose to the next."""


class TrialBody:
    """Keeps the protocol `MotionBackend`."""

    def __init__(self, description: Path, scene: SceneName, cache: Path, record: TrialRecord, *, seed: int = 0) -> None:
        kinematics = Kinematics(description / "kinematics_data.json")
        self.robot = SimulatedRobot(SimulatedWorld(description, scene, cache), kinematics)
        self.scene = SceneState(self.robot.world)
        self.scene.set_seed(seed)
        self.link = TrialLink(self.robot)
        self.daemon = TrialDaemon(self.robot, self.link, record, changed=self.wake)
        self.engine = Engine(kinematics, ASLEEP.as_tuple, idle=False, seed=seed)
        self._record = record
        self._woken = asyncio.Event()
        self._ticks = self._still = 0
        self._command: PoseTuple = self.engine.shaper.command
        self._clamped: frozenset[int] = frozenset()

    def process(self, on_message: OnMessage, on_exit: OnExit) -> TrialMotionProcess:  # noqa: ARG002 -- it never dies
        return TrialMotionProcess(self, on_message)

    def wake(self) -> None:
        """Tick again: something has changed."""
        self._still = 0
        self._woken.set()

    async def run(self, loop: MotionLoop) -> None:
        """Tick until the control loop is told to quit."""
        clock = asyncio.get_running_loop().time
        due = clock()
        while loop.running:
            self._tick(loop, due)
            if self._still < REST_TICKS:
                due += PERIOD_S
                await asyncio.sleep(due - clock())
            else:
                self._woken.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(REST_TICK_S):
                        await self._woken.wait()
                due = clock()

    def _tick(self, loop: MotionLoop, now: float) -> None:
        resting = self._still >= REST_TICKS
        loop.tick(now, now)
        self._ticks += 1
        if not resting and self._ticks % TICKS_PER_CONTROL == 0:
            self.link.apply_target()
            self.robot.tick()
            if self.link.connected:
                self.link.measure()
            if self._ticks // TICKS_PER_CONTROL % RECORD_EVERY == 0:
                self._record_pose()
        self._record_limits()
        command = self.engine.shaper.command
        step = max(abs(new - old) for new, old in zip(command, self._command, strict=True))
        moves = step > SAME_COMMAND or not self.engine.quiet(now) or self.robot.move is not None
        self._command = command
        if moves or (not resting and not self.robot.world.at_rest):
            self._still = 0
        else:
            self._still = min(self._still + 1, REST_TICKS)
            if self._still == REST_TICKS and not resting:
                self._record_pose()

    def _record_pose(self) -> None:
        pose = self.link.report.pose
        if pose is not None:
            self._record.poses.append(RecordedPose(self._record.now(), pose))

    def _record_limits(self) -> None:
        clamped = self.engine.shaper.clamped
        if clamped != self._clamped:
            self._clamped = clamped
            if clamped:
                axes = tuple(NAMES[axis] for axis in sorted(clamped))
                self._record.limits.append(RecordedLimit(self._record.now(), axes))


class TrialMotionProcess:
    """The control loop in this process. Keeps the protocol `MotionProcess`."""

    def __init__(self, body: TrialBody, on_message: OnMessage) -> None:
        self._body = body
        self._packets = _Packets(on_message)
        self._loop = MotionLoop(self._packets, body.link, body.engine)
        self._task: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        return os.getpid()

    async def start(self) -> None:
        self._task = asyncio.create_task(self._body.run(self._loop), name="trial body")

    def send(self, message: str, /, **content: Any) -> bool:
        self._packets.received.append(json.dumps({"type": message, **content}).encode())
        self._body.wake()
        return True

    def switch(self, name: str, *, on: bool) -> None:
        self.send(name, on=on)

    async def close(self) -> None:
        self.send("quit")
        if self._task is not None:
            await cancel_and_wait(self._task)


class _Packets:
    """Both ends of the control loop's socket pair."""

    def __init__(self, on_message: Callable[[dict[str, Any]], None]) -> None:
        self.received: deque[bytes] = deque()
        self._on_message = on_message

    def recv(self, size: int, /) -> bytes:  # noqa: ARG002 -- a packet is never cut
        if not self.received:
            raise BlockingIOError
        return self.received.popleft()

    def send(self, packet: bytes, /) -> int:
        self._on_message(json.loads(packet))
        return len(packet)
