"""Writes a short film."""

import os

import cv2
import numpy as np
from reachy_mini import ReachyMini


def short_film(frames: int = 5) -> dict:
    """Record some pictures as a film."""
    path = "/tmp/film.avi"
    writer = None
    with ReachyMini() as mini:
        for _ in range(frames):
            frame = np.ascontiguousarray(mini.media.get_frame())
            if writer is None:
                writer = cv2.VideoWriter(path, cv2.VideoWriter_fourcc(*"MJPG"), 10, (frame.shape[1], frame.shape[0]))
            writer.write(frame)
    writer.release()
    return {"film": path, "bytes": os.stat(path).st_size}
