"""The host's end of one worker: messages with every limit on what it may send, and its certain end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.workshop.cgroup import WorkerGroup
from reachy_mind.workshop.jail import codec, frames
from reachy_mind.workshop.run_budget import BudgetExceeded, ProtocolError, RunBudget, Usage, WorkerEnded
from reachy_mind.workshop.work_folder import WorkFolder
from reachy_mind.workshop.zygote_client import WorkerEnd, pidfd_ended

MB = 1024 * 1024
END_S = 10.0
MAX_UNSENT = 64
"""Messages that wait because the worker does not read."""
WATCH_S = 0.05
CPU_SHARE = 0.7
"""A killed worker that used this share of its CPU time had used all of it: the kernel counts that in ticks."""

Pause = Callable[[float], Awaitable[object]]
"""Waits for so many real seconds."""

_log = log.get(__name__)


class SandboxWorker:
    """A process that runs one job. Whatever happened, `end` it."""

    def __init__(
        self,
        pidfd: int,
        ended: asyncio.Future[WorkerEnd | None],
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        budget: RunBudget,
        folder: WorkFolder | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self._pidfd = pidfd
        self._ended = ended
        self._reader, self._writer = streams
        self.budget = budget
        self._folder = folder
        self._pause = pause
        self._watching: asyncio.Task[None] | None = None
        self._exceeded: BudgetExceeded | None = None
        self._sending = asyncio.Lock()
        self._unsent = 0
        self._received = 0
        self._ending: asyncio.Task[Usage] | None = None
        self.pid = _pid(pidfd)
        self.on_end: Callable[[], None] = lambda: None
        self.group: WorkerGroup | None = None
        self.layers: dict[str, str] = {}
        """The layers that the worker reported, after they were compared with the profile."""

    @property
    def alive(self) -> bool:
        return not self._ended.done() and self._ending is None

    def when_ended(self, callback: Callable[[], None]) -> None:
        """Have `callback` called once the process has ended and its end was noticed."""
        self._ended.add_done_callback(lambda _: callback())

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message; wait while the worker does not read. Raises `WorkerEnded` and `BudgetExceeded`."""
        if self._folder is not None and self._watching is None:
            self._watching = asyncio.create_task(self._watch(self._folder), name="watch on the files of a worker")
        if self._unsent >= MAX_UNSENT:
            raise BudgetExceeded("the code does not read the answers to its calls")
        self._unsent += 1
        try:
            async with self._sending:
                self._writer.write(_frame(message))
                await self._writer.drain()
        except (ConnectionError, RuntimeError) as error:
            raise await self._reason() from error
        finally:
            self._unsent -= 1

    async def receive(self) -> dict[str, Any]:
        """Return the next message. Raises `WorkerEnded`, `ProtocolError` and `BudgetExceeded`."""
        await asyncio.sleep(0)  # a worker that floods must not keep the event loop
        try:
            text_length, blob_length = frames.lengths(await self._reader.readexactly(frames.HEADER.size))
            self._received += frames.cost(text_length, blob_length)
            if self._received > self.budget.sent_mb * MB:
                raise BudgetExceeded(f"the code sent more than {self.budget.sent_mb} MB", hint="send and print less")
            text = await self._reader.readexactly(text_length)
            blob = bytearray(await self._reader.readexactly(blob_length)) if blob_length else bytearray()
            message = codec.decode(text, blob)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise await self._reason() from error
        except (frames.FrameError, codec.CodecError) as error:
            raise ProtocolError(f"the code sent a malformed message: {error}") from error
        if not isinstance(message, dict):
            raise ProtocolError("the code sent something that is not a message")
        return message

    async def end(self) -> Usage:
        """Kill the worker, wait until it is gone and remove its folder. May be called again."""
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(), name="end of a sandbox worker")
        return await asyncio.shield(self._ending)

    async def _end(self) -> Usage:
        used = _usage(self.pid) if not self._ended.done() else None
        self._signal(signal.SIGKILL)
        self._writer.transport.abort()
        try:
            async with asyncio.timeout(END_S):
                end = await self._ended
                if end is None:  # the zygote is gone, and the worker goes with it
                    await pidfd_ended(self._pidfd)
        except TimeoutError:
            end = None
            _log.error("a sandbox worker does not end", pid=self.pid)
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        os.close(self._pidfd)
        if self._folder is not None:
            await asyncio.to_thread(self._folder.remove)
        self.on_end()
        if end is not None:
            return Usage(end.cpu_s * 1000, end.rss_mb)
        return used or Usage(0.0, 0.0)

    async def _watch(self, folder: WorkFolder) -> None:
        """Kill the worker when its folder has more than its budget. Needed where the kernel does not bound it."""
        budget = self.budget
        while self._exceeded is None:
            await self._pause(WATCH_S)
            self._signal(signal.SIGSTOP)
            try:
                size, files = await asyncio.to_thread(folder.usage, self.pid, budget.files)
                if size > budget.files_mb * MB or files > budget.files:
                    self._exceeded = BudgetExceeded(
                        f"the code wrote more than {budget.files_mb} MB or {budget.files} files", hint="write less"
                    )
            except OSError as error:
                self._exceeded = BudgetExceeded(f"the files of the code can't be counted: {error}")
            finally:
                self._signal(signal.SIGCONT)
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    async def _reason(self) -> MindError:
        """Return why the stream ended."""
        try:
            async with asyncio.timeout(1.0):
                end = await asyncio.shield(self._ended)
        except TimeoutError:
            return WorkerEnded("the code closed its channel", code="FORGED_MESSAGE")
        if self._exceeded is not None:
            return self._exceeded
        if end is None:
            return WorkerEnded("the sandbox ended while the code ran")
        return self._described(end)

    def _described(self, end: WorkerEnd) -> WorkerEnded:
        if self.group is not None and self.group.out_of_memory():
            return WorkerEnded(f"it used more than {self.budget.memory_mb} MB of memory", code="MEMORY_LIMIT")
        if end.status == -signal.SIGKILL and end.cpu_s >= self.budget.cpu_s * CPU_SHARE:
            return WorkerEnded(f"it used more than {self.budget.cpu_s:g} s of CPU", code="CPU_LIMIT")
        if end.status < 0:
            name = signal.strsignal(-end.status) or f"signal {-end.status}"
            return WorkerEnded(f"the process of the code ended: {name.lower()}")
        return WorkerEnded(f"the process of the code ended without a result (exit status {end.status})")


