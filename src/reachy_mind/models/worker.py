"""A model in its own process: started by the first call, restarted after a crash, gone when we are.

worker = Worker("ears", "reachy_mind.speech.moonshine:Transcriber", {"threads": 1})
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
from reachy_mind.errors import InvalidParameter, TimedOut, WorkerError
from reachy_mind.models import channel
from reachy_mind.models.channel import Answer, Call, Failure, Load

EARLY_S = 10.0
"""A worker that dies sooner than this after its start has died early; two in a row make the next start wait."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
GRACE_S = 5.0

logger = log.get(__name__)
_all: weakref.WeakSet[Worker] = weakref.WeakSet()


@dataclass(frozen=True)
class WorkerStatus:
    """`state` is stopped (not started, or told to stop), starting, ready, busy, or dead (by itself)."""

    name: str
    state: Literal["stopped", "starting", "ready", "busy", "dead"]
    pid: int | None
    restarts: int
    rss: int | None
    """Bytes of memory it holds; None when it is not running."""


@dataclass
class _Child:
    process: asyncio.subprocess.Process
    socket: socket.socket
    since: float
    """When it was started; once it is ready, when it became ready."""
    state: Literal["starting", "ready", "busy"] = "starting"
    ended_by_us: bool = False
    gone: asyncio.Task[int] = field(init=False)
    """Await it shielded: who is cancelled meanwhile must not cancel the burial, and with it every later call."""

    def end(self) -> None:
        """Kill it: it is in the middle of something nobody waits for any more."""
        if self.process.returncode is None:
            self.ended_by_us = True
            self.process.kill()

    def hung_up(self) -> bool:
        """Whether it is gone, or given up by us. The socket knows at once; the exit status takes a moment longer."""
        if self.process.returncode is not None:
            return True
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True


def statuses() -> list[WorkerStatus]:
    """How all of them in this process are."""
    return [worker.status() for worker in tuple(_all)]


