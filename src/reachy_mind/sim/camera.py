"""The simulated camera: frames rendered in a process of their own, so that rendering never delays the physics.

The daemon starts the process with the first requested frame and talks to it over its standard input and output:

    request   kind (1 byte), view (1 byte: 0 eye, 1 studio), width, height (2 bytes each), length (4 bytes), payload
              kind 0, render a frame: the moment (8 bytes, seeds the noise), then all positions (doubles)
              kind 1, set the appearance: `SceneAppearance` as JSON
              kind 2, a picture that an appearance will name: its key (16 bytes), rows of RGB
              kind 3, list the objects visible in such a frame: as kind 0
    answer    to kinds 0 and 3 only: ok (1 byte), length (4 bytes), a JPEG picture, JSON (`seen`) or the text of an
              error

All integers are little-endian. Frames are shared: requests within a fortieth of a second get the same picture, so that
the cost does not grow with the number of viewers, unless the appearance has changed, or paused time was stepped. The
scenes of the last frames are remembered by the digest of their JPEG, so that a client can ask what is visible in one.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import struct
import sys
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import psutil

from reachy_mind import log
from reachy_mind.body import protocol
from reachy_mind.errors import HardwareError, NotReady
from reachy_mind.sim.appearance import SceneAppearance
from reachy_mind.sim.frame_objects import FrameNames, NoSuchFrame
from reachy_mind.system.desktop import choose_off_screen_opengl, off_screen_fix
from reachy_mind.system.process_group import own_group
from reachy_mind.system.scheduling import lower_priority

CameraView = Literal["eye", "studio"]
VIEWS: tuple[CameraView, ...] = ("eye", "studio")
CAMERAS = {"eye": "eye_camera", "studio": "studio_close"}
SIZE = (640, 360)
RATE_HZ = 30
FIELD_OF_VIEW = math.radians(80)
"""Vertical field of view of the eye camera, from the robot description."""
FRAME_SHARED_S = 0.75 / RATE_HZ
"""Less than a frame period: a client that asks 30 times a second, with jitter, gets 30 new frames."""
START_TIMEOUT_S = 60.0
SILENCE_S = 2.0
"""The process hangs after two such intervals without an answer and without processor time. Two, because the first one
means nothing when the daemon itself was suspended."""
MAX_REMEMBERED_FRAMES = 60
"""Frames of the eye whose visible objects can be queried: some seconds of a stream."""
_FRAME, _APPEARANCE, _PICTURE, _SEEN = range(4)
_REQUEST = struct.Struct("<BBHHI")
_MOMENT = struct.Struct("<Q")
_ANSWER = struct.Struct("<BI")
_KEY_LENGTH = 16

_log = log.get(__name__)


def eye_specs() -> dict[str, Any]:
    """The daemon's specifications of the eye's pictures: a camera without distortion."""
    width, height = SIZE
    focal = height / 2 / math.tan(FIELD_OF_VIEW / 2)
    size = {"name": f"R{width}x{height}at{RATE_HZ}fps", "width": width, "height": height, "fps": RATE_HZ}
    resolution = {**size, "crop_factor": 1.0}
    return {
        "name": "simulated",
        "available_resolutions": [resolution],
        "default_resolution": resolution,
        "K": [[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]],
        "D": [0.0] * 5,
    }


@dataclass(frozen=True)
class SceneSnapshot:
    """The scene at one moment. `exact` requires this moment instead of a recent frame."""

    positions: bytes
    appearance: SceneAppearance
    pictures: Mapping[str, bytes]
    moment: int
    names: FrameNames
    exact: bool = False


class CameraProcess:
    """The daemon's side: requests frames from the rendering process, and restarts it when it dies or hangs."""

    def __init__(self, description: Path, scene: str, cache: Path) -> None:
        self._arguments = [str(description), scene, str(cache)]
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()
        self._last: dict[CameraView, tuple[float, SceneSnapshot, bytes]] = {}
        self._drawn: OrderedDict[str, SceneSnapshot] = OrderedDict()
        self._shown: SceneAppearance | None = None
        self._exchange: asyncio.Task[bytes] | None = None
        """The last request and its answer. It outlives its caller: the next answer would be taken for its own."""

    async def frame(self, view: CameraView, snapshot: SceneSnapshot) -> bytes:
        """A JPEG of the scene. Raises NotReady when rendering is not possible here."""
        async with self._lock:
            drawn_at, seen, picture = self._last.get(view, (float("-inf"), None, b""))
            if seen is not None and seen.appearance is snapshot.appearance:
                same = (seen.moment, seen.positions) == (snapshot.moment, snapshot.positions)
                if same if snapshot.exact else time.monotonic() - drawn_at < FRAME_SHARED_S:
                    return picture
            asked_at = time.monotonic()
            picture = await self._ask(_FRAME, view, snapshot)
            self._last[view] = (asked_at, snapshot, picture)
            if view == "eye":
                self._drawn[protocol.frame_digest(picture)] = snapshot
                if len(self._drawn) > MAX_REMEMBERED_FRAMES:
                    self._drawn.popitem(last=False)
            return picture

    async def seen(self, frame: str) -> list[dict[str, Any]]:
        """The objects visible in a recent frame of the eye, by its digest. Raises NoSuchFrame, NotReady."""
        async with self._lock:
            snapshot = self._drawn.get(frame)
            if snapshot is None:
                raise NoSuchFrame("that frame was not rendered here, or too long ago", hint="ask about a recent frame")
            found = json.loads(await self._ask(_SEEN, "eye", snapshot))
        return snapshot.names.with_names(found)

    async def seen_at(self, snapshot: SceneSnapshot) -> list[dict[str, Any]]:
        """The objects visible to the eye at this moment, without a picture for anybody. Raises NotReady."""
        async with self._lock:
            found = json.loads(await self._ask(_SEEN, "eye", snapshot))
        return snapshot.names.with_names(found)

    async def _ask(self, kind: int, view: CameraView, snapshot: SceneSnapshot) -> bytes:
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                if self._exchange is not None and not self._exchange.done():
                    await self._until_answered(self._exchange)
                self._exchange = asyncio.create_task(self._answer(kind, view, snapshot), name="camera process")
                return await self._until_answered(self._exchange)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            await self.close()
            raise HardwareError(
                f"the camera process {'hangs' if isinstance(error, TimeoutError) else 'died'}: "
                f"{str(error) or type(error).__name__}",
                hint="ask again: it restarts",
            ) from error

    async def _until_answered(self, exchange: asyncio.Task[bytes]) -> bytes:
        """Raises TimeoutError when the process neither answers nor works."""
        used_s, silent = -1.0, 0
        while silent < 2:
            if (await asyncio.wait([exchange], timeout=SILENCE_S))[0]:
                return exchange.result()
            before, used_s = used_s, _processor_s(self._process)
            silent = silent + 1 if used_s == before else 0
        raise TimeoutError(f"it gave no sign of life for {2 * SILENCE_S:g} s and was ended")

    async def _answer(self, kind: int, view: CameraView, snapshot: SceneSnapshot) -> bytes:
        process = await self._started()
        assert process.stdin is not None and process.stdout is not None
        if snapshot.appearance is not self._shown:
            known = self._shown.pictures() if self._shown is not None else set()
            for key in sorted(snapshot.appearance.pictures() - known):
                process.stdin.write(_packed(_PICTURE, key.encode() + snapshot.pictures[key]))
            process.stdin.write(_packed(_APPEARANCE, snapshot.appearance.model_dump_json().encode()))
            self._shown = snapshot.appearance
        process.stdin.write(_packed(kind, _MOMENT.pack(snapshot.moment) + snapshot.positions, view))
        await process.stdin.drain()
        ok, length = _ANSWER.unpack(await process.stdout.readexactly(_ANSWER.size))
        payload = await process.stdout.readexactly(length)
        if not ok:
            raise NotReady(
                f"the simulated camera can't render: {payload.decode()}",
                hint=off_screen_fix(),
            )
        return payload

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            argv = [sys.executable, "-m", "reachy_mind.sim.camera", *self._arguments]
            pipe = asyncio.subprocess.PIPE
            # Ctrl-C reaches only this process, which ends the other.
            self._process = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, **own_group())
            self._shown = None
            _log.info("camera process started", pid=self._process.pid)
        return self._process

    async def close(self) -> None:
        """End the rendering process."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        self._process = None
        if self._exchange is not None:
            self._exchange.cancel()
            await asyncio.wait([self._exchange])


def _processor_s(process: asyncio.subprocess.Process | None) -> float:
    """Processor time of a process; 0 when it has not started or is gone."""
    if process is None:
        return 0.0
    try:
        times = psutil.Process(process.pid).cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system


def _packed(kind: int, payload: bytes, view: CameraView = "eye") -> bytes:
    return _REQUEST.pack(kind, VIEWS.index(view), *SIZE, len(payload)) + payload


def _serve(requests: BinaryIO, answers: BinaryIO, description: Path, scene: str, cache: Path) -> None:
    from reachy_mind.sim.renderer import Renderer  # noqa: PLC0415 -- MuJoCo, after choose_off_screen_opengl

    renderers: dict[tuple[CameraView, int, int], Renderer] = {}
    appearance, pictures = SceneAppearance(), dict[str, bytes]()
    while header := requests.read(_REQUEST.size):
        kind, index, width, height, length = _REQUEST.unpack(header)
        payload = requests.read(length)
        if kind == _PICTURE:
            pictures[payload[:_KEY_LENGTH].decode()] = payload[_KEY_LENGTH:]
            continue
        if kind == _APPEARANCE:
            appearance = SceneAppearance.model_validate_json(payload)
            pictures = {key: pictures[key] for key in appearance.pictures()}
            continue
        key = (VIEWS[index], width, height)
        (moment,) = _MOMENT.unpack_from(payload)
        try:
            if key not in renderers:
                renderers[key] = Renderer(
                    description, scene, cache, VIEWS[index], CAMERAS[VIEWS[index]], (width, height)
                )
            renderers[key].set_appearance(appearance, pictures)
            act = renderers[key].draw if kind == _FRAME else renderers[key].seen
            answer, ok = act(payload[_MOMENT.size :], moment), 1
        except Exception as error:  # noqa: BLE001 -- OpenGL libraries may raise anything; the error is the answer
            answer, ok = f"{type(error).__name__}: {error}".encode()[:2000], 0
        answers.write(_ANSWER.pack(ok, len(answer)) + answer)
        answers.flush()


def main() -> None:
    """The rendering process: serves requests until its standard input ends, that is until the daemon is gone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("description", type=Path)
    parser.add_argument("scene")
    parser.add_argument("cache", type=Path)
    given = parser.parse_args()
    log.configure_child("camera")
    lower_priority()
    answers = cast(BinaryIO, os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # drivers print to standard output, which must not mix with our answers
    choose_off_screen_opengl()
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        _serve(sys.stdin.buffer, answers, given.description, given.scene, given.cache)


if __name__ == "__main__":
    main()
