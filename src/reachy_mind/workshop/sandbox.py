"""`Sandbox`: workers for untrusted code, a few of them ready before they are needed. Each runs one job."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self

from reachy_mind import log
from reachy_mind.workshop.isolation import IsolationProfile, IsolationRefused
from reachy_mind.workshop.jail_layout import layout
from reachy_mind.workshop.run_budget import BudgetExceeded, ProtocolError, RunBudget, Usage, WorkerEnded
from reachy_mind.workshop.sandbox_worker import SandboxWorker
from reachy_mind.workshop.zygote_client import ZygoteClient, ZygoteFailed

Budget = RunBudget
Worker = SandboxWorker
__all__ = ["Budget", "BudgetExceeded", "ProtocolError", "Sandbox", "Usage", "Worker", "WorkerEnded"]

READY_S = 20.0

_log = log.get(__name__)


class Sandbox:
    """Use as `async with`. One zygote, started with the first worker and again after it died."""

    def __init__(self, profile: IsolationProfile, *, ready: int = 1, budget: RunBudget | None = None) -> None:
        self.profile = profile
        self._budget = budget or RunBudget()
        self._wanted = ready
        self._pool: list[SandboxWorker] = []
        self._zygote: ZygoteClient | None = None
        self._starting = asyncio.Lock()
        self._refills: set[asyncio.Task[None]] = set()
        self._workers: set[SandboxWorker] = set()

    async def __aenter__(self) -> Self:
        await self._started()
        self._refill()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        for task in self._refills:
            task.cancel()
        await asyncio.gather(*self._refills, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in list(self._workers)))
        if self._zygote is not None:
            await self._zygote.close()

    async def worker(self, budget: RunBudget | None = None) -> SandboxWorker:
        """Return a worker that is locked down and waits for its job. Raises `IsolationRefused` and `ZygoteFailed`."""
        budget = budget or self._budget
        found = None
        while budget == self._budget and self._pool and found is None:
            candidate = self._pool.pop()
            found = candidate if candidate.alive else None
        worker = found or await self._new(budget)
        self._refill()
        return worker

    def _refill(self) -> None:
        for _ in range(self._wanted - len(self._pool) - len(self._refills)):
            task = asyncio.create_task(self._add(), name="refill of the sandbox")
            self._refills.add(task)
            task.add_done_callback(self._refills.discard)

    async def _add(self) -> None:
        try:
            self._pool.append(await self._new(self._budget))
        except ZygoteFailed as error:
            _log.warning("no worker could be made ready", reason=error.message)

    async def _started(self) -> ZygoteClient:
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
            "uid": 60710 if os.getuid() == 0 else None,
            "host_pid": os.getpid(),
            "path": found.path,
            "path_inside": found.path_with_namespaces if namespaces else found.path_without_namespaces,
            "trees": found.trees,
            "readable": found.readable,
        }

    async def _new(self, budget: RunBudget) -> SandboxWorker:
        zygote = await self._started()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        limits = {
            "memory_mb": budget.memory_mb,
            "cpu_s": budget.cpu_s,
            "file_mb": budget.file_mb,
            "files_mb": budget.files_mb,
            "files": budget.files,
            "output_bytes": budget.output_bytes,
            "folder": "/nonexistent",
        }
        with theirs:
            pidfd, ended = await zygote.fork(limits, theirs)
        streams = await asyncio.open_connection(sock=ours)
        worker = SandboxWorker(pidfd, ended, streams, budget, lambda: None)
        self._workers.add(worker)
        ended.add_done_callback(lambda _: self._workers.discard(worker))
        message = await worker.receive()
        if message.get("error"):
            raise IsolationRefused(f"a worker could not be locked down: {message['error']}")
        worker.layers = message["layers"]
        return worker
