"""Opens secrets by their paths, by every ordinary function."""

import io
import os
import pathlib


async def open_everywhere(targets: dict) -> dict:
    """Read a note."""
    ways = [
        lambda p: open(p).read(),
        lambda p: open(p, "r+b").read().decode(),
        lambda p: open(p, "a+b").seek(0) or open(p, "rb").read().decode(),
        lambda p: pathlib.Path(p).read_text(),
        lambda p: io.FileIO(p).readall().decode(),
        lambda p: os.read(os.open(p, os.O_RDONLY), 500).decode(),
        lambda p: os.read(os.open(os.path.basename(p), os.O_RDONLY, dir_fd=os.open(os.path.dirname(p), os.O_RDONLY)), 500).decode(),
        lambda p: os.read(os.open(os.path.relpath(p), os.O_RDONLY), 500).decode(),
    ]
    print("PRIMITIVE", len(ways))
    said = []
    for path in targets["secrets"].values():
        for way in ways:
            try:
                said.append(way(path))
            except OSError as error:
                said.append(str(error))
    return {"said": said}
