"""`MotionSupervisor`: starts the motion process, receives its messages, and restarts it when it dies or hangs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.motion.idle import IdleLooks
from reachy_mind.motion.process import PACKET_BYTES
from reachy_mind.system.packets import PacketSocket, child_packets, packets
from reachy_mind.system.process_group import own_group

FRAMES_PER_PACKET = 300
RESTART_DELAY_S = 0.2
QUIT_TIMEOUT_S = 2.0
HANG_TIMEOUT_S = 1.5
START_TIMEOUT_S = 30.0
"""Timeout for the first message: loading takes seconds on a small or busy machine."""

_log = log.get(__name__)


class MotionSupervisor:
    """One process and socket pair at a time. `on_message` gets each message, `on_exit` the exit code of each death."""

    def __init__(
        self,
        argv: list[str],
        on_message: Callable[[dict[str, Any]], None],
        on_exit: Callable[[int], None],
    ) -> None:
        self._argv = argv
        self._on_message, self._on_exit = on_message, on_exit
        self._process: asyncio.subprocess.Process | None = None
        self._socket: PacketSocket | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._switches: dict[str, bool] = {}

    @classmethod
    def for_robot(
        cls,
        address: Address,
        kinematics: Path,
        *,
        idle: bool,
        looks: IdleLooks,
        priority: bool,
        log_level: str,
        on_message: Callable[[dict[str, Any]], None],
        on_exit: Callable[[int], None],
    ) -> MotionSupervisor:
        argv = [sys.executable, "-m", "reachy_mind.motion.process", "--robot", str(address)]
        argv += ["--kinematics", str(kinematics), "--log-level", log_level, *([] if priority else ["--no-priority"])]
        argv += ["--idle-interval", str(looks.interval_s), "--idle-range", str(looks.range_rad)]
        child = cls(argv, on_message, on_exit)
        child._switches["idle"] = idle
        return child

    def switch(self, name: str, *, on: bool) -> None:
        """Set `line` (connect to the robot) or `idle`, now and after each restart of the process."""
        self._switches[name] = on
        self.send(name, on=on)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        await self._spawn()
        self._task = asyncio.create_task(self._keep_running(), name="motion")

    async def _spawn(self) -> None:
        with child_packets(4 * PACKET_BYTES) as link:
            # Its own group: it must outlive Ctrl-C for long enough to lay the robot down.
            self._process = await asyncio.create_subprocess_exec(
                self._argv[0],
                *self._argv[1:],
                *("--connection", link.argument),
                *(f"--{name}" for name, on in self._switches.items() if on),
                **link.options({"OPENBLAS_NUM_THREADS": "1"}),  # numpy's thread pool is useless there
                **own_group(),
            )
            try:
                self._socket = packets(await link.connected(self._process))
            except EOFError:  # the death is noticed, and the process started again, as that of any other
                self._socket = None

    async def _keep_running(self) -> None:
        while True:
            assert self._process is not None
            if self._socket is not None:
                await self._listen(self._socket)
                self._socket.close()
                self._socket = None
            code = await self._process.wait()
            if self._closing:
                return
            _log.error("the motion process died, starting it again", exit_code=code)
            self._on_exit(code)
            await asyncio.sleep(RESTART_DELAY_S)
            await self._spawn()

    async def _listen(self, connection: PacketSocket) -> None:
        timeout_s = START_TIMEOUT_S
        while packet := await self._packet(connection, timeout_s):
            timeout_s = HANG_TIMEOUT_S
            self._on_message(json.loads(packet))

    async def _packet(self, connection: PacketSocket, timeout_s: float) -> bytes:
        """The next packet; empty when the process is gone. Kills the process after the timeout."""
        receiving = asyncio.ensure_future(connection.arrival(PACKET_BYTES))
        try:
            for _ in range(2):  # twice: after a suspend of the machine the first timeout means nothing
                if (await asyncio.wait([receiving], timeout=timeout_s))[0]:
                    break
            else:
                _log.error("the motion process hangs, ending it", pid=self.pid)
                with contextlib.suppress(ProcessLookupError):
                    assert self._process is not None
                    self._process.kill()
            return await receiving
        except OSError:
            return b""
        finally:
            if not receiving.done():
                receiving.cancel()
                await asyncio.wait([receiving])  # it reads from the socket until then

    def send(self, message: str, /, **content: Any) -> bool:
        """Send a message. Returns False while the process restarts or does not read."""
        if self._socket is None:
            return False
        try:
            self._socket.send(json.dumps({"type": message, **content}).encode())
        except OSError:
            return False
        return True

    async def close(self) -> None:
        """Ask the process to end; kill it after a timeout."""
        self._closing = True
        if self._process is not None and self._process.returncode is None:
            self.send("quit")
            try:
                async with asyncio.timeout(QUIT_TIMEOUT_S):
                    await self._process.wait()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._socket is not None:
            self._socket.close()
