"""`Child`: the motion process as the main process holds it: started, listened to, and started again when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.motion.process import PACKET_BYTES

FRAMES_PER_PACKET = 300
RESTART_PAUSE_S = 0.2
QUIT_S = 2.0
HUNG_S = 1.5
START_S = 10.0
"""A process that has said nothing yet is still being loaded: on a small or busy machine that takes seconds."""

_log = log.get(__name__)


class Child:
    """One process and one socket pair at a time. `heard` gets every message, `died` the exit code of each that died."""

    def __init__(
        self,
        argv: list[str],
        heard: Callable[[dict[str, Any]], None],
        died: Callable[[int], None],
    ) -> None:
        self._argv = argv
        self._heard, self._died = heard, died
        self._process: asyncio.subprocess.Process | None = None
        self._pair: socket.socket | None = None
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
        priority: bool,
        log_level: str,
        heard: Callable[[dict[str, Any]], None],
        died: Callable[[int], None],
    ) -> Child:
        argv = [sys.executable, "-m", "reachy_mind.motion.process", "--robot", str(address)]
        argv += ["--kinematics", str(kinematics), "--log-level", log_level, *([] if priority else ["--no-priority"])]
        child = cls(argv, heard, died)
        child._switches["idle"] = idle
        return child

    def switch(self, name: str, *, on: bool) -> None:
        """`line` (connect to the robot) or `idle`, now and whenever the process is started again."""
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
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            for end in (ours, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * PACKET_BYTES)
            ours.setblocking(False)  # noqa: FBT003
            # A session of its own: it must outlive a Ctrl-C for long enough to lay the robot down.
            self._process = await asyncio.create_subprocess_exec(
                *self._argv,
                *("--fd", str(theirs.fileno())),
                *(f"--{name}" for name, on in self._switches.items() if on),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # numpy's idle helper threads are of no use there
            )
        self._pair = ours

    async def _keep_running(self) -> None:
        while True:
            assert self._pair is not None and self._process is not None
            await self._listen(self._pair)
            self._pair.close()
            self._pair = None
            code = await self._process.wait()
            if self._closing:
                return
            _log.error("the motion process died, starting it again", exit_code=code)
            self._died(code)
            await asyncio.sleep(RESTART_PAUSE_S)
            await self._spawn()

    async def _listen(self, pair: socket.socket) -> None:
        patience = START_S
        while packet := await self._packet(pair, patience):
            patience = HUNG_S
            self._heard(json.loads(packet))

    async def _packet(self, pair: socket.socket, patience: float) -> bytes:
        """The next one; nothing when the process has gone. One that says nothing for too long is ended."""
        receiving = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(pair, PACKET_BYTES))
        try:
            for _ in range(2):  # after a pause of the whole machine the first time-out says nothing
                if (await asyncio.wait([receiving], timeout=patience))[0]:
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
                await asyncio.wait([receiving])  # until then it reads from the socket

    def send(self, message: str, /, **content: Any) -> bool:
        """Whether the message went out; it does not while the process is being started again, or is stuck."""
        if self._pair is None:
            return False
        try:
            self._pair.send(json.dumps({"type": message, **content}).encode())
        except OSError:
            return False
        return True

    async def close(self) -> None:
        """Let it end by itself; insist after two seconds."""
        self._closing = True
        if self._process is not None and self._process.returncode is None:
            self.send("quit")
            try:
                async with asyncio.timeout(QUIT_S):
                    await self._process.wait()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()
                await self._process.wait()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._pair is not None:
            self._pair.close()
