"""Corrects a wrong argument after the error says so."""

from reachy_mind import tools


async def wrong_argument(times: int = 99) -> dict:
    """Nod too often, then as often as allowed."""
    try:
        await tools.call("nod", times=times)
        tried = "accepted"
    except tools.ToolError as error:
        tried = error.code
    await tools.call("nod", times=1)
    return {"tried": tried, "nodded": 1}
