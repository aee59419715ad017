"""Demonstrations to store: a head that turns to the left, and one with camera frames."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from reachy_mind.learning.demonstrations.demonstration import DemonstratedCall, Demonstration, unseen


def turn(task: str = "look at the cup", count: int = 41, yaw: float = 0.6, **more: object) -> Demonstration:
    """Two seconds in which the head turns by `yaw`."""
    states = np.zeros((count, 9), dtype=np.float32)
    states[:, 5] = np.linspace(0.0, yaw, count)
    actions = np.concatenate([states[1:], states[-1:]])
    calls = (DemonstratedCall("robot.look", {"yaw": 30}, "ok", 0.5),)
    given = {"source": "tools", "person": "Ann", "tool_calls": calls, "targets": unseen(count)} | more
    return Demonstration(task, states, actions, **given)  # type: ignore[arg-type]


def picture(red: int) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (64, 48), (red, 40, 200)).save(content, "JPEG", quality=95)
    return content.getvalue()


def filmed(count: int = 12, **more: object) -> Demonstration:
    """Frames that get redder from row to row."""
    return turn(count=count, images=tuple(picture(number * 250 // count) for number in range(count)), **more)
