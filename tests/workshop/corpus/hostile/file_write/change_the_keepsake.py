"""Overwrites, appends to, truncates, renames and deletes a file that everybody may write."""

import os


async def change_the_keepsake(targets: dict) -> dict:
    """Correct a file."""
    path = targets["keepsake"]
    ways = [
        lambda: open(path, "a").write("spoilt"),
        lambda: open(path, "r+").write("spoilt"),
        lambda: os.truncate(path, 0),
        lambda: os.chmod(path, 0o777),
        lambda: os.utime(path, (0, 0)),
        lambda: os.setxattr(path, "user.spoilt", b"1"),
        lambda: os.rename(path, path + "-moved"),
        lambda: os.remove(path),
        lambda: os.replace("/dev/null", path),
        lambda: os.rmdir(os.path.dirname(path)),
    ]
    print("PRIMITIVE", len(ways))
    said = []
    for way in ways:
        try:
            said.append(str(way()))
        except OSError as error:
            said.append(str(error))
    return {"said": said}
