"""`SdkProcess`: starts `vendor_process.py` in the vendor's Python environment and talks to it over pipes.

The SDK needs GStreamer and its own library versions, so it is never imported here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.daemon import DaemonClient
from reachy_mind.body.media import BLOCK_SAMPLES
from reachy_mind.body.media.microphone_buffer import MicrophoneBuffer
from reachy_mind.body.media.remote_speaker import RemoteSpeaker
from reachy_mind.body.media.vendor_process import HEADER, MESSAGE, PICTURE, SOUND
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import LinkLost, NotReady
from reachy_mind.system.process_group import own_group

SCRIPT = Path(__file__).with_name("vendor_process.py")
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 5.0
FRAME_TIMEOUT_S = 5.0
SILENCE_S = 2.0
"""The process hangs after two such intervals without a message. Two, because the first one means nothing when this
process itself was suspended."""
MAX_FRAME_BYTES = 20_000_000
KEPT_STDERR_LINES = 5
NO_TELEMETRY = {"REACHY_MINI_TELEMETRY": "0", "DO_NOT_TRACK": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}

_log = log.get(__name__)


class SdkProcess:
    """The process, for the duration of an `async with`. It ends by itself when this process dies."""

    def __init__(self, python: Path, address: Address, app_name: str) -> None:
        self._python, self._address, self._app_name = python, address, app_name
        self._stack = contextlib.AsyncExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._ready: asyncio.Future[dict[str, Any]] | None = None
        self._requests: deque[asyncio.Future[bytes]] = deque()
        self._stderr_lines: deque[str] = deque(maxlen=KEPT_STDERR_LINES)
        self._gone = "it is not running"
        self.has: dict[str, bool] = {}
        """Whether the SDK has a `camera` and `sound`."""
        self.buffer: MicrophoneBuffer | None = None
        self.speaker: RemoteSpeaker | None = None

    async def send_message(self, kind: str, **content: object) -> None:
        await self.send(MESSAGE, json.dumps({"type": kind, **content}).encode())

    async def send(self, kind: bytes, payload: bytes) -> None:
        """Send one frame. Raises LinkLost when the process is gone."""
        if self._gone:
            raise self._link_lost()
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(HEADER.pack(kind, len(payload)) + payload)
            await self._process.stdin.drain()
        except OSError:
            raise self._link_lost() from None

    async def look(self) -> bytes:
        """Take one picture, as JPEG. Raises LinkLost."""
        request: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._requests.append(request)  # before sending: pictures come in the order of the requests
        try:
            async with asyncio.timeout(FRAME_TIMEOUT_S):
                await self.send_message("look")
                return await request
        except TimeoutError:
            raise LinkLost("the vendor's SDK gives no picture") from None

    def _link_lost(self) -> LinkLost:
        return LinkLost(
            f"the vendor's media can't be used: {self._gone or 'its process ended'}", hint=self._last_lines()
        )

    def _last_lines(self) -> str:
        return f"its last lines: {' | '.join(self._stderr_lines)}" if self._stderr_lines else "it said nothing more"

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            camera = await self._camera_name()
            process = await self._spawn(camera)
            stack.push_async_callback(self._end, process)
            self._ready = asyncio.get_running_loop().create_future()
            for reader in (self._read(process), self._follow(process)):
                stack.push_async_callback(cancel_and_wait, asyncio.create_task(reader, name="vendor's media"))
            try:
                async with asyncio.timeout(START_TIMEOUT_S):
                    ready = await self._ready
            except TimeoutError:
                raise NotReady("the vendor's SDK does not start", hint=self._last_lines()) from None
            if ready["type"] != "ready":
                raise NotReady(f"the vendor's SDK has no media: {ready['message']}", hint=self._last_lines())
            self.has = {"camera": ready["camera"], "sound": ready["sound"]}
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _camera_name(self) -> str:
        """The daemon's name for its camera. Raises NotReady when the daemon has no media."""
        async with contextlib.aclosing(DaemonClient(self._address, app_name=self._app_name)) as daemon:
            status = protocol.DaemonStatus.model_validate(await daemon.request("GET", protocol.STATUS_ROUTE))
        if status.no_media:
            raise NotReady("the robot's daemon runs without media", hint="start it without --no-media")
        if status.media_released:
            raise NotReady("the robot's media are in use by another program", hint="end that program first")
        return status.camera_specs_name

    async def _spawn(self, camera: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        argv = [str(self._python.expanduser()), "-P", str(SCRIPT), self._address.host, str(self._address.port), camera]
        # The vendor's Python must find only its own packages.
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        try:
            self._process = await asyncio.create_subprocess_exec(
                *argv, stdin=pipe, stdout=pipe, stderr=pipe, env=environment | NO_TELEMETRY, **own_group()
            )
        except OSError as error:
            raise NotReady(
                f"the vendor's Python can't be started: {error}", hint="set media.vendor_python to a Python program"
            ) from None
        self._gone = ""
        return self._process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Handle frames from the process until it ends."""
        assert process.stdout is not None
        try:
            while True:
                kind, length = HEADER.unpack(await self._header(process))
                if length > MAX_FRAME_BYTES:
                    self._gone = "it sent an invalid frame"
                    break
                self._handle(kind, await process.stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            self._gone = self._gone or "its process ended"
        finally:
            self._gone = self._gone or "it was closed"
            self._fail_pending()

    async def _header(self, process: asyncio.subprocess.Process) -> bytes:
        """The next frame's header. A process that hangs is killed: it is started again with the next use."""
        assert process.stdout is not None
        reading = asyncio.ensure_future(process.stdout.readexactly(HEADER.size))
        try:
            for _ in range(2):
                if (await asyncio.wait([reading], timeout=SILENCE_S))[0]:
                    return reading.result()
            _log.error("the vendor's media process hangs, ending it", pid=process.pid)
            self._gone = f"its process gave no sign of life for {2 * SILENCE_S:g} s and was ended"
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            return await reading
        finally:
            if not reading.done():
                await cancel_and_wait(reading)

    def _handle(self, kind: bytes, payload: bytes) -> None:
        if kind == SOUND:
            if self.buffer is not None:
                self.buffer.put(payload, BLOCK_SAMPLES)
            return
        if kind == PICTURE:
            _settle(self._requests, lambda request: request.set_result(payload))
            return
        message = json.loads(payload)
        if message["type"] in ("ready", "failed"):
            assert self._ready is not None
            if not self._ready.done():
                self._ready.set_result(message)
        elif message["type"] == "alive":
            return
        elif message["type"] == "no_picture":
            _settle(self._requests, lambda request: request.set_exception(LinkLost(message["message"])))
        elif self.speaker is not None:
            self.speaker.handle_message(message)

    def _fail_pending(self) -> None:
        """The process is gone: fail everything that waits for it."""
        assert self._ready is not None
        if not self._ready.done():
            self._ready.set_result({"type": "failed", "message": self._gone})
        while self._requests:
            _settle(self._requests, lambda request: request.set_exception(self._link_lost()))
        if self.buffer is not None:
            self.buffer.end(self._gone)
        if self.speaker is not None:
            self.speaker.progress.lose(self._gone)

    async def _follow(self, process: asyncio.subprocess.Process) -> None:
        """Keep the last lines of stderr, for error messages."""
        assert process.stderr is not None
        while line := (await process.stderr.read(4096)).decode(errors="replace"):
            self._stderr_lines.extend(part.strip()[:200] for part in line.splitlines() if part.strip())

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Close its input; kill it after a timeout."""
        self._gone = self._gone or "it was closed"
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            _log.warning("the vendor's media process did not end by itself, killing it", pid=process.pid)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _settle(requests: deque[asyncio.Future[bytes]], answer: Callable[[asyncio.Future[bytes]], None]) -> None:
    """Answer the oldest request, unless it was cancelled."""
    if requests:
        request = requests.popleft()
        if not request.done():
            answer(request)
