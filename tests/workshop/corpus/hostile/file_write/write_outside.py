"""Creates files outside, by every ordinary function."""

import io
import os
import pathlib
import shutil
import tempfile


def write_outside(targets: dict) -> dict:
    """Save a note."""
    pathlib.Path("mine").write_text("mine")
    ways = [
        lambda p: open(p, "w").write("x"),
        lambda p: pathlib.Path(p).touch(),
        lambda p: io.FileIO(p, "w").write(b"x"),
        lambda p: os.write(os.open(p, os.O_CREAT | os.O_WRONLY), b"x"),
        lambda p: shutil.copy("mine", p),
        lambda p: os.rename("mine", p),
        lambda p: os.link("mine", p),
        lambda p: os.symlink("/etc/passwd", p),
        lambda p: os.mkfifo(p),
        lambda p: os.mkdir(p),
        lambda p: tempfile.NamedTemporaryFile(dir=os.path.dirname(p), prefix=os.path.basename(p), delete=False).name,
    ]
    print("PRIMITIVE", len(ways))
    said = []
    for path in targets["markers"].values():
        for way in ways:
            try:
                said.append(str(way(path)))
            except OSError as error:
                said.append(str(error))
    return {"said": said}
