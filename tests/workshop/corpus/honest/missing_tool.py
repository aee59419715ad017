"""Deals with a tool that does not exist."""

from reachy_mind import tools


async def missing_tool() -> dict:
    """Try a tool that is not there, and say so."""
    try:
        await tools.call("make_coffee", cups=2)
    except tools.ToolError as error:
        return {"code": error.code, "message": str(error), "hint": bool(error.hint is not None)}
    return {"code": None}
