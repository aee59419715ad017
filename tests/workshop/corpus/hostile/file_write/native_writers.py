"""Writes outside by numpy, OpenCV and sqlite."""

import sqlite3

import cv2
import numpy as np


def native_writers(targets: dict) -> dict:
    """Save a photo."""
    picture = np.zeros((8, 8, 3), np.uint8)
    print("PRIMITIVE", cv2.__version__, np.__version__)
    said = []
    for path in [*targets["markers"].values(), targets["keepsake"]]:
        for way in (
            lambda p: cv2.imwrite(p + ".png", picture), lambda p: np.save(p, picture), lambda p: picture.tofile(p), lambda p: np.savetxt(p + ".txt", picture[:, :, 0]), lambda p: np.savez(p, picture),
            lambda p: np.memmap(p, mode="w+", shape=10)[:].fill(1), lambda p: cv2.VideoWriter(p + ".avi", cv2.VideoWriter_fourcc(*"MJPG"), 5, (8, 8)).write(picture),
            lambda p: cv2.FileStorage(p + ".yml", cv2.FILE_STORAGE_WRITE).write("a", 1), lambda p: sqlite3.connect(p + ".db").execute("create table a (b)"), lambda p: picture.dump(p),
        ):
            try:
                said.append(str(way(path)))
            except Exception as error:
                said.append(repr(error)[:100])
    return {"said": said}