class Worker:
    """Calls methods of the object that `factory` ("package.module:callable") returns, in a process of its own.

    One call runs at a time, the others wait their turn. It belongs to one event loop.
    """

    def __init__(
        self, name: str, factory: str, arguments: Mapping[str, Any] | None = None, *, start_timeout: float = 120.0
    ) -> None:
        self.name = name
        self._load = Load(factory, dict(arguments or {}))
        self._start_timeout = start_timeout
        self._turn = asyncio.Lock()
        self._child: _Child | None = None
        self._starts = 0
        self._stops = 0
        self._early_deaths = 0
        self._wait_until = 0.0
        self._last_failure = ""
        _all.add(self)

    async def __aenter__(self) -> Worker:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Load the model now, so that the first call need not wait for it."""
        async with self._turn:
            await self._running()

    async def call(self, method: str, *args: Any, timeout: float | None = None) -> Any:
        """Run `method(*args)` in the worker and return its result.

        `timeout` counts from when the worker takes up the call; waiting for a turn and loading the model come on top.
        Raises WorkerError with what the method raised (the worker lives on) or how the worker died, and TimedOut. A
        call that times out or is cancelled kills the worker; the next call starts a new one.
        """
        what = f"{self.name}.{method}"
        request = _encode(Call(method, args), what)
        stops = self._stops
        async with self._turn:
            if stops != self._stops:
                raise WorkerError(f"the {self.name} worker was stopped before it came to {method}")
            child = await self._running()
            child.state = "busy"
            segments = await self._ask(child, request, timeout, what)
            child.state = "ready"
        reply = _decode(segments, what)
        if isinstance(reply, Failure):
            raise WorkerError(f"{what} raised {reply.type}: {reply.message}", hint=reply.hint)
        return reply.value

    def status(self) -> WorkerStatus:
        child, restarts = self._child, max(0, self._starts - 1)
        if child is None:
            return WorkerStatus(self.name, "stopped", None, restarts, None)
        if child.hung_up():
            return WorkerStatus(self.name, "stopped" if child.ended_by_us else "dead", None, restarts, None)
        try:
            rss = psutil.Process(child.process.pid).memory_info().rss
        except psutil.Error:
            rss = None
        return WorkerStatus(self.name, child.state, child.process.pid, restarts, rss)

    async def stop(self) -> None:
        """End the worker: asked first, killed if it does not go. Calls under way or waiting fail with WorkerError;
        a later call starts it again."""
        self._stops += 1
        child, self._child = self._child, None
        if child is None:
            return
        if child.process.returncode is None:
            child.ended_by_us = True
            child.process.terminate()
            await asyncio.wait([child.gone], timeout=GRACE_S)
            child.end()
        await asyncio.shield(child.gone)
        if child.state == "ready":  # else the call under way sees the end and closes it
            child.socket.close()

    async def _running(self) -> _Child:
        if self._child is not None:
            if not self._child.hung_up():
                return self._child
            await asyncio.shield(self._child.gone)
            self._child.socket.close()
        if (wait := self._wait_until - asyncio.get_running_loop().time()) > 0:
            raise WorkerError(
                f"the {self.name} worker died {self._early_deaths} times in a row; "
                f"it may start again in {wait:.1f} s ({self._last_failure})",
                hint="its log lines on stderr say more",
            )
        what, stops = f"loading {self.name}", self._stops
        request = _encode(self._load, what)
        child = self._child = await self._spawn()
        if stops != self._stops:  # there was nothing to stop yet
            child.end()
        reply = _decode(await self._ask(child, request, self._start_timeout, what), what)
        if isinstance(reply, Failure):
            await asyncio.shield(child.gone)
            self._last_failure = f"{reply.type}: {reply.message}"
            raise WorkerError(f"the {self.name} worker could not start: {self._last_failure}", hint=reply.hint)
        child.state, child.since = "ready", asyncio.get_running_loop().time()
        return child

    async def _spawn(self) -> _Child:
        ours, theirs = socket.socketpair()
        ours.settimeout(0)
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "reachy_mind.models.host", self.name, str(theirs.fileno())),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=2,  # what a model prints is a log line
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C is for us; we then stop the worker
            )
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError):
                raise WorkerError(f"the {self.name} worker could not start: {error}") from None
            raise
        finally:
            theirs.close()
        self._starts += 1
        child = _Child(process, ours, asyncio.get_running_loop().time())
        child.gone = asyncio.create_task(self._bury(child), name=f"worker {self.name}")
        return child

    async def _bury(self, child: _Child) -> int:
        """Wait for the end of a worker and keep count of early deaths."""
        status = await child.process.wait()
        with contextlib.suppress(OSError):  # wakes a call under way even if a fork of the worker holds the socket
            child.socket.shutdown(socket.SHUT_RDWR)
        if child.ended_by_us:
            return status
        now = asyncio.get_running_loop().time()
        early = now - child.since < EARLY_S or child.state == "starting"
        self._early_deaths = self._early_deaths + 1 if early else 0
        if self._early_deaths > 1:
            self._wait_until = now + min(FIRST_WAIT_S * 2 ** (self._early_deaths - 2), LONGEST_WAIT_S)
        self._last_failure = _ending(status)
        logger.warning("worker died", worker=self.name, pid=child.process.pid, how=_ending(status))
        return status

    async def _ask(
        self, child: _Child, request: list[channel.Segment], timeout: float | None, what: str
    ) -> list[bytearray]:
        """One request and its reply, not decoded yet. Whatever interrupts it costs the worker its life: it would
        answer the wrong question next."""
        try:
            async with asyncio.timeout(timeout):
                await channel.send_soon(child.socket, request)
                return await channel.receive_soon(child.socket)
        except BaseException as error:
            child.socket.close()  # also the sign for the worker to leave, should it still live
            if isinstance(error, TimeoutError):
                child.end()
                raise TimedOut(f"{what} took longer than {timeout:g} s; its worker was ended") from None
            if isinstance(error, EOFError | OSError):
                how = "was stopped" if child.ended_by_us else f"died ({_ending(await asyncio.shield(child.gone))})"
                raise WorkerError(f"{what} failed: its worker process {how}") from None
            child.end()
            raise


def _encode(request: Load | Call, what: str) -> list[channel.Segment]:
    try:
        return channel.encode(request)
    except Exception as error:
        raise InvalidParameter(f"{what}: its arguments can't be sent to another process: {error}") from error


def _decode(segments: list[bytearray], what: str) -> Answer | Failure:
    try:
        reply: Answer | Failure = channel.decode(segments)
    except Exception as error:
        raise WorkerError(f"{what}: its result can't be read in this process: {error}") from error
    return reply


def _ending(status: int) -> str:
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
