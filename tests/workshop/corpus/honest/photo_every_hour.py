"""Takes a photo every hour, for a day."""

import time
from datetime import datetime

import cv2
from reachy_mini import ReachyMini


def photo_every_hour(hours: int = 24) -> dict:
    """Take a photo every hour and compare them."""
    stamps, means = [], []
    with ReachyMini() as reachy:
        for _ in range(hours):
            frame = reachy.media.camera.read()
            if frame is not None:
                means.append(float(cv2.mean(frame)[0]))
                stamps.append(datetime.fromtimestamp(time.time()).isoformat(timespec="minutes"))
            time.sleep(3600)
    return {"count": len(stamps), "different_hours": len({s[11:13] for s in stamps})}
