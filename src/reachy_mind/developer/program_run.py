"""`ProgramRun`: one run of a program, from the start of its supervisor to the end of everything that it started."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind import log
from reachy_mind.developer.connect_proxy import ConnectProxy
from reachy_mind.developer.program_output import Heard, ProgramOutput
from reachy_mind.developer.program_result import (
    MB,
    Ending,
    ProgramChange,
    ProgramLimits,
    ProgramMissing,
    ProgramResult,
    SandboxFailed,
)
from reachy_mind.developer.program_view import ProgramView
from reachy_mind.errors import InvalidParameter
from reachy_mind.workshop.cgroup import ControlGroups, WorkerGroup
from reachy_mind.workshop.isolation import IsolationProfile, IsolationRefused
from reachy_mind.workshop.jail_layout import program
from reachy_mind.workshop.layer_check import require
from reachy_mind.workshop.zygote_client import pidfd_ended

MAX_PACKET = 1 << 18
START_S, END_S, CHANGES_S = 60.0, 10.0, 120.0
HINT = "it needs Linux with user namespaces for programs; in a container: --security-opt seccomp=unconfined"
REQUIRED = (
    "mount namespace",
    "network namespace",
    "process namespace",
    "user namespace",
    "seccomp",
    "rlimits",
    "no new privileges",
    "capabilities",
    "environment",
)
PROFILE = IsolationProfile("namespaces", dict.fromkeys(REQUIRED, ""))

_log = log.get(__name__)


@dataclass
class ProgramRun:
    """One run, from the start of its supervisor to its end."""

    plan: dict[str, Any]
    view: ProgramView
    hosts: Sequence[str]
    limits: ProgramLimits
    layers: dict[str, str] = field(default_factory=dict)
    copy: str = ""
    changes: list[ProgramChange] = field(default_factory=list)
    more: bool = False
    _pidfd: int = -1

    async def result(self, groups: ControlGroups | None, timeout_s: float, heard: Heard | None) -> ProgramResult:
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.setblocking(False)  # noqa: FBT003
        reading, writing = os.pipe()
        output = ProgramOutput(reading, self.limits.output_mb * MB, heard)
        process: asyncio.subprocess.Process | None = None
        group: WorkerGroup | None = None
        try:
            try:
                process = await asyncio.create_subprocess_exec(
                    *program("supervisor", str(theirs.fileno()), str(writing)),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.DEVNULL,
                    env={},
                    cwd="/",
                    pass_fds=(theirs.fileno(), writing),
                    start_new_session=True,
                )
            finally:
                theirs.close()
                os.close(writing)
            if groups is not None:
                group = await asyncio.to_thread(self._group, groups, process.pid)
            async with contextlib.AsyncExitStack() as stack:
                port = await self._started(control, stack)
                return await self._ended(control, output, port, timeout_s, group)
        finally:
            await asyncio.shield(self._end(process, control, output, group))

    def _group(self, groups: ControlGroups, pid: int) -> WorkerGroup | None:
        """A control group for all of it, where one can be made: what it writes is memory, too."""
        with contextlib.suppress(OSError):
            return groups.new(pid, self.limits.memory_mb + self.limits.files_mb, tasks=self.limits.tasks + 16)
        return None

    async def _started(self, control: socket.socket, stack: contextlib.AsyncExitStack) -> int:
        """Wait until it is isolated, and check that. Returns the port of its proxy, 0 for none."""
        packet = json.dumps(self.plan).encode()
        if len(packet) > MAX_PACKET:
            raise InvalidParameter("the arguments are too long", hint="put them into a file")
        try:
            async with asyncio.timeout(START_S):
                await asyncio.get_running_loop().sock_sendall(control, packet)
                message, descriptors = await _packet(control, 2)
        except (TimeoutError, OSError) as error:
            raise SandboxFailed(f"the sandbox did not start: {error or 'no answer'}", hint="try again") from error
        ready = message.get("ready")
        if not isinstance(ready, dict) or not descriptors:
            raise _refusal(message)
        self._pidfd = descriptors[0]
        self.layers, self.copy = dict(ready["layers"]), str(ready["copy"])
        await asyncio.to_thread(require, PROFILE, self.layers, _pid(self._pidfd), self.plan["uid"])
        if len(descriptors) < 2:
            return 0
        listening = socket.socket(fileno=descriptors[1])
        await stack.enter_async_context(ConnectProxy(listening, self.hosts))
        return int(ready["port"])

    async def _ended(
        self, control: socket.socket, output: ProgramOutput, port: int, timeout_s: float, group: WorkerGroup | None
    ) -> ProgramResult:
        loop = asyncio.get_running_loop()
        go = {"go": True, "environment": self.view.environment(self.plan["inside"], port)}
        began = loop.time()
        await loop.sock_sendall(control, json.dumps(go).encode())
        ending: Ending = "exited"
        try:
            async with asyncio.timeout(timeout_s):
                message = await self._until(output.too_much, _packet(control, 0))
        except TimeoutError:
            ending, message = "timeout", None
        if message is None and ending == "exited":
            ending = "output"
        found: dict[str, Any] = {}
        if message is not None:
            if "failed" in message[0]:
                raise _not_started(str(message[0]["failed"]), self.plan["argv"][0])
            found = message[0].get("ended") or {}
            ending = "memory" if found.get("memory") or (group and group.out_of_memory()) else "exited"
            if found and ending == "exited":
                await self._read_changes(control)
        seconds = loop.time() - began
        if ending in ("timeout", "output"):
            self._kill()
        elif not found and ending == "exited":
            ending = "killed"
        await output.ended(END_S)
        status = int(found.get("status", -signal.SIGKILL))
        if ending == "exited" and status < 0:
            ending = "killed"
        return ProgramResult(
            status, ending, output.data, output.cut, seconds, tuple(self.changes), self.more, self.layers, self.copy
        )

    async def _until(
        self, event: asyncio.Event, work: Awaitable[tuple[dict[str, Any], list[int]]]
    ) -> tuple[dict[str, Any], list[int]] | None:
        """What comes first: the result, or None for the event."""
        tasks = (asyncio.ensure_future(work), asyncio.ensure_future(event.wait()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return tasks[0].result() if tasks[0].done() else None
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read_changes(self, control: socket.socket) -> None:
        """What it changed, as the supervisor found it. A path is what the program made of it: it is not trusted."""
        try:
            async with asyncio.timeout(CHANGES_S):
                while "difference" in (message := (await _packet(control, 0))[0]) or "more" in message:
                    if "more" in message:
                        self.more = True
                        continue
                    about = message["difference"]
                    content = await _content(control, int(about["size"])) if about["content"] else None
                    self.changes.append(
                        ProgramChange(str(about["path"]), str(about["kind"]), int(about["size"]), content)
                    )
        except TimeoutError:
            self.more = True
        if "done" not in message:
            self.more = True

    async def _end(
        self,
        process: asyncio.subprocess.Process | None,
        control: socket.socket,
        output: ProgramOutput,
        group: WorkerGroup | None,
    ) -> None:
        """End everything that is left of it, and wait for that."""
        self._kill()
        control.close()
        output.close()
        if process is not None:
            await self._end_supervisor(process)
        if self._pidfd >= 0:
            try:
                async with asyncio.timeout(END_S):
                    await pidfd_ended(self._pidfd)
            except TimeoutError:
                _log.error("a program of the sandbox does not end")
            os.close(self._pidfd)
        if group is not None:
            await asyncio.to_thread(group.remove)

    async def _end_supervisor(self, process: asyncio.subprocess.Process) -> None:
        """Wait for it: it ends with what it started. One that does not, or started nothing, is killed."""
        try:
            async with asyncio.timeout(END_S if self._pidfd >= 0 else 0):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _kill(self) -> None:
        """Kill the supervisor: the kernel kills every process of its table with it."""
        if self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)


async def _packet(control: socket.socket, descriptors: int) -> tuple[dict[str, Any], list[int]]:
    """The next message; an empty one when the supervisor has ended."""
    data, found = await _received(control, descriptors)
    try:
        message = json.loads(data or b"{}")
    except ValueError:
        message = {}
    return message if isinstance(message, dict) else {}, found


async def _content(control: socket.socket, size: int) -> bytes | None:
    """The content of a file; None where it did not come."""
    kept = bytearray()
    while len(kept) < size:
        data, _ = await _received(control, 0)
        if not data.startswith(b"D"):
            return None
        kept += data[1:]
    return bytes(kept)


async def _received(control: socket.socket, descriptors: int) -> tuple[bytes, list[int]]:
    loop = asyncio.get_running_loop()
    while True:
        try:
            data, found, _, _ = socket.recv_fds(control, MAX_PACKET, descriptors)
        except BlockingIOError:
            pass
        except ConnectionError:
            return b"", []
        else:
            return data, found
        readable: asyncio.Future[None] = loop.create_future()
        loop.add_reader(control, _resolve, readable)
        try:
            await readable
        finally:
            loop.remove_reader(control)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _refusal(message: Mapping[str, Any]) -> Exception:
    if "too_large" in message:
        return InvalidParameter(
            f"this folder can't be worked on here: {message['too_large']}",
            hint="there is no overlay here, and developer.program_files_mb bounds a copy",
        )
    reason = message.get("fatal", "it ended at once")
    return IsolationRefused(f"this machine can't isolate programs: {reason}", hint=HINT)


def _not_started(reason: str, name: str) -> Exception:
    if reason == "missing":
        return ProgramMissing(
            f"there is no program {name[:60]!r} in the sandbox",
            hint="install it for all users or into the repository's .venv, or name it in developer.tool_folders",
        )
    return ProgramMissing(f"{name[:60]!r} can't be run: {reason}", hint="is the interpreter that it names visible?")


def _pid(pidfd: int) -> int:
    """The process id that a pidfd stands for."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text(encoding="ascii").splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    return -1
