"""Plays a tone that it computes."""

import numpy as np
from reachy_mini import ReachyMini


def tone(frequency: float, seconds: float, rate: int) -> np.ndarray:
    t = np.arange(int(seconds * rate)) / rate
    wave = (0.2 * np.sin(2 * np.pi * frequency * t)).astype(np.float32)
    return np.column_stack([wave, wave])


def play_beep(frequency: float = 660.0) -> dict:
    """Play a short tone."""
    with ReachyMini() as mini:
        mini.media.start_playing()
        samples = tone(frequency, 0.3, 16000)
        mini.media.push_audio_sample(samples)
        mini.media.stop_playing()
    return {"samples": len(samples), "peak": float(np.abs(samples).max())}
