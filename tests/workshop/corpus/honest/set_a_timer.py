"""Sets a timer of the robot and looks for it."""

from reachy_mind import tools


async def set_a_timer(minutes: float = 10, label: str = "tea") -> dict:
    """Set a timer and list the timers."""
    made = await tools.call("set_timer", minutes=minutes, label=label)
    listed = await tools.call("list_timers")
    await tools.call("cancel_timer", label=label)
    return {"made": made["message"], "found": label in str(listed)}
