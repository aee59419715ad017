"""The simulated camera: frames rendered in a process of their own, so that drawing never delays the physics.

The daemon starts it with the first frame anybody asks for and talks to it over its standard input and output:

    request   view (1 byte: 0 eye, 1 studio), width, height (2 bytes each), length (4 bytes), joint positions (doubles)
    answer    ok (1 byte), length (4 bytes), a JPEG picture or the text of an error

All integers little-endian. Frames are shared: whoever asks within a fifteenth of a second gets the same picture, so the
cost does not grow with the number of viewers.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes.util
import io
import os
import struct
import sys
import time
from pathlib import Path
from typing import BinaryIO, Literal, cast

from reachy_mind import log
from reachy_mind.errors import HardwareError, NotReady

CameraView = Literal["eye", "studio"]
VIEWS: tuple[CameraView, ...] = ("eye", "studio")
CAMERAS = {"eye": "eye_camera", "studio": "studio_close"}
SIZE = (640, 360)
RATE_HZ = 15
START_TIMEOUT_S = 60.0
_REQUEST = struct.Struct("<BHHI")
_ANSWER = struct.Struct("<BI")

_log = log.get(__name__)


class Camera:
    """The daemon's side: asks the rendering process for frames and starts it again when it has died."""

    def __init__(self, description: Path, scene: str, cache: Path) -> None:
        self._arguments = [str(description), scene, str(cache)]
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._last: dict[CameraView, tuple[float, bytes]] = {}

    async def frame(self, view: CameraView, positions: bytes) -> bytes:
        """A JPEG of the world with these joint positions. Raises NotReady when nothing can be drawn here."""
        async with self._lock:
            drawn_at, picture = self._last.get(view, (float("-inf"), b""))
            if time.monotonic() - drawn_at < 1 / RATE_HZ:
                return picture
            try:
                picture = await asyncio.wait_for(self._draw(view, positions), START_TIMEOUT_S)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                await self.close()
                raise HardwareError(
                    f"the camera process died: {error or type(error).__name__}", hint="ask again: it starts anew"
                ) from error
            self._last[view] = (time.monotonic(), picture)
            return picture

    async def _draw(self, view: CameraView, positions: bytes) -> bytes:
        process = await self._started()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(_REQUEST.pack(VIEWS.index(view), *SIZE, len(positions)) + positions)
        await process.stdin.drain()
        ok, length = _ANSWER.unpack(await process.stdout.readexactly(_ANSWER.size))
        payload = await process.stdout.readexactly(length)
        if not ok:
            raise NotReady(
                f"the simulated camera can't draw: {payload.decode()}",
                hint="off-screen OpenGL is missing; on Debian: apt-get install libegl1 libopengl0 libgl1-mesa-dri",
            )
        return payload

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            argv = [sys.executable, "-m", "reachy_mind.sim.camera", *self._arguments]
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe)
            _log.info("camera process started", pid=self._process.pid)
        return self._process

    async def close(self) -> None:
        """End the rendering process."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        self._process = None


def _choose_backend() -> None:
    """MuJoCo reads MUJOCO_GL when it is imported; off-screen means EGL, or OSMesa where only that exists."""
    if sys.platform == "linux" and "MUJOCO_GL" not in os.environ:
        only_osmesa = ctypes.util.find_library("EGL") is None and ctypes.util.find_library("OSMesa") is not None
        os.environ["MUJOCO_GL"] = "osmesa" if only_osmesa else "egl"


class _Painter:
    """Draws one view. Shadows and reflections cost five times the rest in software rendering, so they are off."""

    def __init__(self, description: Path, scene: str, cache: Path, view: CameraView, size: tuple[int, int]) -> None:
        import mujoco  # noqa: PLC0415 -- after _choose_backend

        from reachy_mind.sim.scene import model  # noqa: PLC0415

        self._model = model(description, scene, view, cache)
        self._model.vis.quality.offsamples = 0 if view == "eye" else 4
        self._data = mujoco.MjData(self._model)
        self._forward = mujoco.mj_forward
        self._renderer = mujoco.Renderer(self._model, height=size[1], width=size[0])
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._renderer.scene.flags[flag] = 0
        self._camera = CAMERAS[view]

    def draw(self, positions: bytes) -> bytes:
        import numpy as np  # noqa: PLC0415
        from PIL import Image  # noqa: PLC0415

        self._data.qpos[:] = np.frombuffer(positions)
        self._forward(self._model, self._data)
        self._renderer.update_scene(self._data, camera=self._camera)
        picture = io.BytesIO()
        Image.fromarray(self._renderer.render()).save(picture, "JPEG", quality=90)
        return picture.getvalue()


def _serve(requests: BinaryIO, answers: BinaryIO, description: Path, scene: str, cache: Path) -> None:
    painters: dict[tuple[CameraView, int, int], _Painter] = {}
    while header := requests.read(_REQUEST.size):
        index, width, height, length = _REQUEST.unpack(header)
        positions = requests.read(length)
        key = (VIEWS[index], width, height)
        try:
            if key not in painters:
                painters[key] = _Painter(description, scene, cache, VIEWS[index], (width, height))
            answer, ok = painters[key].draw(positions), 1
        except Exception as error:  # noqa: BLE001 -- OpenGL libraries raise whatever they like; the caller is told
            answer, ok = f"{type(error).__name__}: {error}".encode()[:2000], 0
        answers.write(_ANSWER.pack(ok, len(answer)) + answer)
        answers.flush()


def main() -> None:
    """The rendering process: serves requests until its standard input ends, which is when the daemon has gone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("description", type=Path)
    parser.add_argument("scene")
    parser.add_argument("cache", type=Path)
    given = parser.parse_args()
    log.configure()
    os.nice(5)
    answers = cast(BinaryIO, os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # drivers print to standard output; that must not land between our answers
    _choose_backend()
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _serve(sys.stdin.buffer, answers, given.description, given.scene, given.cache)


if __name__ == "__main__":
    main()
