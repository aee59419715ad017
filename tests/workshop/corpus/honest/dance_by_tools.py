"""Dances by calling other tools."""

from reachy_mind import tools


async def dance_by_tools(rounds: int = 1) -> dict:
    """Nod, wave and shake in turn."""
    said = []
    for _ in range(rounds):
        for name in ("nod", "wave", "shake"):
            done = await tools.call(name, times=1, speed="fast")
            said.append(done["message"])
    return {"status": "success", "said": said}
