"""Computes colours."""

import colorsys
import math


def rainbow(steps: int = 6) -> list[str]:
    """Return the colours of a rainbow as hex codes."""
    colours = []
    for step in range(steps):
        rgb = colorsys.hsv_to_rgb(step / steps, 1, 1)
        colours.append("#" + "".join(f"{math.floor(c * 255):02x}" for c in rgb))
    return colours
