"""`Webcam`: a camera of this machine through OpenCV, or a video file in the place of one.

One thread opens, reads and closes it, since OpenCV blocks. Every picture is taken from the driver, so that none waits
in its buffer; only one that somebody asked for is decoded and made a JPEG.
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

from reachy_mind.errors import LinkLost, MissingExtra, NotReady

if TYPE_CHECKING:
    import cv2

VIDEO_DEVICES = Path("/sys/class/video4linux")
FRAME_TIMEOUT_S = 5.0
WIDTH, HEIGHT = 1280, 720
"""What a camera is asked for; it gives what it has that is nearest."""
QUALITY = 85
MOST_FAILURES = 5
"""Pictures that may fail in a row: some cameras need a few tries after they were opened."""


@dataclass(frozen=True, slots=True)
class Found:
    """A camera as Linux names it."""

    name: str
    path: str


def cameras() -> list[Found]:
    """Every camera of this machine. Of the nodes that one camera has, only the one that gives pictures."""
    found = []
    for node in sorted(VIDEO_DEVICES.glob("video*"), key=lambda node: (len(node.name), node.name)):
        with contextlib.suppress(OSError):
            if (node / "index").read_text().strip() == "0":
                found.append(Found((node / "name").read_text().strip(), f"/dev/{node.name}"))
    return found


def find(device: str) -> str:
    """The path behind a number, a /dev/videoN, a part of a name, or a video file; empty: the first camera.

    Raises NotReady saying what there is.
    """
    known = cameras()
    if device.isdigit():
        device = f"/dev/video{device}"
    if Path(device).is_file() or (device.startswith("/dev/") and Path(device).exists()):
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
    """The path of the camera that bears the first of these names that any has; empty when none has."""
    known = cameras()
    return next((camera.path for name in names for camera in known if name in camera.name), "")


class Webcam:
    """Use as `async with`. `hold` is entered before the device is opened and left after it was closed."""

    def __init__(self, device: str, *, hold: AbstractAsyncContextManager[object] | None = None) -> None:
        self._device = device
        self._hold = hold or contextlib.nullcontext()
        self._stack = contextlib.AsyncExitStack()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._wishes: list[asyncio.Future[bytes]] = []
        self._gone = "it is not open"

    @property
    def device(self) -> str:
        return self._device

    async def frame(self) -> bytes:
        """The next picture, as JPEG. Raises LinkLost when the camera has gone or gives none."""
        wish: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._gone:
                raise self._lost()
            self._wishes.append(wish)
        try:
            async with asyncio.timeout(FRAME_TIMEOUT_S):
                return await wish
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
            await stack.enter_async_context(self._hold)
            self._device = find(self._device)
            loop = asyncio.get_running_loop()
            opened: asyncio.Future[None] = loop.create_future()
            ended: asyncio.Future[None] = loop.create_future()
            self._stop.clear()
            thread = threading.Thread(target=self._run, args=(loop, opened, ended), name="webcam", daemon=True)
            thread.start()
            stack.push_async_callback(self._end, thread, ended)
            await opened
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _end(self, thread: threading.Thread, ended: asyncio.Future[None]) -> None:
        self._stop.set()
        await ended
        thread.join()  # it has nothing left to do

    # In the thread

    def _run(self, loop: asyncio.AbstractEventLoop, opened: asyncio.Future[None], ended: asyncio.Future[None]) -> None:
        def tell(what: Callable[..., object], *values: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody listens any more
                loop.call_soon_threadsafe(what, *values)

        import cv2  # noqa: PLC0415

        capture = None
        try:
            capture, from_file = self._opened()
            if capture.isOpened():
                self._gone = ""
                tell(_settle, opened, None)
                self._read(capture, _pace(capture) if from_file else 0.0, tell)
            else:
                hint = "it is no video that can be read" if from_file else "does another program use it? may you?"
                tell(_fail, opened, NotReady(f"the camera {self._device} can't be opened", hint=hint))
        except cv2.error as error:
            self._gone = " ".join(str(error).split())
        finally:
            if capture is not None:
                capture.release()
            with self._lock:
                self._gone = self._gone or "it was closed"
                left, self._wishes = self._wishes, []
            for future in (opened, *left):
                tell(_fail, future, self._lost())
            tell(_settle, ended, None)

    def _opened(self) -> tuple[cv2.VideoCapture, bool]:
        import cv2  # noqa: PLC0415

        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)  # what can't be opened is told by us
        if Path(self._device).is_file():
            return cv2.VideoCapture(self._device), True
        capture = cv2.VideoCapture(self._device, cv2.CAP_V4L2)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, WIDTH)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, HEIGHT)
        return capture, False

    def _read(self, capture: cv2.VideoCapture, pace_s: float, tell: Callable[..., None]) -> None:
        """Until it is closed or has gone. With a pace it is a file, which begins again at its end."""
        import cv2  # noqa: PLC0415

        failures, due = 0, time.monotonic()
        while not self._stop.is_set():
            if not capture.grab():
                failures += 1
                if failures > MOST_FAILURES:
                    self._gone = "it gives no more pictures"
                    return
                if pace_s:
                    capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
                continue
            failures = 0
            with self._lock:
                wishes, self._wishes = self._wishes, []
            if wishes:
                picture = _jpeg(capture)
                for wish in wishes:
                    tell(_settle, wish, picture) if picture else tell(_fail, wish, self._no_picture())
            due = max(due + pace_s, time.monotonic())
            self._stop.wait(due - time.monotonic())

    def _no_picture(self) -> LinkLost:
        return LinkLost(f"the camera {self._device} gave a picture that can't be read", hint="try again")


def _jpeg(capture: cv2.VideoCapture) -> bytes:
    """The picture that was grabbed; empty when it is broken."""
    import cv2  # noqa: PLC0415

    ok, picture = capture.retrieve()
    if not ok:
        return b""
    ok, encoded = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))
    return encoded.tobytes() if ok else b""


def _pace(capture: cv2.VideoCapture) -> float:
    """Seconds from picture to picture of a file."""
    import cv2  # noqa: PLC0415

    rate = capture.get(cv2.CAP_PROP_FPS)
    return 1 / rate if math.isfinite(rate) and 1 <= rate <= 240 else 1 / 25


def _settle(future: asyncio.Future[Any], value: object) -> None:
    if not future.done():
        future.set_result(value)


def _fail(future: asyncio.Future[Any], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
