"""`Webcam`: a camera of this machine through OpenCV, or a video file as a substitute.

One thread opens, reads and closes it, because OpenCV blocks. It grabs every frame, so that the driver's buffer holds no
old one; only requested frames are decoded and encoded as JPEG.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reachy_mind import log
from reachy_mind.errors import LinkLost, MissingExtra, NotReady
from reachy_mind.system.cameras import address, in_file_system, named_cameras, number_and_interface

if TYPE_CHECKING:
    import cv2

VIDEO_DEVICES = Path("/sys/class/video4linux")
OPEN_TIMEOUT_S, FRAME_TIMEOUT_S, CLOSE_TIMEOUT_S = 10.0, 5.0, 5.0
"""A driver may block for ever: the thread is then abandoned, and ends with the program at the latest."""
WIDTH, HEIGHT = 1280, 720
"""Requested resolution; the camera uses the nearest it has."""
QUALITY = 85
MAX_FAILURES = 5
"""Failed frames allowed in a row: some cameras need a few tries after opening."""

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera as the system names it, and what opens it."""

    name: str
    path: str


def cameras() -> list[FoundCamera]:
    """All cameras of this machine; of a camera's device nodes only the one that delivers frames."""
    if not in_file_system():
        return [FoundCamera(*each) for each in named_cameras()]
    found = []
    for node in sorted(VIDEO_DEVICES.glob("video*"), key=lambda node: (len(node.name), node.name)):
        with contextlib.suppress(OSError):
            if (node / "index").read_text().strip() == "0":
                found.append(FoundCamera((node / "name").read_text().strip(), f"/dev/{node.name}"))
    return found


def find(device: str) -> str:
    """The path for a number, a /dev/videoN, a part of a name or a video file; empty: the first camera.

    Raises NotReady with the available cameras.
    """
    known = cameras()
    if device.isdigit():
        device = f"/dev/video{device}" if in_file_system() else address(int(device))
    if number_and_interface(device) or Path(device).is_file() or (device.startswith("/dev/") and Path(device).exists()):
        return device
    if "/" not in device:
        for camera in known:
            if device.lower() in camera.name.lower():
                return camera.path
    there = ", ".join(f"{camera.name} ({camera.path})" for camera in known) or "no camera"
    wanted = f"no camera {device!r}" if device else "no camera"
    raise NotReady(
        f"this computer has {wanted}",
        hint=f"it has {there}; set media.camera to a number, a path, a part of a name, or a video file",
    )


def first_named(names: Sequence[str]) -> str:
    """The path of the first camera that has one of these names, in the order of the names; empty without a match."""
    known = cameras()
    return next((camera.path for name in names for camera in known if name in camera.name), "")


