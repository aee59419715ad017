"""`Worker`: a worker process that hosts one model. Started by the first call, restarted after a crash with backoff.

A worker that hangs is killed after some seconds, during a call as well as between calls, and started again.

worker = Worker("ears", "reachy_mind.speech.whisper:WhisperModel", {"folder": "/models/whisper", "threads": 2})
text = await worker.call("transcribe", samples, timeout=10)
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

import psutil

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import InvalidParameter, MindError, TimedOut, WorkerError
from reachy_mind.events import WorkerChanged
from reachy_mind.models import worker_liveness, worker_messages
from reachy_mind.models.worker_liveness import SILENCE_S, Hung, SignsOfLife
from reachy_mind.models.worker_messages import LoadModel, WorkerAnswer, WorkerCall, WorkerFailure
from reachy_mind.system.child_socket import ChildSocket
from reachy_mind.system.process_group import own_group

EARLY_DEATH_S = 10.0
"""A worker that dies sooner than this after its start died early; after two in a row the next start is delayed."""
RESTART_BACKOFF_S, MAX_RESTART_BACKOFF_S = 0.5, 30.0
TERMINATE_TIMEOUT_S = 5.0
IDLE_CHECK_S = 5.0
"""Interval of the checks whether an idle worker still answers."""

logger = log.get(__name__)
_all: weakref.WeakSet[Worker] = weakref.WeakSet()


@dataclass(frozen=True)
class WorkerStatus:
    """`state` is stopped (not started, or stopped by us), starting, ready, busy, or dead (it died by itself)."""

    name: str
    state: Literal["stopped", "starting", "ready", "busy", "dead"]
    pid: int | None
    restarts: int
    rss: int | None
    """Resident memory in bytes; None when it is not running."""
    trouble: str = ""
    """How it hung, died or failed to start; empty once it runs again."""


@dataclass
class _Child:
    process: asyncio.subprocess.Process
    socket: socket.socket
    since: float
    """When it was started; once it is ready, when it became ready."""
    state: Literal["starting", "ready", "busy"] = "starting"
    ended_by_us: bool = False
    gone: asyncio.Task[int] = field(init=False)
    """Await it shielded: a cancelled caller must not cancel this task, on which every later call depends."""

    def end(self) -> None:
        """Kill it: nothing waits for its current work any more."""
        if self.process.returncode is None:
            self.ended_by_us = True
            self.process.kill()

    def hung_up(self) -> bool:
        """Whether the process is gone. The socket closes at once; the exit status takes a moment longer."""
        if self.process.returncode is not None:
            return True
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True


def statuses() -> list[WorkerStatus]:
    """The status of every worker started by this process."""
    return [worker.status() for worker in tuple(_all)]


def troubles() -> dict[str, str]:
    """The name of every worker that hung, died or failed to start, and does not run again yet; and why."""
    return {worker.name: worker.trouble for worker in tuple(_all) if worker.trouble}


class Worker:
    """Calls methods of the object that `factory` ("package.module:callable") returns, in a process of its own.

    One call runs at a time, the others queue. It belongs to one event loop.
    """

    def __init__(
        self, name: str, factory: str, arguments: Mapping[str, Any] | None = None, *, start_timeout: float = 120.0
    ) -> None:
        self.name = name
        self._load = LoadModel(factory, dict(arguments or {}))
        self._start_timeout = start_timeout
        self._lock = asyncio.Lock()
        self._child: _Child | None = None
        self._starts = 0
        self._stops = 0
        self._early_deaths = 0
        self._backoff_until = 0.0
        self._last_failure = ""
        self.trouble = ""
        self._checking: asyncio.Task[None] | None = None
        _all.add(self)

    async def __aenter__(self) -> Worker:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Load the model now instead of at the first call."""
        async with self._lock:
            await self._ensure_running()

    async def call(self, method: str, *args: Any, timeout: float | None = None) -> Any:
        """Run `method(*args)` in the worker and return its result.

        `timeout` starts when the worker receives the call; queueing and loading the model are not included. Raises
        WorkerError with what the method raised (the worker stays) or how the worker died or hung, and TimedOut. A call
        that times out or is cancelled kills the worker; the next call starts a new one. A worker that hung before it
        began with the call is replaced, and the call runs in the new one.
        """
        what = f"{self.name}.{method}"
        request = _encode(WorkerCall(method, args), what)
        stops = self._stops
        async with self._lock:
            if stops != self._stops:
                raise WorkerError(f"the {self.name} worker was stopped before it ran {method}")
            child = await self._ensure_running()
            child.state = "busy"
            try:
                segments = await self._request(child, request, timeout, what)
            except _NeverBegan:
                child = await self._ensure_running()
                child.state = "busy"
                segments = await self._request(child, request, timeout, what)
            child.state = "ready"
        reply = _decode(segments, what)
        if isinstance(reply, WorkerFailure):
            raise WorkerError(f"{what} raised {reply.type}: {reply.message}", hint=reply.hint)
        return reply.value

    def status(self) -> WorkerStatus:
        child, restarts = self._child, max(0, self._starts - 1)
        if child is None:
            return WorkerStatus(self.name, "stopped", None, restarts, None, self.trouble)
        if child.hung_up():
            state: Literal["stopped", "dead"] = "stopped" if child.ended_by_us else "dead"
            return WorkerStatus(self.name, state, None, restarts, None, self.trouble)
        try:
            rss = psutil.Process(child.process.pid).memory_info().rss
        except psutil.Error:
            rss = None
        return WorkerStatus(self.name, child.state, child.process.pid, restarts, rss, self.trouble)

    async def stop(self) -> None:
        """Terminate the worker, and kill it after a timeout. Running and queued calls fail with WorkerError; a later
        call starts it again."""
        self._stops += 1
        self.trouble = ""
        checking, self._checking = self._checking, None
        if checking is not None:
            await cancel_and_wait(checking)
        child, self._child = self._child, None
        if child is None:
            return
        if child.process.returncode is None:
            child.ended_by_us = True
            child.process.terminate()
            await asyncio.wait([child.gone], timeout=TERMINATE_TIMEOUT_S)
            child.end()
        await asyncio.shield(child.gone)
        if child.state == "ready":  # else the running call sees the end and closes it
            child.socket.close()

    async def _ensure_running(self) -> _Child:
        if self._child is not None:
            if not self._child.hung_up():
                return self._child
            await asyncio.shield(self._child.gone)
            self._child.socket.close()
        if (wait := self._backoff_until - asyncio.get_running_loop().time()) > 0:
            raise WorkerError(
                f"the {self.name} worker died {self._early_deaths} times in a row; "
                f"it may start again in {wait:.1f} s ({self._last_failure})",
                hint="its log lines on stderr say more",
            )
        what, stops = f"loading {self.name}", self._stops
        request = _encode(self._load, what)
        child = self._child = await self._spawn()
        if stops != self._stops:  # stopped while it was being started
            child.end()
        reply = _decode(await self._request(child, request, self._start_timeout, what), what)
        if isinstance(reply, WorkerFailure):
            await asyncio.shield(child.gone)
            self._last_failure = f"{reply.type}: {reply.message}"
            self._tell("failed", f"it could not start: {self._last_failure}")
            raise WorkerError(f"the {self.name} worker could not start: {self._last_failure}", hint=reply.hint)
        child.state, child.since = "ready", asyncio.get_running_loop().time()
        if self.trouble:
            self._tell("ready")
        if self._checking is None and stops == self._stops:
            self._checking = asyncio.create_task(self._check_while_idle(), name=f"worker {self.name} check")
        return child

    async def _check_while_idle(self) -> None:
        """Ask an idle worker for a sign of life now and then. One that hangs is killed and started again at once."""
        ping = _encode(WorkerCall("", ()), self.name)
        while True:
            await asyncio.sleep(IDLE_CHECK_S)
            if self._lock.locked():
                continue  # a call is under way: it checks by itself
            async with self._lock:
                child = self._child
                if child is None or child.state != "ready" or child.hung_up():
                    continue
                try:
                    await self._request(child, ping, None, f"a check of {self.name}")
                except WorkerError:
                    with contextlib.suppress(MindError):  # `trouble` has it; the next call tries again
                        await self._ensure_running()

    def _tell(self, state: Literal["hung", "died", "failed", "ready"], reason: str = "") -> None:
        self.trouble = reason
        (logger.warning if reason else logger.info)(f"worker {state}", worker=self.name, reason=reason)
        worker_liveness.report(WorkerChanged(name=self.name, state=state, reason=reason))

    async def _spawn(self) -> _Child:
        with ChildSocket() as link:
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *("-P", "-m", "reachy_mind.models.worker_process", self.name, link.argument),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=2,  # a model's output goes to the log
                    **link.options(),
                    **own_group(),  # Ctrl-C reaches only this process, which stops the worker
                )
                ours = await self._connected(link, process)
            except (OSError, EOFError) as error:
                raise WorkerError(f"the {self.name} worker could not start: {error}") from None
        self._starts += 1
        child = _Child(process, ours, asyncio.get_running_loop().time())
        child.gone = asyncio.create_task(self._watch_exit(child), name=f"worker {self.name}")
        return child

    async def _connected(self, link: ChildSocket, process: asyncio.subprocess.Process) -> socket.socket:
        try:
            return await link.connected(process)
        except BaseException:
            if process.returncode is None:
                process.kill()
            await process.wait()
            raise

    async def _watch_exit(self, child: _Child) -> int:
        """Wait for the exit of a worker, and count early deaths."""
        status = await child.process.wait()
        with contextlib.suppress(OSError):  # wakes a running call even if a fork of the worker holds the socket
            child.socket.shutdown(socket.SHUT_RDWR)
        if child.ended_by_us:
            return status
        now = asyncio.get_running_loop().time()
        early = now - child.since < EARLY_DEATH_S or child.state == "starting"
        self._early_deaths = self._early_deaths + 1 if early else 0
        if self._early_deaths > 1:
            self._backoff_until = now + min(RESTART_BACKOFF_S * 2 ** (self._early_deaths - 2), MAX_RESTART_BACKOFF_S)
        self._last_failure = _exit_reason(status)
        self._tell("died", f"its process died ({_exit_reason(status)})")
        return status

    async def _request(
        self, child: _Child, request: list[worker_messages.Segment], timeout: float | None, what: str
    ) -> list[bytearray]:
        """Send one request and return its reply, not decoded. An interruption kills the worker: its late reply would
        answer the next request."""
        try:
            async with asyncio.timeout(timeout):
                signs = SignsOfLife(child.process.pid)
                exchange = asyncio.create_task(_exchange(child.socket, request, signs))
                return await worker_liveness.until_done_or_silent(exchange, signs)
        except BaseException as error:
            child.socket.close()  # also tells a living worker to exit
            if isinstance(error, Hung):
                reason = f"it gave no sign of life for {2 * SILENCE_S:g} s and was ended"
                child.end()
                self._tell("hung", reason)
                kind = WorkerError if error.began or child.state == "starting" else _NeverBegan
                raise kind(f"{what} failed: {reason}", hint="it is started again; try again") from None
            if isinstance(error, TimeoutError):
                child.end()
                self._tell("hung", f"{what} took longer than {timeout:g} s; it was ended")
                raise TimedOut(f"{what} took longer than {timeout:g} s; its worker was ended") from None
            if isinstance(error, EOFError | OSError):
                how = "was stopped" if child.ended_by_us else f"died ({_exit_reason(await asyncio.shield(child.gone))})"
                raise WorkerError(f"{what} failed: its worker process {how}") from None
            child.end()
            raise


class _NeverBegan(WorkerError):
    """The worker hung before it began with the call."""


async def _exchange(
    connection: socket.socket, request: list[worker_messages.Segment], signs: SignsOfLife
) -> list[bytearray]:
    """Send a request and return its reply; heartbeats are noted in `signs`."""
    await worker_messages.send_async(connection, request)
    while not (reply := await worker_messages.receive_async(connection)):
        signs.heartbeat()
    return reply


def _encode(request: LoadModel | WorkerCall, what: str) -> list[worker_messages.Segment]:
    try:
        return worker_messages.encode(request)
    except Exception as error:
        raise InvalidParameter(f"{what}: its arguments can't be sent to another process: {error}") from error


def _decode(segments: list[bytearray], what: str) -> WorkerAnswer | WorkerFailure:
    try:
        reply: WorkerAnswer | WorkerFailure = worker_messages.decode(segments)
    except Exception as error:
        raise WorkerError(f"{what}: its result can't be read in this process: {error}") from error
    return reply


def _exit_reason(status: int) -> str:
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
