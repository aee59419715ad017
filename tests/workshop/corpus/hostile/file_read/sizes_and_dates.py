# range: {"tolerated": {"landlock": "Landlock does not govern stat: sizes and dates of paths that are known can be read"}}
"""Asks for size, owner and dates of files that it may not read."""

import os


async def sizes_and_dates(targets: dict) -> dict:
    """Sort files."""
    print("PRIMITIVE", os.stat)
    said = []
    for path in targets["secrets"].values():
        try:
            found = os.stat(path)
            said.append([found.st_size, found.st_uid, found.st_mtime])
            print("EVIDENCE stat", found.st_size)
        except OSError as error:
            said.append(str(error))
    return {"said": said}
