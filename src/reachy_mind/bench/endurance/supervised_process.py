"""`SupervisedProcess`: a program that is started again whenever it ends, as a service manager does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from reachy_mind.cancellation import cancel_and_wait

RESTART_AFTER_S: Final = 0.5
STOP_TIMEOUT_S: Final = 40.0


class SupervisedProcess:
    """Use as an async context manager. `log` gets what it prints."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._argv, self._environment, self.log = list(argv), dict(environment), log
        self.starts = 0
        self.unexpected: list[int] = []
        """Exit codes of ends that nobody asked for."""
        self._may_start = asyncio.Event()
        self._may_start.set()
        self._process: asyncio.subprocess.Process | None = None
        self._running: asyncio.Task[None] | None = None
        self._killed = self._stopping = False

    async def __aenter__(self) -> Self:
        await self._start()
        self._running = asyncio.create_task(self._supervise(), name=f"supervise {self.log.stem}")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def pid(self) -> int:
        assert self._process is not None, "it was started"
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL; it comes back."""
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def hold_back(self) -> None:
        """Once it has ended it stays away, until `release`."""
        self._may_start.clear()

    def release(self) -> None:
        self._may_start.set()

    async def stop(self) -> int | None:
        """SIGTERM, and no new start; its exit code. It is killed when it does not end in time."""
        self._stopping = True
        if self._running is None or self._process is None:
            return None
        running, self._running = self._running, None
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()
            try:
                async with asyncio.timeout(STOP_TIMEOUT_S):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        await cancel_and_wait(running)
        return self._process.returncode

    async def _supervise(self) -> None:
        while True:
            assert self._process is not None
            code = await self._process.wait()
            if self._stopping:
                return
            if not self._killed:
                self.unexpected.append(code)
            self._killed = False
            await asyncio.sleep(RESTART_AFTER_S)
            await self._may_start.wait()
            await self._start()

    async def _start(self) -> None:
        self.starts += 1
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv, env=self._environment, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log
            )
