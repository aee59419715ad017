"""`record_video`: records a video from a running simulator.

The simulator is paused and stepped from frame to frame, so that a video is smooth on any machine, and recordings of the
same steps are identical. Afterwards it continues as before. `live_recording` is for a robot that is driven meanwhile.
"""

from __future__ import annotations

import httpx

from reachy_mind.errors import HardwareError
from reachy_mind.sim.video_file import VideoFile

TICK_S = 0.02


def record_video(simulator: httpx.Client, video: VideoFile, *, view: str, fps: float, seconds: float) -> None:
    """Fill a video. Raises HardwareError on an error of the simulator, httpx.TransportError without one."""
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


def _frame(simulator: httpx.Client, view: str) -> bytes:
    return _checked(simulator.get("/camera/frame.jpg", params={"view": view})).content


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_error:
        raise HardwareError(f"the simulator says {response.status_code}: {response.text[:300]}")
    return response
