"""Draws a histogram as text."""

import numpy as np
from reachy_mini import ReachyMini


def brightness_histogram(bins: int = 8) -> dict:
    """Print how bright the picture is."""
    with ReachyMini() as mini:
        grey = np.asarray(mini.media.get_frame()).mean(axis=2)
    counts, edges = np.histogram(grey, bins=bins, range=(0, 256))
    for count, edge in zip(counts, edges):
        print(f"{edge:5.0f} {'#' * int(40 * count / counts.max())}")
    return {"counts": counts, "total": counts.sum()}
