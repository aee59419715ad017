"""`DaemonService`: the running state of the daemon. Clients can start, stop and restart it as background jobs.

While it is stopped the process and the routes about the daemon itself stay; routes of the robot answer 503, and the
clients on `/ws/sdk` are disconnected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal
from uuid import uuid4

from fastapi import HTTPException
from pydantic import BaseModel

from reachy_mind import log
from reachy_mind.body.protocol import MotorMode
from reachy_mind.sim.robot import Refused, SimulatedRobot
from reachy_mind.sim.websocket_clients import WebSocketClients

TRY_AGAIN_LATER = 1013
MAX_JOBS = 100

State = Literal["starting", "running", "stopping", "stopped"]
_log = log.get(__name__)


class Job(BaseModel):
    """A background job, which clients query by its id."""

    command: str
    status: Literal["in_progress", "done", "failed"] = "in_progress"
    logs: list[str] = []


class DaemonService:
    """One change of state at a time; another request meanwhile gets 409 (busy)."""

    def __init__(self, robot: SimulatedRobot, clients: WebSocketClients) -> None:
        self.state: State = "running"
        self.jobs: dict[str, Job] = {}
        self._robot, self._clients = robot, clients
        self._task: asyncio.Task[None] | None = None

    def require_running(self) -> None:
        """A dependency of routes that need the robot. Raises the vendor's 503."""
        if self.state != "running":
            raise HTTPException(503, "Backend not running")

    def start(self, *, wake_up: bool) -> str:
        """Start a job and return its id. Raises 409 while another job runs."""
        return self._run("daemon-start", lambda: self._start(wake_up=wake_up))

    async def wake_at_start(self) -> None:
        """Wake the robot before the first client is served. The clock has to run."""
        self.state = "stopped"
        await self._start(wake_up=True)

    def stop(self, *, goto_sleep: bool) -> str:
        return self._run("daemon-stop", lambda: self._stop(goto_sleep=goto_sleep))

    def restart(self) -> str:
        return self._run("daemon-restart", self._restart)

    def _run(self, command: str, work: Callable[[], Coroutine[Any, Any, None]]) -> str:
        if self._task is not None and not self._task.done():
            raise HTTPException(409, "Daemon is busy.")
        job, job_id = Job(command=command), str(uuid4())
        self.jobs[job_id] = job
        while len(self.jobs) > MAX_JOBS:
            del self.jobs[next(iter(self.jobs))]

        async def run() -> None:
            try:
                await work()
            except Refused as error:
                job.status = "failed"
                job.logs.append(str(error))
                _log.error("job failed", command=command, reason=str(error))
            else:
                job.status = "done"
                job.logs.append(f"the simulated daemon is {self.state}")

        self._task = asyncio.create_task(run(), name=command)
        return job_id

    async def _start(self, *, wake_up: bool) -> None:
        if self.state == "running":
            return
        self.state = "starting"
        if wake_up:
            self._robot.set_mode(MotorMode.ENABLED)
            await self._robot.wake_up().done
        self.state = "running"

    async def _stop(self, *, goto_sleep: bool) -> None:
        if self.state == "stopped":
            return
        self.state = "stopping"
        self._robot.stop()
        await self._clients.close_all(TRY_AGAIN_LATER, "Daemon not ready")
        if goto_sleep and self._robot.world.mode is MotorMode.ENABLED:
            await self._robot.goto_sleep().done
        self._robot.set_mode(MotorMode.DISABLED)
        self.state = "stopped"

    async def _restart(self) -> None:
        if self.state == "stopped":
            return
        await self._stop(goto_sleep=False)
        await self._start(wake_up=False)

    async def finished(self, job_id: str) -> Job:
        """Wait for the end of a job. Raises KeyError for an unknown one."""
        job = self.jobs[job_id]
        if job.status == "in_progress" and self._task is not None:
            await asyncio.wait([self._task])
        return job

    async def aclose(self) -> None:
        """Cancel a running job."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
