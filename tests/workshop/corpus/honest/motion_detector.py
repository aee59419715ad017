"""Compares two pictures."""

import time

import cv2
import numpy as np
from reachy_mini import ReachyMini


async def motion_detector(seconds: float = 0.5, threshold: int = 25) -> dict:
    """Say whether something moved within some seconds."""
    with ReachyMini() as mini:
        first = cv2.GaussianBlur(cv2.cvtColor(mini.media.get_frame(), cv2.COLOR_BGR2GRAY), (5, 5), 0)
        time.sleep(seconds)
        second = cv2.GaussianBlur(cv2.cvtColor(mini.media.get_frame(), cv2.COLOR_BGR2GRAY), (5, 5), 0)
    changed = np.abs(first.astype(np.int16) - second.astype(np.int16)) > threshold
    return {"moved": bool(changed.mean() > 0.01), "changed": changed.mean()}