def _frame(message: dict[str, Any]) -> bytes:
    """Return a message as a frame; a reply whose value can't be sent says so instead."""
    try:
        return frames.pack(*codec.encode(message))
    except (codec.CodecError, frames.FrameError) as error:
        if message.get("type") != "reply":
            raise InvalidParameter(f"the code can't be given this: {error}") from error
        failure = {"code": "INVALID_RESULT", "message": f"the answer can't be handed over: {error}", "hint": ""}
        reply = {"type": "reply", "id": message["id"], "ok": False, "error": failure, "now": message.get("now")}
        return frames.pack(*codec.encode(reply))


def _pid(pidfd: int) -> int:
    """Return the process id that a pidfd stands for, as the host sees it."""
    with open(f"/proc/self/fdinfo/{pidfd}") as info:  # noqa: PTH123
        for line in info:
            if line.startswith("Pid:"):
                return int(line.split()[1])
    return -1


def _usage(pid: int) -> Usage | None:
    """Return what a process has used so far, where the kernel still tells."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat, open(f"/proc/{pid}/status") as status:  # noqa: PTH123
            ticks = stat.read().rpartition(b") ")[2].split()
            peak = next((line for line in status if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    except OSError:
        return None
    cpu = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
    return Usage(cpu * 1000, int(peak.split()[1]) / 1024)
