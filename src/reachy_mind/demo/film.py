"""`filmed`: records a demonstration: the robot from outside, what it sees in a corner, captions, the room's sound.

A real robot is filmed through its own camera, without sound.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from reachy_mind.demo.captions import Captions
from reachy_mind.demo.stage import Stage
from reachy_mind.errors import MindError
from reachy_mind.sim.live_recording import LiveRecording, SoundTrack, camera_pictures
from reachy_mind.sim.video_file import MAX_CLIP_FRAMES, VideoFile

FPS = {".avi": 10.0, ".gif": 3.0, ".webp": 3.0}
"""A clip has so few frames that it lasts five minutes."""
LONGEST_CLIP_S = MAX_CLIP_FRAMES / FPS[".webp"]
INSET_S = 1.0
"""The corner is renewed so often: a second picture costs as much as the first."""

Pictures = Callable[[], Awaitable[bytes]]


@contextlib.asynccontextmanager
async def filmed(stage: Stage, title: str, file: Path) -> AsyncIterator[None]:
    """Record to a file for the time of an `async with`. Raises InvalidParameter for an ending that is none."""
    fps = FPS.get(file.suffix.lower(), 10.0)
    captions = Captions(title)
    stage.record.listeners.append(captions.take)
    async with contextlib.AsyncExitStack() as stack:
        scene, sound = stage.scene, None
        video = stack.enter_context(VideoFile(file, fps, sound=scene is not None))
        if scene is not None and video.takes_sound:
            sound = await stack.enter_async_context(SoundTrack(scene.url))
        if scene is None:
            pictures = _captioned(captions, stage.mind.eye().frame, None)
        else:
            outside, eye = (camera_pictures(scene.client, view) for view in ("studio", "eye"))
            pictures = _captioned(captions, outside, eye)
        await stack.enter_async_context(LiveRecording(pictures, video, fps, sound))
        stage.record.restart_clock()
        yield


def _captioned(captions: Captions, outside: Pictures, eye: Pictures | None) -> Pictures:
    """Pictures with captions; a picture that can't be had is the one before."""
    last, inset, inset_at = b"", None, float("-inf")

    async def picture() -> bytes:
        nonlocal last, inset, inset_at
        try:
            last = await outside()
            if eye is not None and time.monotonic() - inset_at > INSET_S:
                inset, inset_at = await eye(), time.monotonic()
        except MindError:
            if not last:
                raise
        return await asyncio.to_thread(captions.draw, last, inset)

    return picture
