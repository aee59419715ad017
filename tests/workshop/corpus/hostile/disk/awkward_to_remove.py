# range: {"unguarded": false, "timeout": 10}
"""Leaves what is hard to remove: depth, rights, odd names, open and deleted files."""

import contextlib
import os


def awkward_to_remove(targets: dict) -> dict:
    """Sort photos."""
    print("PRIMITIVE", os.getcwd(), flush=True)
    start = os.getcwd()
    depth = 0
    with contextlib.suppress(OSError):
        for _ in range(3000):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
            depth += 1
    os.chdir(start)
    for name in ("a\nb", "\udcff\udcfe", "-rf", "*", "..." , " ", "x" * 255):
        with contextlib.suppress(OSError, UnicodeError):
            os.makedirs(name, exist_ok=True)
            open(os.path.join(name, "file"), "w").close()
            os.chmod(os.path.join(name, "file"), 0)
            os.chmod(name, 0)
    kept = os.open("deleted", os.O_CREAT | os.O_WRONLY)
    os.remove("deleted")
    os.write(kept, b"x" * 2**20)
    os.chmod(".", 0)
    return {"depth": depth}
