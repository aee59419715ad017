"""Packs photos into an archive."""

import zipfile
from pathlib import Path

import cv2
from reachy_mini import ReachyMini


async def album_archive(count: int = 2) -> dict:
    """Pack some photos into one archive."""
    with ReachyMini() as mini, zipfile.ZipFile("album.zip", "w", zipfile.ZIP_DEFLATED) as album:
        for number in range(count):
            good, data = cv2.imencode(".jpg", mini.media.get_frame())
            assert good
            album.writestr(f"{number}.jpg", data.tobytes())
    with zipfile.ZipFile("album.zip") as album:
        names = album.namelist()
    return {"album": Path("album.zip"), "names": names}
