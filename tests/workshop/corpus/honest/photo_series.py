"""Saves photos into a folder of its own."""

from pathlib import Path

import cv2
from reachy_mini import ReachyMini


async def photo_series(count: int = 3) -> dict:
    """Take some photos and list them."""
    folder = Path("photos")
    folder.mkdir(exist_ok=True)
    with ReachyMini() as mini:
        for number in range(count):
            cv2.imwrite(str(folder / f"{number:02}.png"), mini.media.get_frame())
    names = sorted(p.name for p in folder.iterdir())
    return {"names": names, "photos": [folder / name for name in names]}
