"""`Sandbox`: workers for untrusted code, a few of them ready before they are needed. Each runs one job."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.system.private_files import user_id
from reachy_mind.workshop.cgroup import ControlGroups
from reachy_mind.workshop.isolation import IsolationProfile, IsolationRefused
from reachy_mind.workshop.jail_layout import layout
from reachy_mind.workshop.layer_check import require
from reachy_mind.workshop.run_budget import RunBudget, WorkerEnded
from reachy_mind.workshop.sandbox_worker import Pause, SandboxWorker
from reachy_mind.workshop.spare_user import SpareUser
from reachy_mind.workshop.work_folder import WorkFolder, WorkFolders
from reachy_mind.workshop.zygote_client import ZygoteClient, ZygoteFailed

READY_S = 20.0
T = TypeVar("T")

_log = log.get(__name__)


class Sandbox:
    """Use as `async with`. One zygote, started with the first worker and again after it died."""

    def __init__(
        self,
        profile: IsolationProfile,
        *,
        ready: int = 1,
        budget: RunBudget | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.profile = profile
        self._budget = budget or RunBudget()
        self._wanted = ready
        self._pause = pause
        self._pool: list[SandboxWorker] = []
        self._zygote: ZygoteClient | None = None
        self._starting = asyncio.Lock()
        self._filling = 0
        self._background: set[asyncio.Task[Any]] = set()
        self._workers: set[SandboxWorker] = set()
        self._user = SpareUser(None, None)
        self._folders: WorkFolders | None = None
        self._groups: ControlGroups | None = None

    async def __aenter__(self) -> Self:
        if not self.profile.available:
            raise IsolationRefused(f"the isolation {self.profile.name!r} does not hold here: {self.profile.reason}")
        try:
            await asyncio.to_thread(self._prepare)
            await self._started()
        except BaseException:
            await self._close()
            raise
        self._refill()
        return self

    def _prepare(self) -> None:
        self._user = SpareUser.found()
        if user_id() == 0 and self._user.uid is None:
            raise IsolationRefused("there is no free user id for the code", hint="end other programs of this kind")
        if not self.profile.namespaces:
            self._folders = WorkFolders(self._user.uid)
        if "cgroup" in self.profile.layers:
            self._groups = ControlGroups.found()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self._close()

    async def _close(self) -> None:
        """End everything. Nothing is left: no process, no folder, no descriptor."""
        self._wanted = 0
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in list(self._workers)))
        if self._zygote is not None:
            await self._zygote.close()
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)
        if self._folders is not None:
            await asyncio.to_thread(self._folders.remove)
        self._user.release()

    async def worker(self, budget: RunBudget | None = None) -> SandboxWorker:
        """Return a worker that is locked down and waits for its job. Raises `IsolationRefused` and `ZygoteFailed`."""
        budget = budget or self._budget
        found = None
        while budget == self._budget and self._pool and found is None:
            candidate = self._pool.pop()
            if candidate.alive:
                found = candidate
            else:
                self._in_background(candidate.end())
        worker = found or await self._new(budget)
        self._refill()
        return worker

    def _refill(self) -> None:
        for _ in range(self._wanted - len(self._pool) - self._filling):
            self._filling += 1
            self._in_background(self._add())

    async def _add(self) -> None:
        try:
            worker = await self._make(self._budget)
            self._pool.append(worker)
        except (MindError, OSError) as error:
            _log.warning("no worker could be made ready", reason=str(error))
        finally:
            self._filling -= 1

    async def _started(self) -> ZygoteClient:
        """Return the zygote; a new one where it has ended."""
        async with self._starting:
            if self._zygote is None or not self._zygote.alive:
                if self._zygote is not None:
                    await self._zygote.close()
                zygote = ZygoteClient(self._start())
                await zygote.start()
                self._zygote = zygote
            return self._zygote

    def _start(self) -> dict[str, Any]:
        found = layout()
        namespaces = self.profile.namespaces
        return {
            "namespaces": namespaces,
            "landlock": self.profile.landlock,
            "uid": self._user.uid,
            "host_pid": os.getpid(),
            "path": found.path,
            "path_inside": found.path_with_namespaces if namespaces else found.path_without_namespaces,
            "trees": found.trees,
            "readable": found.readable if self._folders is None else (*found.readable, str(self._folders.shared)),
            "cascades": found.cascades_inside if self._folders is None else self._folders.readable(found.cascades),
        }

    async def _new(self, budget: RunBudget) -> SandboxWorker:
        """Return a new worker, once it is known to be isolated. When the caller goes away meanwhile, it is ended."""
        making = self._in_background(self._make(budget))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(self._abandoned)
            raise

    def _abandoned(self, making: asyncio.Task[SandboxWorker]) -> None:
        if not making.cancelled() and making.exception() is None:
            self._in_background(making.result().end())

    def _in_background(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work, name="work of the sandbox")
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def _make(self, budget: RunBudget) -> SandboxWorker:
        zygote = await self._started()
        folder = None if self._folders is None else await asyncio.to_thread(self._folders.new)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with theirs:
                pidfd, ended = await zygote.fork(_limits(budget, folder), theirs)
        except BaseException:
            ours.close()
            if folder is not None:
                await asyncio.to_thread(folder.remove)
            raise
        worker = SandboxWorker(pidfd, ended, await asyncio.open_connection(sock=ours), budget, folder, self._pause)
        self._workers.add(worker)
        worker.on_end = lambda: self._retire(worker)
        try:
            async with asyncio.timeout(READY_S):
                await self._accept(worker)
        except BaseException as error:
            await worker.end()
            if isinstance(error, (TimeoutError, WorkerEnded, OSError)):
                raise ZygoteFailed(f"a worker did not get ready: {error or 'no answer'}") from error
            raise
        return worker

    def _retire(self, worker: SandboxWorker) -> None:
        """Forget a worker that is gone. Its control group goes later, as the kernel takes its time for that."""
        self._workers.discard(worker)
        if worker.group is not None:
            self._in_background(asyncio.to_thread(worker.group.remove))

    async def _accept(self, worker: SandboxWorker) -> None:
        """Compare what holds for a worker with the profile. Raises `IsolationRefused`."""
        message = await worker.receive()
        layers = message.get("layers")
        if message.get("type") != "ready" or message.get("error") or not isinstance(layers, dict):
            raise IsolationRefused(f"a worker could not be isolated: {message.get('error')}")
        require(self.profile, layers, worker.pid, self._user.uid)
        if "cgroup" in self.profile.layers:
            if self._groups is None:
                raise IsolationRefused("a control group can't be made any more", hint="reachy-mind workshop status")
            worker.group = await asyncio.to_thread(self._groups.new, worker.pid, worker.budget.memory_mb)
            layers["cgroup"] = self.profile.layers["cgroup"]
        worker.layers = layers


def _limits(budget: RunBudget, folder: WorkFolder | None) -> dict[str, Any]:
    return {
        "memory_mb": budget.memory_mb,
        "cpu_s": budget.cpu_s,
        "file_mb": budget.file_mb,
        "files_mb": budget.files_mb,
        "files": budget.files,
        "output_bytes": budget.output_bytes,
        "folder": None if folder is None else str(folder.path),
    }
