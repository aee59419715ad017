"""The host's end of a zygote: starts it, asks it for workers, hears of their ends, and notices its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
from dataclasses import dataclass
from typing import Any

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.workshop.jail_layout import program

ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "LANG": "C.UTF-8"}
"""A zygote has one thread until it forks, and its workers no address space to spare. It clears this before it forks."""
START_S = 30.0
END_S = 10.0
MAX_PACKET = 65536

_log = log.get(__name__)


class ZygoteFailed(MindError):
    """The process that makes workers could not start, or ended."""

    code = "SANDBOX_FAILED"


@dataclass(frozen=True)
class WorkerEnd:
    """How a worker ended: its exit status (negative for a signal) and what it used."""

    status: int
    cpu_s: float
    rss_mb: float


@dataclass
class _Birth:
    started: asyncio.Future[int]
    ended: asyncio.Future[WorkerEnd | None]


class ZygoteClient:
    """One zygote. It belongs to one event loop; once dead it stays dead."""

    def __init__(self, start: dict[str, Any]) -> None:
        self._loop = asyncio.get_running_loop()
        self._start = start
        self._births: dict[int, _Birth] = {}
        self._next_id = 1
        self._ready: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._gone = asyncio.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self.report: dict[str, Any] = {}

    @property
    def alive(self) -> bool:
        return self._control is not None and not self._gone.is_set()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the process and wait until it is ready. Raises `ZygoteFailed`."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)  # noqa: FBT003
        with theirs:
            self._process = subprocess.Popen(  # noqa: ASYNC220  (returns once the program has started)
                program("zygote", str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=ENVIRONMENT,
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._control = ours
        self._loop.add_reader(ours, self._take)
        try:
            ours.send(json.dumps({"start": self._start}).encode())
            async with asyncio.timeout(START_S):
                self.report = await self._ready
        except BaseException as error:
            await self.close()
            if isinstance(error, (TimeoutError, OSError)):
                raise ZygoteFailed(f"the sandbox did not start: {error or 'no answer'}") from error
            raise

    async def fork(self, limits: dict[str, Any], stream: socket.socket) -> tuple[int, asyncio.Future[WorkerEnd | None]]:
        """Start a worker with this end of a stream. Return its pidfd and the future of its end."""
        if not self.alive:
            raise ZygoteFailed("the sandbox has ended")
        assert self._control is not None
        number = self._next_id
        self._next_id += 1
        birth = _Birth(self._loop.create_future(), self._loop.create_future())
        self._births[number] = birth
        try:
            socket.send_fds(self._control, [json.dumps({"fork": {"id": number, **limits}}).encode()], [stream.fileno()])
        except OSError as error:
            del self._births[number]
            raise ZygoteFailed(f"the sandbox does not answer: {error}") from error
        return await birth.started, birth.ended

    async def close(self) -> None:
        """End the zygote and with it every worker; wait until the process is gone."""
        self._lost("it was closed")
        if self._process is None:
            return
        if not await self._waited(END_S):
            self._process.kill()
            await self._waited(END_S)

    async def _waited(self, seconds: float) -> bool:
        assert self._process is not None
        process = self._process
        if process.poll() is not None:
            return True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await ended(process.pid)
        return process.poll() is not None

    def _take(self) -> None:
        """Read what the zygote says."""
        while self._control is not None:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._control, MAX_PACKET, 1)
            except BlockingIOError:
                return
            except OSError as error:
                self._lost(str(error))
                return
            if not data:
                self._lost("it ended")
                return
            self._handle(json.loads(data), descriptors)

    def _handle(self, message: dict[str, Any], descriptors: list[int]) -> None:
        if "ready" in message and not self._ready.done():
            self._ready.set_result(message["ready"])
        elif "fatal" in message and not self._ready.done():
            self._ready.set_exception(ZygoteFailed(f"the sandbox did not start: {message['fatal']}"))
        elif "started" in message:
            birth = self._births[message["started"]]
            if birth.started.done():  # nobody waits for it any more
                os.close(descriptors[0])
            else:
                birth.started.set_result(descriptors[0])
        elif "ended" in message:
            birth = self._births.pop(message["ended"])
            if not birth.ended.done():
                birth.ended.set_result(WorkerEnd(message["status"], message["cpu_s"], message["rss_kb"] / 1024))

    def _lost(self, reason: str) -> None:
        if self._control is None:
            return
        self._loop.remove_reader(self._control)
        self._control.close()
        self._control = None
        self._gone.set()
        failure = ZygoteFailed(f"the sandbox ended: {reason}")
        if not self._ready.done():
            self._ready.set_exception(failure)
            self._ready.exception()  # somebody may no longer wait for it
        for birth in self._births.values():
            if not birth.started.done():
                birth.started.set_exception(failure)
                birth.started.exception()
            if not birth.ended.done():
                birth.ended.set_result(None)
        self._births.clear()


async def ended(pid: int) -> None:
    """Return when a process has ended."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        await pidfd_ended(pidfd)
    finally:
        os.close(pidfd)


async def pidfd_ended(pidfd: int) -> None:
    """Return when the process of a pidfd has ended."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.add_reader(pidfd, lambda: None if done.done() else done.set_result(None))
    try:
        await done
    finally:
        loop.remove_reader(pidfd)
