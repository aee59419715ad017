"""Draws a frame and a text on a photo."""

import datetime

import cv2
from reachy_mini import ReachyMini


def stamp(picture, text: str):
    height, width = picture.shape[:2]
    cv2.rectangle(picture, (5, 5), (width - 6, height - 6), (0, 255, 0), 2)
    cv2.putText(picture, text, (10, height - 12), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
    return picture


async def draw_on_photo(title: str = "Hello") -> dict:
    """Take a photo with a frame, a title and the date."""
    with ReachyMini() as mini:
        frame = mini.media.get_frame().copy()
    text = f"{title} {datetime.date.today():%Y-%m-%d}"
    cv2.imwrite("card.png", stamp(frame, text))
    return {"card": "card.png", "text": text}
