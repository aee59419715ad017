"""Samples a move of the tool's own, so that the host plays numbers and runs no code of the tool."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

RATE_HZ = 100
MAX_DURATION_S = 60.0
BEFORE_END_S = 1e-4
"""Recorded moves can't be evaluated at their very end."""
HEAD, ANTENNAS, BODY_YAW = 16, 2, 1


def sample(move: Any) -> Any:
    """The move at 100 Hz: rows of 16 values of the head, two antennas, the body yaw; NaN where it leaves a part out.

    Raises ValueError for something that is no move.
    """
    try:
        duration = float(move.duration)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{type(move).__name__} is no move: it needs duration and evaluate(t)") from error
    if not (math.isfinite(duration) and 0 < duration <= MAX_DURATION_S):
        raise ValueError(f"a move of {duration} s: more than 0 and at most {MAX_DURATION_S:g} s")
    ticks = math.ceil(duration * RATE_HZ) + 1
    frames = np.full((ticks, HEAD + ANTENNAS + BODY_YAW), np.nan)
    for tick in range(ticks):
        head, antennas, body_yaw = move.evaluate(min(tick / RATE_HZ, max(duration - BEFORE_END_S, 0.0)))
        if head is not None:
            frames[tick, :HEAD] = np.asarray(head, dtype=float).reshape(HEAD)
        if antennas is not None:
            frames[tick, HEAD : HEAD + ANTENNAS] = np.asarray(antennas, dtype=float).reshape(ANTENNAS)
        if body_yaw is not None:
            frames[tick, HEAD + ANTENNAS] = float(body_yaw)
    return frames
