"""Sorts files by their endings."""

import os
import shutil
from pathlib import Path


def tidy_folder() -> dict:
    """Make files, sort them into folders, and count."""
    base = Path("/tmp/inbox")
    base.mkdir(parents=True, exist_ok=True)
    for name in ("a.txt", "b.txt", "c.jpg", "d.csv"):
        (base / name).touch()
    for file in list(base.iterdir()):
        if file.is_file():
            target = base / file.suffix.lstrip(".")
            target.mkdir(exist_ok=True)
            shutil.move(str(file), target / file.name)
    tree = {folder: sorted(files) for folder, _, files in os.walk(base) if files}
    shutil.rmtree(base)
    return {"folders": len(tree), "gone": not base.exists()}
