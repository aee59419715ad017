"""`shoot`: takes the frames of a film from a running simulator.

By default the simulator's time is stopped and stepped from frame to frame, so a film is smooth on any machine, and two
films of the same steps are the same. Time runs on afterwards as it did before. `live` lets it run, for a robot that is
being driven meanwhile; then frames are as many as the machine draws, and one that is late is shown twice.
"""

from __future__ import annotations

import time

import httpx

from reachy_mind.errors import HardwareError
from reachy_mind.sim.film import Film

TICK_S = 0.02


def shoot(simulator: httpx.Client, film: Film, *, view: str, fps: float, seconds: float, live: bool) -> None:
    """Fill a film. Raises HardwareError when the simulator says no, httpx.TransportError when there is none."""
    if live:
        _live(simulator, film, view, fps, seconds)
        return
    before = _checked(simulator.get("/time")).json()
    _checked(simulator.put("/time", json={"paused": True}))
    try:
        ticks = 0
        for frame in range(round(seconds * fps)):
            film.add(_frame(simulator, view))
            due = round((frame + 1) / fps / TICK_S) - ticks
            if due > 0:
                _checked(simulator.post("/time/step", json={"ticks": due}))
            ticks += due
    finally:
        simulator.put("/time", json={"paused": before["paused"]})


def _live(simulator: httpx.Client, film: Film, view: str, fps: float, seconds: float) -> None:
    start, picture = time.monotonic(), _frame(simulator, view)
    for frame in range(round(seconds * fps)):
        wait = start + frame / fps - time.monotonic()
        if wait > -1 / fps:
            time.sleep(max(0.0, wait))
            picture = _frame(simulator, view)
        film.add(picture)


def _frame(simulator: httpx.Client, view: str) -> bytes:
    return _checked(simulator.get("/camera/frame.jpg", params={"view": view})).content


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_error:
        raise HardwareError(f"the simulator says {response.status_code}: {response.text[:300]}")
    return response
