"""Sets the light by the time of the day."""

from reachy_mind import tools

COLOURS = {"morning": "#ffcc88", "night": "#200040"}


async def set_light_colour(time_of_day: str = "night") -> dict:
    """Set the light to a fitting colour, where there is a light."""
    colour = COLOURS.get(time_of_day, "#ffffff")
    try:
        await tools.call("set_light", color=colour)
    except tools.ToolError as error:
        return {"status": "no light", "code": error.code, "colour": colour}
    return {"status": "success", "colour": colour}