class Webcam:
    """Use as `async with`. `lease` is entered before the device opens and left after it is closed."""

    def __init__(self, device: str, *, lease: AbstractAsyncContextManager[object] | None = None) -> None:
        self._device = device
        self._lease = lease or contextlib.nullcontext()
        self._stack = contextlib.AsyncExitStack()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._requests: list[asyncio.Future[bytes]] = []
        self._gone = "it is not open"

    @property
    def device(self) -> str:
        return self._device

    async def frame(self) -> bytes:
        """The next frame, as JPEG. Raises LinkLost when the camera is lost or delivers none."""
        request: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._gone:
                raise self._lost()
            self._requests.append(request)
        try:
            async with asyncio.timeout(FRAME_TIMEOUT_S):
                return await request
        except TimeoutError:
            raise LinkLost(f"the camera {self._device} gives no picture", hint="is it in use elsewhere?") from None

    def _lost(self) -> LinkLost:
        return LinkLost(f"the camera {self._device} can't be used: {self._gone}", hint="is it still plugged in?")

    async def __aenter__(self) -> Self:
        try:
            await asyncio.to_thread(importlib.import_module, "cv2")
        except ImportError:
            raise MissingExtra("a camera of this computer", "media") from None
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._lease)
            self._device = find(self._device)
            loop = asyncio.get_running_loop()
            opened: asyncio.Future[None] = loop.create_future()
            ended: asyncio.Future[None] = loop.create_future()
            self._stop.clear()
            thread = threading.Thread(target=self._run, args=(loop, opened, ended), name="webcam", daemon=True)
            thread.start()
            stack.push_async_callback(self._end, thread, ended)
            try:
                async with asyncio.timeout(OPEN_TIMEOUT_S):
                    await opened
            except TimeoutError:
                hint = "unplug it and plug it in again"
                raise LinkLost(f"the camera {self._device} does not open: its driver hangs", hint=hint) from None
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _end(self, thread: threading.Thread, ended: asyncio.Future[None]) -> None:
        self._stop.set()
        if not (await asyncio.wait([ended], timeout=CLOSE_TIMEOUT_S))[0]:
            _log.warning("the camera's driver hangs: its thread is abandoned", camera=self._device)
            return
        thread.join()  # returns at once: the thread has nothing left to do

    # Run in the capture thread

    def _run(self, loop: asyncio.AbstractEventLoop, opened: asyncio.Future[None], ended: asyncio.Future[None]) -> None:
        def call_in_loop(what: Callable[..., object], *values: object) -> None:
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(what, *values)

        import cv2  # noqa: PLC0415

        capture = None
        try:
            capture, from_file = self._opened()
            if capture.isOpened():
                self._gone = ""
                call_in_loop(_settle, opened, None)
                self._read(capture, _pace(capture) if from_file else 0.0, call_in_loop)
            else:
                hint = "it is not a readable video" if from_file else "does another program use it? may you?"
                call_in_loop(_fail, opened, NotReady(f"the camera {self._device} can't be opened", hint=hint))
        except cv2.error as error:
            self._gone = " ".join(str(error).split())
        finally:
            if capture is not None:
                capture.release()
            with self._lock:
                self._gone = self._gone or "it was closed"
                left, self._requests = self._requests, []
            for future in (opened, *left):
                call_in_loop(_fail, future, self._lost())
            call_in_loop(_settle, ended, None)

    def _opened(self) -> tuple[cv2.VideoCapture, bool]:
        import cv2  # noqa: PLC0415

        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)  # we report what can't be opened
        if Path(self._device).is_file():
            return cv2.VideoCapture(self._device), True
        numbered = number_and_interface(self._device)
        capture = cv2.VideoCapture(*numbered) if numbered else cv2.VideoCapture(self._device, cv2.CAP_V4L2)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
        return capture, False

    def _read(self, capture: cv2.VideoCapture, pace_s: float, call_in_loop: Callable[..., None]) -> None:
        """Read frames until the camera is closed or lost. `pace_s` is set for a file, which restarts at its end."""
        import cv2  # noqa: PLC0415

        failures, due = 0, time.monotonic()
        while not self._stop.is_set():
            if not capture.grab():
                failures += 1
                if failures > MAX_FAILURES:
                    self._gone = "it gives no more pictures"
                    return
                if pace_s:
                    capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
                continue
            failures = 0
            with self._lock:
                requests, self._requests = self._requests, []
            if requests:
                picture = _jpeg(capture)
                for request in requests:
                    call_in_loop(_settle, request, picture) if picture else call_in_loop(
                        _fail, request, self._no_picture()
                    )
            due = max(due + pace_s, time.monotonic())
            self._stop.wait(due - time.monotonic())

    def _no_picture(self) -> LinkLost:
        return LinkLost(f"the camera {self._device} gave a picture that can't be read", hint="try again")


def _jpeg(capture: cv2.VideoCapture) -> bytes:
    """The grabbed frame as JPEG; empty when it is broken."""
    import cv2  # noqa: PLC0415

    ok, picture = capture.retrieve()
    if not ok:
        return b""
    ok, encoded = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))
    return encoded.tobytes() if ok else b""


def _pace(capture: cv2.VideoCapture) -> float:
    """The frame interval of a file in seconds."""
    import cv2  # noqa: PLC0415

    rate = capture.get(cv2.CAP_PROP_FPS)
    return 1 / rate if math.isfinite(rate) and 1 <= rate <= 240 else 1 / 25


def _settle(future: asyncio.Future[Any], value: object) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
