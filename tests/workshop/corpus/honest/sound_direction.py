"""Asks where a sound comes from and records a moment."""

import numpy as np
from reachy_mini import ReachyMini


def sound_direction() -> dict:
    """Say how loud it is and where it comes from."""
    with ReachyMini() as mini:
        mini.media.start_recording()
        sample = mini.media.get_audio_sample()
        direction = mini.media.get_DoA()
        mini.media.stop_recording()
    level = 0.0 if sample is None else float(np.sqrt(np.mean(np.square(sample))))
    return {"level": level, "direction": direction}
