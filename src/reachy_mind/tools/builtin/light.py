"""The tool of the robot's light.

A Reachy Mini has no light that its daemon can set, so the mind keeps the light as its own state: `LightChanged` tells
everybody who shows it, such as the page. The result says where it is shown.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reachy_mind.errors import InvalidParameter
from reachy_mind.events import LightChanged
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context, Parts

Effect = Literal["solid", "blink", "pulse", "off"]
Level = Annotated[int, Field(ge=0, le=255)]

SHOWN_ON = "page"
MORE_COLOURS = {"warmwhite": (255, 216, 168), "coolwhite": (212, 235, 255), "amber": (255, 191, 0)}
"""Besides the colour names of the web."""
SPOKEN = {"solid": "on", "blink": "blinking", "pulse": "pulsing", "off": "off"}


@dataclass(frozen=True)
class LightState:
    """The light as it is now: `color` is #rrggbb, `brightness` 0 to 1."""

    color: str = "#000000"
    brightness: float = 0.0
    effect: Effect = "off"

    @classmethod
    def of(cls, parts: Parts) -> LightState:
        light: LightState = parts.extra.get("light") or cls()
        return light

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@tool(group="robot", tier="autonomous")
async def set_light(
    ctx: Context,
    color: Annotated[
        Annotated[str, Field(max_length=40)] | Annotated[list[Level], Field(min_length=3, max_length=3)],
        Field(description="A name such as red, #rrggbb, or [red, green, blue] from 0 to 255"),
    ] = "white",
    brightness: Annotated[
        float, Field(ge=0, le=100, description="0 is dark, 1 as bright as can be; above 1 it is percent")
    ] = 1.0,
    effect: Annotated[Effect, Field(description="solid, blink, pulse or off")] = "solid",
) -> dict[str, Any]:
    """Set the light: its colour, how bright it is, and whether it is steady, blinks, pulses or is off."""
    red, green, blue = _rgb(color)
    share = round(brightness / 100 if brightness > 1 else brightness, 3)
    off = effect == "off" or share == 0.0
    light = LightState(f"#{red:02x}{green:02x}{blue:02x}", 0.0 if off else share, "off" if off else effect)
    ctx.parts.extra["light"] = light
    ctx.parts.bus.publish(LightChanged(**light.as_dict()))
    called = color if isinstance(color, str) else light.color
    state = "off" if off else f"{called}, {SPOKEN[light.effect]}"
    where = "It is shown on the page: a Reachy Mini has no light of its own."
    return {"message": f"My light is {state}. {where}", **light.as_dict(), "shown_on": SHOWN_ON}


def _rgb(color: str | list[int]) -> tuple[int, int, int]:
    """Raises InvalidParameter for a name that is no colour."""
    from PIL import ImageColor  # noqa: PLC0415 -- only where a light is set

    if not isinstance(color, str):
        red, green, blue = color
        return red, green, blue
    name = "".join(color.casefold().split()).replace("-", "").replace("_", "")
    try:
        found = MORE_COLOURS.get(name) or ImageColor.getrgb(name)
    except ValueError:
        raise InvalidParameter(
            f"there is no colour {color!r}", hint="a name such as red, #rrggbb, or [255, 0, 0]"
        ) from None
    return found[0], found[1], found[2]


TOOLS: tuple[Tool, ...] = (set_light,)
