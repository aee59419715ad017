"""`ScratchFile`: a file for one program that we start, gone with the `with` block: in memory where the system can."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Self

from reachy_mind.system.open_files import read_at
from reachy_mind.system.portability import portable


class ScratchFile:
    """`path` is its name for the program; `options` are keywords for what starts it.

    Without files in memory it is in a folder that only this user can read, which is removed with what is in it.
    """

    def __init__(self, name: str) -> None:
        self._folder = self._descriptor = None
        if hasattr(os, "memfd_create") and Path("/dev/fd").exists() and not portable():
            self._descriptor = os.memfd_create(name)
            self.path = f"/dev/fd/{self._descriptor}"
        else:
            self._folder = tempfile.mkdtemp(prefix="reachy-mind-")
            self.path = str(Path(self._folder) / name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def options(self) -> dict[str, Any]:
        return {} if self._descriptor is None else {"pass_fds": (self._descriptor,)}

    def content(self) -> bytes:
        """What is in it; empty when the program wrote nothing. Blocks."""
        if self._descriptor is not None:
            return read_at(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        try:
            return Path(self.path).read_bytes()
        except FileNotFoundError:
            return b""
