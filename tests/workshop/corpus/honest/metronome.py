"""Beats time with the antennas."""

import time

from reachy_mini import ReachyMini


def metronome(bpm: int = 120, beats: int = 6) -> dict:
    """Move the antennas on every beat."""
    times = []
    with ReachyMini() as mini:
        for beat in range(beats):
            side = 0.3 if beat % 2 else -0.3
            mini.set_target_antenna_joint_positions([side, side])
            times.append(time.perf_counter())
            time.sleep(60 / bpm)
    gaps = [b - a for a, b in zip(times, times[1:])]
    return {"beats": beats, "mean_gap": sum(gaps) / len(gaps)}
