"""A program: makes every change of a shelf in forked processes, each killed at its next file operation.

    python -m tests.workshop.shelf.kill_points FOLDER

Prints one JSON object for each change: the operations after which it was killed, and what was found wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reachy_mind.workshop.shelf.bundles import export_bundle, import_bundle
from reachy_mind.workshop.shelf.shelf import Shelf
from tests.workshop.shelf.versions import PASSED, WAVE, new_version

OPERATIONS = ("open", "mkdir", "rename", "replace", "fsync", "ftruncate", "pwrite", "write", "unlink", "chmod", "rmdir")
TWO = WAVE.replace("waved", "wavings")
NAME = "wave_twice"
FIRST = "first approval, which makes the key"
bundle: list[str] = []


def prepared(folder: Path) -> Shelf:
    """Version 1 retired, 2 in use with two kills, 3 tested, 4 a draft."""
    shelf = Shelf(folder)
    for code in (WAVE, TWO):
        shelf.approve(NAME, shelf.add(new_version(code=code)).sha256, "test", activate=True)
    shelf.record_kill(NAME, 2)
    shelf.record_kill(NAME, 2)
    shelf.add(new_version(code=WAVE + "\n"))
    shelf.add(new_version(code=TWO + "\n", results=None))
    return shelf


def foreign_bundle(folder: Path) -> str:
    """A tool of another robot."""
    other = Shelf(folder)
    other.add(new_version(code=TWO + "\n\n"))
    return export_bundle(other, NAME, 1)


CHANGES: dict[str, Callable[[Shelf], object]] = {
    "add": lambda shelf: shelf.add(new_version(code=WAVE + "\n\n")),
    "add another tool": lambda shelf: shelf.add(new_version(name="nod_twice")),
    "record a trial": lambda shelf: shelf.record_trial(NAME, 4, PASSED),
    "approve": lambda shelf: shelf.approve(NAME, 3, "test"),
    "approve and activate": lambda shelf: shelf.approve(NAME, 3, "test", activate=True),
    FIRST: lambda shelf: shelf.approve(NAME, 1, "test", activate=True),
    "reject": lambda shelf: shelf.reject(NAME, 2, "no"),
    "roll back": lambda shelf: shelf.rollback(NAME),
    "deactivate": lambda shelf: shelf.deactivate(NAME),
    "third kill": lambda shelf: shelf.record_kill(NAME, 2),
    "erase a request": lambda shelf: shelf.erase_request(NAME, 2),
    "import": lambda shelf: import_bundle(shelf, bundle[0]),
}


def seen(folder: Path) -> dict[str, Any]:
    """What a user sees of a shelf: the states and the content of every version."""
    shelf = Shelf(folder)
    return {
        name: [
            (each.number, each.sha256, each.state.value, each.trouble, each.passed, each.faults, each.request)
            for each in shelf.versions(name)
        ]
        for name in shelf.names()
    }


def killed_at(point: int, change: Callable[[Shelf], object], folder: Path) -> bool:
    """Make the change in a child that is killed before its operation number `point`. Returns whether it was."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    left = [point]

    def counted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*given, **named)

        return run

    shelf = Shelf(folder)
    for name in OPERATIONS:
        setattr(os, name, counted(getattr(os, name)))
    change(shelf)
    os._exit(0)


def tried(label: str, change: Callable[[Shelf], object], folder: Path) -> dict[str, Any]:
    origin, work = folder / ("fresh" if label == FIRST else "origin"), folder / "work"
    before = seen(origin)
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(origin, work)
    change(Shelf(work))
    after = seen(work)
    wrong: list[str] = []
    kept = 0
    point = 0
    while True:
        shutil.rmtree(work)
        shutil.copytree(origin, work)
        killed = killed_at(point, change, work)
        found = seen(work)
        if found not in (before, after):
            wrong.append(f"killed before operation {point}: {found}")
        kept += found == before
        # The next process goes on with the same change, and nothing of the kill is left.
        shelf = Shelf(work)
        shelf.recover()
        if found == before:
            change(shelf)
        if seen(work) != after:
            wrong.append(f"repeated after a kill before operation {point}: {seen(work)}")
        left = [str(each) for each in work.rglob(".*") if each.name not in (".lock",)]
        folders = {each.name for each in (work / NAME).iterdir() if each.is_dir()}
        if left or folders != {row[1] for row in seen(work)[NAME]}:
            wrong.append(f"left after operation {point}: {left} {folders}")
        if not killed:
            break
        point += 1
    return {"change": label, "points": point, "before": kept, "wrong": wrong}


def main() -> None:
    folder = Path(sys.argv[1])
    prepared(folder / "origin")
    Shelf(folder / "fresh").add(new_version())
    bundle.append(foreign_bundle(folder / "other"))
    for label, change in CHANGES.items():
        sys.stdout.write(json.dumps(tried(label, change, folder)) + "\n")


if __name__ == "__main__":
    main()
