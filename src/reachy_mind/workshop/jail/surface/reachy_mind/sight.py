"""Where things are, for code that turns the head towards them.

    from reachy_mind import sight

    seen = await sight.locate("duck")       # or "face"; None when it is not in view
    seen["left"], seen["up"]                # radians from where the camera points
    seen["place"]                           # metres ahead of the neutral head's centre, to its left, above it

It is quicker than `detect_objects`: one message for a picture, what is in it and where that is in the room.
"""

from __future__ import annotations

from typing import Any

from .tools import ask_host

USUAL_DISTANCE_M = 0.7


async def locate(name: str, distance_m: float = USUAL_DISTANCE_M) -> dict[str, Any] | None:
    """Where the nearest thing of this name is in a new picture: name, left, up, distance_m (None where the detector
    can't tell: `place` is then at the given distance), place. Raises tools.ToolError, such as NOT_READY without a
    camera."""
    found: dict[str, Any] | None = await ask_host("sight.locate", {"name": name, "distance_m": distance_m})
    return found
