"""`record_video`: records a video from a running simulator.

By default the simulator is paused and stepped from frame to frame, so that a video is smooth on any machine, and
recordings of the same steps are identical. Afterwards it continues as before. With `live` time runs on, for a robot
that is driven meanwhile; then a late frame is shown twice.
"""

from __future__ import annotations

import time

import httpx

from reachy_mind.errors import HardwareError
from reachy_mind.sim.video_file import VideoFile

TICK_S = 0.02


def record_video(
    simulator: httpx.Client, video: VideoFile, *, view: str, fps: float, seconds: float, live: bool
) -> None:
    """Fill a video. Raises HardwareError on an error of the simulator, httpx.TransportError without one."""
    if live:
        _live(simulator, video, view, fps, seconds)
        return
    before = _checked(simulator.get("/time")).json()
    _checked(simulator.put("/time", json={"paused": True}))
    try:
        ticks = 0
        for frame in range(round(seconds * fps)):
            video.add(_frame(simulator, view))
            due = round((frame + 1) / fps / TICK_S) - ticks
            if due > 0:
                _checked(simulator.post("/time/step", json={"ticks": due}))
            ticks += due
    finally:
        simulator.put("/time", json={"paused": before["paused"]})


def _live(simulator: httpx.Client, video: VideoFile, view: str, fps: float, seconds: float) -> None:
    start, picture = time.monotonic(), _frame(simulator, view)
    for frame in range(round(seconds * fps)):
        wait = start + frame / fps - time.monotonic()
        if wait > -1 / fps:
            time.sleep(max(0.0, wait))
            picture = _frame(simulator, view)
        video.add(picture)


def _frame(simulator: httpx.Client, view: str) -> bytes:
    return _checked(simulator.get("/camera/frame.jpg", params={"view": view})).content


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_error:
        raise HardwareError(f"the simulator says {response.status_code}: {response.text[:300]}")
    return response
