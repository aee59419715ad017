"""The simulated camera: frames rendered in a process of their own, so that drawing never delays the physics.

The daemon starts it with the first frame anybody asks for and talks to it over its standard input and output:

    request   kind (1 byte), view (1 byte: 0 eye, 1 studio), width, height (2 bytes each), length (4 bytes), payload
              kind 0, draw a frame: the moment (8 bytes, seeds the noise), then all positions (doubles)
              kind 1, from now on things look like this: `Looks` as JSON
              kind 2, a picture that looks will name: its key (16 bytes), rows of RGB
              kind 3, what shows in such a frame: as kind 0
    answer    to kinds 0 and 3 alone: ok (1 byte), length (4 bytes), a JPEG picture, JSON (`seen`) or the text of an
              error

All integers little-endian. Frames are shared: whoever asks within a twentieth of a second gets the same picture, so the
cost does not grow with the number of viewers; unless the looks have changed, or time stands still and has been stepped.
What was to be seen in the last frames is remembered by the digest of their JPEG, so that whoever has one can ask what
shows in just that.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes.util
import json
import os
import struct
import sys
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.errors import HardwareError, NotReady
from reachy_mind.sim.looks import Looks
from reachy_mind.sim.seen import Names, NoSuchFrame

CameraView = Literal["eye", "studio"]
VIEWS: tuple[CameraView, ...] = ("eye", "studio")
CAMERAS = {"eye": "eye_camera", "studio": "studio_close"}
SIZE = (640, 360)
RATE_HZ = 15
SHARED_S = 0.75 / RATE_HZ
"""Less than a frame: who asks 15 times a second, and early after a late one, gets 15 new ones."""
START_TIMEOUT_S = 60.0
REMEMBERED = 60
"""Frames of the eye whose contents can be asked for: some seconds of a stream."""
_FRAME, _LOOKS, _PICTURE, _SEEN = range(4)
_REQUEST = struct.Struct("<BBHHI")
_MOMENT = struct.Struct("<Q")
_ANSWER = struct.Struct("<BI")
_KEY_LENGTH = 16

_log = log.get(__name__)


@dataclass(frozen=True)
class Sight:
    """What there is to be seen at one moment. `exact` asks for this very moment and not for a recent frame."""

    positions: bytes
    looks: Looks
    pictures: Mapping[str, bytes]
    moment: int
    names: Names
    exact: bool = False


class Camera:
    """The daemon's side: asks the rendering process for frames and starts it again when it has died."""

    def __init__(self, description: Path, scene: str, cache: Path) -> None:
        self._arguments = [str(description), scene, str(cache)]
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._last: dict[CameraView, tuple[float, Sight, bytes]] = {}
        self._drawn: OrderedDict[str, Sight] = OrderedDict()
        self._shown: Looks | None = None

    async def frame(self, view: CameraView, sight: Sight) -> bytes:
        """A JPEG of what there is to be seen. Raises NotReady when nothing can be drawn here."""
        async with self._lock:
            drawn_at, seen, picture = self._last.get(view, (float("-inf"), None, b""))
            if seen is not None and seen.looks is sight.looks:
                same = (seen.moment, seen.positions) == (sight.moment, sight.positions)
                if same if sight.exact else time.monotonic() - drawn_at < SHARED_S:
                    return picture
            asked_at = time.monotonic()
            picture = await self._ask(_FRAME, view, sight)
            self._last[view] = (asked_at, sight, picture)
            if view == "eye":
                self._drawn[protocol.frame_digest(picture)] = sight
                if len(self._drawn) > REMEMBERED:
                    self._drawn.popitem(last=False)
            return picture

    async def seen(self, frame: str) -> list[dict[str, Any]]:
        """What shows in a recent frame of the eye, by its digest. Raises NoSuchFrame, NotReady."""
        async with self._lock:
            sight = self._drawn.get(frame)
            if sight is None:
                raise NoSuchFrame("that frame was not drawn here, or long ago", hint="ask about one of the last")
            found = json.loads(await self._ask(_SEEN, "eye", sight))
        return sight.names.told(found)

    async def _ask(self, kind: int, view: CameraView, sight: Sight) -> bytes:
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                return await self._answer(kind, view, sight)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            await self.close()
            raise HardwareError(
                f"the camera process died: {error or type(error).__name__}", hint="ask again: it starts anew"
            ) from error

    async def _answer(self, kind: int, view: CameraView, sight: Sight) -> bytes:
        process = await self._started()
        assert process.stdin is not None and process.stdout is not None
        if sight.looks is not self._shown:
            known = self._shown.pictures() if self._shown is not None else set()
            for key in sorted(sight.looks.pictures() - known):
                process.stdin.write(_packed(_PICTURE, key.encode() + sight.pictures[key]))
            process.stdin.write(_packed(_LOOKS, sight.looks.model_dump_json().encode()))
            self._shown = sight.looks
        process.stdin.write(_packed(kind, _MOMENT.pack(sight.moment) + sight.positions, view))
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
            self._process, self._shown = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe), None
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


def _packed(kind: int, payload: bytes, view: CameraView = "eye") -> bytes:
    return _REQUEST.pack(kind, VIEWS.index(view), *SIZE, len(payload)) + payload


def _serve(requests: BinaryIO, answers: BinaryIO, description: Path, scene: str, cache: Path) -> None:
    from reachy_mind.sim.painter import Painter  # noqa: PLC0415 -- MuJoCo, after _choose_backend

    painters: dict[tuple[CameraView, int, int], Painter] = {}
    looks, pictures = Looks(), dict[str, bytes]()
    while header := requests.read(_REQUEST.size):
        kind, index, width, height, length = _REQUEST.unpack(header)
        payload = requests.read(length)
        if kind == _PICTURE:
            pictures[payload[:_KEY_LENGTH].decode()] = payload[_KEY_LENGTH:]
            continue
        if kind == _LOOKS:
            looks = Looks.model_validate_json(payload)
            pictures = {key: pictures[key] for key in looks.pictures()}
            continue
        key = (VIEWS[index], width, height)
        (moment,) = _MOMENT.unpack_from(payload)
        try:
            if key not in painters:
                painters[key] = Painter(description, scene, cache, VIEWS[index], CAMERAS[VIEWS[index]], (width, height))
            painters[key].wear(looks, pictures)
            act = painters[key].draw if kind == _FRAME else painters[key].seen
            answer, ok = act(payload[_MOMENT.size :], moment), 1
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
