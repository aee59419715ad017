"""`Beginnings`: what a model on this machine has read before, kept on disk.

Reading how every prompt begins takes a small model a minute on two cores; loading what it made of it, some
milliseconds. Only what we tell it is kept, never what people say.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.models.completion import Message

MOST = 4
"""Files that are kept, some 45 MB each: the ones used last."""


class Beginnings:
    """The files in a folder, for one model as it is run (`what`)."""

    def __init__(self, folder: Path, what: str) -> None:
        self.folder, self._what = folder, what

    def name(self, messages: Sequence[Message]) -> str:
        """The file for prompts that begin with these messages."""
        told = json.dumps([self._what, list(messages)], sort_keys=True)
        return f"{hashlib.sha256(told.encode()).hexdigest()[:32]}.bin"

    def has(self, name: str) -> bool:
        """Whether it is there; then it counts as used now."""
        try:
            os.utime(self.folder / name)
        except OSError:
            return False
        return True

    def make_room(self) -> None:
        """For one more."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            files = sorted(self.folder.glob("*.bin"), key=lambda file: file.stat().st_mtime)
            for file in files[: max(0, len(files) - MOST + 1)]:
                file.unlink()

    def remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)
