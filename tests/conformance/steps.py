"""What the tests of routes do again and again, on any body."""

from __future__ import annotations

from typing import Any

import httpx

from tests.waiting import until_sync


def up(http: httpx.Client) -> None:
    """Motors on, head up and forward, nothing running."""
    http.post("/api/motors/set_mode/enabled").raise_for_status()
    goto(http, {"head_pose": {"z": 0.0}, "antennas": [0.0, 0.0], "body_yaw": 0.0, "duration": 1.0})


def goto(http: httpx.Client, wish: dict[str, Any]) -> None:
    started = http.post("/api/move/goto", json=wish).raise_for_status().json()
    until_sync(lambda: started not in http.get("/api/move/running").json())


def head(http: httpx.Client) -> dict[str, float]:
    pose: dict[str, float] = http.get("/api/state/present_head_pose").raise_for_status().json()
    return pose


def yaw(http: httpx.Client) -> float:
    return head(http)["yaw"]
