"""`TrialCamera`: the robot's camera in a trial: the simulator's renderer, in a thread of this process.

Call `system.desktop.choose_off_screen_opengl` before MuJoCo is loaded.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

from reachy_mind.body.media import Media, unavailable
from reachy_mind.body.protocol import frame_digest
from reachy_mind.errors import LinkLost, NotReady
from reachy_mind.sim.camera import CAMERAS, MAX_REMEMBERED_FRAMES, RATE_HZ, SIZE, SceneSnapshot
from reachy_mind.sim.renderer import Renderer
from reachy_mind.sim.scene_state import SceneState
from reachy_mind.workshop.trial.record import RecordedFrame, TrialRecord


class TrialCamera:
    """Keeps the protocol `Camera`. `lost`: why it gives no frame; empty while it does."""

    device = "camera of the trial"

    def __init__(self, description: Path, cache: Path, scene: SceneState, record: TrialRecord) -> None:
        self.lost = ""
        self._description, self._cache, self._scene, self._record = description, cache, scene, record
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="renderer")  # OpenGL draws in one thread
        self._renderer: Renderer | None = None
        self._last: tuple[SceneSnapshot, bytes] | None = None
        self._drawn: OrderedDict[str, SceneSnapshot] = OrderedDict()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """The renderer stays: the camera may be opened again."""

    def close(self) -> None:
        if self._renderer is not None:  # its context belongs to the thread
            self._thread.submit(self._renderer.close)
        self._thread.shutdown()

    async def frame(self) -> bytes:
        """The scene as it is now, as JPEG. Raises LinkLost, or NotReady when nothing can be rendered here."""
        if self.lost:
            raise LinkLost(f"the camera gives no picture: {self.lost}")
        snapshot = self._scene.snapshot()
        await asyncio.sleep(1 / RATE_HZ)
        picture = await self._in_thread(self._draw, snapshot)
        digest = frame_digest(picture)
        self._drawn[digest] = snapshot
        self._drawn.move_to_end(digest)
        if len(self._drawn) > MAX_REMEMBERED_FRAMES:
            self._drawn.popitem(last=False)
        self._record.frames.append(RecordedFrame(self._record.now(), digest))
        return picture

    async def seen(self, digest: str) -> list[dict[str, Any]]:
        """What is visible in one of the last frames. Raises NotReady for any other picture."""
        snapshot = self._drawn.get(digest)
        if snapshot is None:
            raise NotReady("only the newest pictures of this camera are known", hint="look again")
        return snapshot.names.with_names(json.loads(await self._in_thread(self._see, snapshot)))

    async def _in_thread(self, draw: Any, snapshot: SceneSnapshot) -> bytes:
        try:
            drawn: bytes = await asyncio.get_running_loop().run_in_executor(self._thread, draw, snapshot)
        except Exception as error:  # OpenGL libraries may raise anything
            raise NotReady(
                f"the simulated camera can't render: {type(error).__name__}: {error}"[:500],
                hint="off-screen OpenGL is missing; on Debian: apt-get install libegl1 libopengl0 libgl1-mesa-dri",
            ) from error
        return drawn

    def _draw(self, snapshot: SceneSnapshot) -> bytes:
        if self._last is not None and _same(self._last[0], snapshot):
            return self._last[1]
        picture = self._view(snapshot).draw(snapshot.positions, snapshot.moment)
        self._last = snapshot, picture
        return picture

    def _see(self, snapshot: SceneSnapshot) -> bytes:
        return self._view(snapshot).seen(snapshot.positions, snapshot.moment)

    def _view(self, snapshot: SceneSnapshot) -> Renderer:
        if self._renderer is None:
            scene = self._scene.world.scene
            self._renderer = Renderer(self._description, scene, self._cache, "eye", CAMERAS["eye"], SIZE)
        self._renderer.set_appearance(snapshot.appearance, snapshot.pictures)
        return self._renderer

    def media(self) -> Media:
        """This camera as the only device: the voice of a trial needs no others."""
        others = [unavailable(what, "this is a trial", "the voice tools work") for what in ("microphone", "speaker")]
        return Media("sim", "a trial", lambda: self, *others, frame_objects=self.seen)


def _same(before: SceneSnapshot, now: SceneSnapshot) -> bool:
    still = before.appearance is now.appearance and before.positions == now.positions
    return still and (before.moment == now.moment or not now.appearance.noise)
