"""`Simulator`: starts the simulator's daemon as a child process, restarts it when it dies or hangs, and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from reachy_mind import log
from reachy_mind.errors import WorkerError
from reachy_mind.system.process_group import own_group

if TYPE_CHECKING:  # MuJoCo takes half a second to import, and this process does without it
    from reachy_mind.sim.scene import SceneName

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 3.0
RESTART_PAUSE_S = 0.5
SILENCE_S = 3.0
"""It hangs after two such intervals without a heartbeat. Two, because the first one means nothing when this process
itself was suspended."""

_log = log.get(__name__)


class Simulator:
    """A simulator process for the duration of an `async with`; it ends by itself when this process dies.

    Entering starts it; `await ready()` waits until it listens. When it dies or hangs it is restarted on the same port,
    so that a link can reconnect; the robot is then asleep, as after any start.
    """

    def __init__(self, description: Path, cache: Path, scene: SceneName = "table", *, log_level: str = "info") -> None:
        self._argv = [sys.executable, "-m", "reachy_mind.sim.daemon", "--with-parent", "--log-level", log_level]
        self._argv += ["--description", str(description), "--cache", str(cache), "--scene", scene]
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._port = 0

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def port(self) -> int:
        """The port it listens on; 0 before `ready`."""
        return self._port

    async def __aenter__(self) -> Self:
        await self._spawn()
        return self

    async def _spawn(self) -> None:
        pipe = asyncio.subprocess.PIPE
        # A session of its own: Ctrl-C reaches only this process, which then ends the simulator.
        self._process = await asyncio.create_subprocess_exec(
            *self._argv, "--port", str(self._port), stdin=pipe, stdout=pipe, **own_group()
        )

    async def ready(self) -> int:
        """Wait until it listens; return the port. Raises WorkerError when it does not start."""
        self._port = await self._listening()
        self._watch = asyncio.create_task(self._keep_alive(), name="simulator")
        return self._port

    async def _listening(self) -> int:
        assert self._process is not None and self._process.stdout is not None
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                line = await self._process.stdout.readline()
            return int(json.loads(line)["port"])
        except (TimeoutError, ValueError) as error:
            await self._end()
            code = self._process.returncode
            raise WorkerError(
                f"the simulator did not start (exit code {code})", hint="its last log lines say why"
            ) from error

    async def _keep_alive(self) -> None:
        while True:
            assert self._process is not None
            await self._until_silent(self._process)
            code = await self._process.wait()
            _log.error("the simulator died, starting it again", exit_code=code)
            await asyncio.sleep(RESTART_PAUSE_S)
            await self._spawn()
            try:
                await self._listening()
            except WorkerError as error:
                _log.error("the simulator can't be started again", reason=error.message)
                return

    async def _until_silent(self, process: asyncio.subprocess.Process) -> None:
        """Read heartbeats until the process has ended; end it when none comes."""
        assert process.stdout is not None
        silent = 0
        while silent < 2:
            try:
                async with asyncio.timeout(SILENCE_S):
                    if not await process.stdout.read(4096):
                        return
                silent = 0
            except TimeoutError:
                silent += 1
        _log.error("the simulator hangs, ending it", pid=process.pid)
        with contextlib.suppress(ProcessLookupError):
            process.kill()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        await self._end()

    async def _end(self) -> None:
        """Ask it to end, and kill it after a timeout."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            _log.warning("simulator did not end by itself, killing it", pid=process.pid)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
