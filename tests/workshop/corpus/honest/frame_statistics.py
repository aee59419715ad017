"""Measures the camera picture."""

import numpy as np
from reachy_mini import ReachyMini


async def frame_statistics() -> dict:
    """Return size, mean colour and contrast of the picture."""
    with ReachyMini() as mini:
        frame = mini.media.get_frame()
    grey = frame.mean(axis=2)
    return {
        "shape": frame.shape,
        "mean": frame.reshape(-1, 3).mean(axis=0).round(1),
        "contrast": float(grey.std()),
        "brightest": np.unravel_index(int(grey.argmax()), grey.shape),
        "kind": str(frame.dtype),
    }
