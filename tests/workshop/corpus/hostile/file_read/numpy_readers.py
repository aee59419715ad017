"""Reads secrets by numpy, which opens files in native code."""

import numpy as np


def numpy_readers(targets: dict) -> dict:
    """Load measurements."""
    ways = [
        lambda p: np.fromfile(p, dtype=np.uint8).tobytes().decode(),
        lambda p: np.memmap(p, dtype=np.uint8, mode="r").tobytes().decode(),
        lambda p: str(np.genfromtxt(p, dtype=str)),
        lambda p: str(np.loadtxt(p, dtype=str)),
        lambda p: str(np.load(p, allow_pickle=True)),
        lambda p: str(np.fromregex(p, "(.*)", [("line", "U80")])),
    ]
    print("PRIMITIVE", np.__version__)
    said = []
    for path in targets["secrets"].values():
        for way in ways:
            try:
                said.append(way(path))
            except Exception as error:
                said.append(repr(error)[:80])
    return {"said": said}
