"""Pulls a new edition over an old one, again and again, and is killed one step later each time.

Prints what was in place after each kill: the old edition, none, or the new one; always whole. Fails otherwise.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import signal
import sys
from pathlib import Path

from reachy_mind.models import unpack
from reachy_mind.models.assets import Asset, LocalFile, Part, Unzip
from reachy_mind.models.file_hashing import CancelFlag
from reachy_mind.models.store import Store

STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"}


def asset(file: Path) -> Asset:
    content = file.read_bytes()
    part = Part(file.name, hashlib.sha256(content).hexdigest(), len(content), (LocalFile(str(file)),))
    return Asset("tiny", "", "", "", "", (part,), (Unzip("data/*", strip="data/"),), 1_000_000)


def pull(models: Path, wanted: Asset, last_step: int = 0) -> int:
    """Pull in a process of its own: its exit status, negative when it was killed."""
    if pid := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    steps = 0

    def count(event: str, args: tuple[object, ...]) -> None:
        nonlocal steps
        if event in STEPS and str(args[0]).startswith(str(models)):
            steps += 1
            if steps == last_step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    asyncio.run(Store(models, {"tiny": wanted}).pull("tiny"))
    os._exit(0)


def in_place(models: Path, editions: dict[str, Asset]) -> str:
    """The edition that is there, after checking that it is all there."""
    folder = models / "tiny"
    if not folder.exists():
        return "absent"
    manifest = unpack.Manifest.read(folder)
    assert manifest is not None, "a folder without a manifest"
    assert unpack.verify(CancelFlag(), "tiny", folder, manifest).intact
    return next(name for name, each in editions.items() if each.edition == manifest.edition)


def main(work: Path) -> None:
    editions = {name: asset(work / f"{name}.zip") for name in ("old", "new")}
    status, step = -1, 0
    while status:
        step += 1
        models = work / "models"
        shutil.rmtree(models, ignore_errors=True)
        assert pull(models, editions["old"]) == 0
        status = pull(models, editions["new"], last_step=step)
        print(in_place(models, editions), flush=True)  # noqa: T201
        assert pull(models, editions["new"]) == 0, "the next pull must succeed"
        assert in_place(models, editions) == "new"
        assert not (models / "downloads/tiny").exists(), "nothing may be left over"


main(Path(sys.argv[1]))
