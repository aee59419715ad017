"""Finds the main colour."""

import colorsys
from collections import Counter

import cv2
import numpy as np
from reachy_mini import ReachyMini


def name_of(hue: float, saturation: float, value: float) -> str:
    if value < 0.2:
        return "black"
    if saturation < 0.15:
        return "white" if value > 0.8 else "grey"
    names = ["red", "yellow", "green", "cyan", "blue", "magenta"]
    return names[int(hue * 6 + 0.5) % 6]


async def colour_finder(samples: int = 400) -> dict:
    """Name the most frequent colours in the picture."""
    with ReachyMini() as mini:
        frame = mini.media.get_frame()
    small = cv2.resize(frame, (20, samples // 20), interpolation=cv2.INTER_AREA)
    counts: Counter[str] = Counter()
    for b, g, r in small.reshape(-1, 3) / np.float32(255):
        counts[name_of(*colorsys.rgb_to_hsv(float(r), float(g), float(b)))] += 1
    return {"colours": counts.most_common(3), "samples": sum(counts.values())}
