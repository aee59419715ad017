"""Starting the simulator's daemon as a process of ours, and ending it without leaving anything behind."""

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

if TYPE_CHECKING:  # MuJoCo takes half a second to import, and this process does without it
    from reachy_mind.sim.scene import SceneName

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 3.0

_log = log.get(__name__)


class Simulator:
    """A simulator process for the time of an `async with`; it ends by itself when this process dies.

    Entering starts it; `await ready()` waits until it listens.
    """

    def __init__(
        self, description: Path, cache: Path, scene: SceneName = "table", *, port: int = 0, log_level: str = "info"
    ) -> None:
        self._argv = ["--description", str(description), "--cache", str(cache), "--scene", scene]
        self._argv += ["--port", str(port), "--log-level", log_level, "--with-parent"]
        self._process: asyncio.subprocess.Process | None = None
        self._port: int | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def __aenter__(self) -> Self:
        pipe = asyncio.subprocess.PIPE
        # A session of its own: Ctrl-C goes to us, and we end the simulator when we are done with it.
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "reachy_mind.sim.daemon", *self._argv),
            stdin=pipe,
            stdout=pipe,
            start_new_session=True,
        )
        return self

    async def ready(self) -> int:
        """The port, once it listens. Raises WorkerError when it does not start."""
        assert self._process is not None and self._process.stdout is not None
        if self._port is None:
            try:
                line = await asyncio.wait_for(self._process.stdout.readline(), START_TIMEOUT_S)
                self._port = int(json.loads(line)["port"])
            except (TimeoutError, ValueError) as error:
                await self.stop()
                raise WorkerError(
                    f"the simulator did not start (exit code {self._process.returncode})", hint="its last lines say why"
                ) from error
        return self._port

    @property
    def port(self) -> int:
        assert self._port is not None, "await ready() first"
        return self._port

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Ask it to end; insist after three seconds."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
        except TimeoutError:
            _log.warning("simulator did not end by itself, killing it", pid=process.pid)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
