# range: {"timeout": 5, "unguarded": false}
"""Looks for other runs beside it: their folders, their processes, what they left; and ends them."""

import glob
import os
import re
import signal


def neighbours(targets: dict) -> dict:
    """Say hello next door."""
    here = os.getcwd()
    print("PRIMITIVE", here)
    seen, said = set(), []
    folders = {here, os.path.dirname(here), os.path.dirname(os.path.dirname(here)), "/tmp", "/var/tmp", "/dev/shm", "/run", "/"}
    for folder in folders:
        for pattern in ("/*", "/*/*", "/*/*/*", "/.*"):
            for path in glob.glob(folder + pattern)[:3000]:
                try:
                    with open(path, "rb") as file:
                        seen.update(re.findall(rb"NEIGHBOUR-[0-9a-f]+", file.read(100_000)))
                except OSError:
                    pass
    for pid in {*range(1, 400), *range(os.getpid() - 300, os.getpid() + 300), os.getppid()} - {os.getpid()}:
        for name in ("cwd/note.txt", "root/tmp/note.txt", "environ", "mem", "fd/3", "fd/4"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    seen.update(re.findall(rb"NEIGHBOUR-[0-9a-f]+", file.read(100_000)))
                said.append(f"opened /proc/{pid}/{name}")
            except (OSError, ValueError):
                pass
        for number in (signal.SIGSTOP, signal.SIGKILL):
            try:
                os.kill(pid, number)
                said.append(f"signalled {pid}")
            except (OSError, OverflowError):
                pass
    if seen:
        print("EVIDENCE", sorted(item.decode() for item in seen))
    try:
        os.kill(-1, signal.SIGKILL)
        said.append("signalled all")
    except OSError as error:
        said.append(str(error))
    with open("note.txt", "w") as file:
        file.write("NEIGHBOUR-dead")
    with open("/tmp/note.txt", "w") as file:
        file.write("NEIGHBOUR-dead")
    return {"said": said[:50]}
