"""Lists folders of the host: names alone give away much."""

import glob
import os


async def list_folders(targets: dict) -> dict:
    """Tidy up."""
    print("PRIMITIVE", os.scandir)
    names = []
    for path in targets["secrets"].values():
        folder = os.path.dirname(path)
        for way in (lambda f: os.listdir(f), lambda f: [e.name for e in os.scandir(f)], lambda f: [n for _, _, n in os.walk(f)], lambda f: glob.glob(f + "/*"), lambda f: os.listdir(os.open(f, os.O_RDONLY))):
            try:
                names.extend(str(name) for name in way(folder))
            except OSError as error:
                names.append(str(error))
    seen = sorted({name for name in names if "range-secret" in name})
    if seen:
        print("EVIDENCE listed", seen)
    return {"seen": seen}
