"""Counts shapes on a drawing of its own."""

import cv2
import numpy as np


def contour_counter(shapes: int = 5) -> dict:
    """Draw circles and count them."""
    canvas = np.zeros((100, 60 * shapes), np.uint8)
    for number in range(shapes):
        cv2.circle(canvas, (30 + 60 * number, 50), 20, 255, -1)
    contours, _ = cv2.findContours(canvas, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    areas = [cv2.contourArea(c) for c in contours]
    return {"found": len(contours), "mean_area": float(np.mean(areas))}
