"""`Artifacts`: files that sandboxed code hands out, kept by the host under names that the host chooses.

The content comes as bytes: the host never opens a path of the code. Each run has a folder of its own in
`workshop/artifacts`; the oldest runs are removed when all of them together grow too large.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
import unicodedata
from pathlib import Path

from reachy_mind.errors import InvalidParameter, MindError, TooMany
from reachy_mind.system.open_files import BYTES, NO_LINK

MAX_BYTES, MAX_FILES = 32 << 20, 64
"""Of one run."""
MAX_TOTAL_BYTES = 200 << 20
"""Of all runs; the newest is kept in any case."""
MAX_NAME_CHARS = 100
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MIN_SIZE = 4096
"""What a file or a folder counts at least: an empty one takes room on the disk, too."""

_keeping = threading.Lock()
"""Calls of one run come at the same time, and other runs remove what is old."""


class Artifacts:
    """The files of one run, in `folder/run_id`, which the first of them creates. Blocks: call it in a thread."""

    def __init__(self, folder: Path, run_id: str) -> None:
        if not RUN_ID.fullmatch(run_id):
            raise InvalidParameter(f"no run can be called {run_id[:60]!r}", hint="letters, digits, - and _")
        self._root, self.folder = folder, folder / run_id
        self._bytes = 0
        self.files: list[Path] = []

    def keep(self, name: str, content: bytes) -> Path:
        """Write a file; only the owner may read it. Raises TooMany at the limits of a run."""
        with _keeping:
            return self._keep(name, content)

    def _keep(self, name: str, content: bytes) -> Path:
        if len(self.files) >= MAX_FILES or self._bytes + len(content) > MAX_BYTES:
            limits = f"{MAX_FILES} files and {MAX_BYTES >> 20} MB"
            raise TooMany(f"{name[:60]!r} is more than a run may keep", hint=f"at most {limits}")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._free(safe_name(name))
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | BYTES, 0o600)
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(content)
        except OSError as error:
            raise MindError(
                f"{name[:60]!r} can't be kept: {error.strerror or error}", hint="is the disk full?"
            ) from error
        self._bytes += len(content)
        self.files.append(file)
        remove_old_runs(self._root, keep=self.folder)
        return file

    def _free(self, name: str) -> Path:
        """A path that is not taken: `photo.jpg`, `photo-2.jpg`, ..."""
        file, number = self.folder / name, 1
        while file.exists():
            number += 1
            file = self.folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        return file


def safe_name(name: str) -> str:
    """A file name of plain letters without folders; never empty, never hidden."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFKD", name))[-1]
    plain = UNSAFE.sub("_", last.encode("ascii", "ignore").decode()).lstrip(".-_")
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > 16:
        stem, suffix = plain, ""
    return f"{(stem or 'file')[:MAX_NAME_CHARS]}{f'.{suffix}' if suffix else ''}"


def remove_old_runs(root: Path, *, keep: Path, most: int = MAX_TOTAL_BYTES) -> None:
    """Remove the oldest runs until all of them together have at most `most` bytes."""
    runs = [(run.stat().st_mtime, run) for run in root.iterdir() if run.is_dir() and not run.is_symlink()]
    sizes = {run: MIN_SIZE + sum(max(file.lstat().st_size, MIN_SIZE) for file in run.iterdir()) for _, run in runs}
    total = sum(sizes.values())
    for _, run in sorted(runs):
        if total <= most:
            return
        if run != keep:
            shutil.rmtree(run, ignore_errors=True)
            total -= sizes[run]
