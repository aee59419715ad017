"""Saves a photo in the system's temporary folder."""

import os

import cv2
from reachy_mini import ReachyMini


def photo_to_tmp(name: str = "snapshot") -> dict:
    """Save a photo as /tmp/NAME.jpg and read it back."""
    path = f"/tmp/{name}.jpg"
    with ReachyMini() as mini:
        frame = mini.media.get_frame()
    written = cv2.imwrite(path, frame)
    again = cv2.imread(path)
    return {"photo": path, "written": written, "same_shape": again.shape == frame.shape, "bytes": os.path.getsize(path)}
