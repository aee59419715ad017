"""Counts edges with OpenCV."""

import cv2
from reachy_mini import ReachyMini


def edge_density(low: int = 50, high: int = 150) -> dict:
    """Say which part of the picture is edges."""
    with ReachyMini() as mini:
        frame = mini.media.camera.read()
    if frame is None:
        raise RuntimeError("the camera gave no picture")
    edges = cv2.Canny(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), low, high)
    return {"density": float((edges > 0).mean()), "pixels": int(edges.size)}
