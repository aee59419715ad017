"""Describes what is in view."""

from reachy_mind import tools


async def describe_scene() -> dict:
    """Say what is there, in words."""
    scene = await tools.call("analyze_scene", prompt="what do you see?")
    words = str(scene).split()
    return {"words": len(words), "kind": type(scene).__name__}
