"""`PromptCache`: the on-disk cache of prompt prefixes that a local model has processed.

Processing the common prefix of prompts takes a small model a minute on two cores; loading the saved state takes
milliseconds. Only our own instructions are cached, never what people say.
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

MAX_FILES = 4
"""Files to keep, the most recently used; about 45 MB each."""


class PromptCache:
    """The cache files in a folder. `what` identifies the model and its settings."""

    def __init__(self, folder: Path, what: str) -> None:
        self.folder, self._what = folder, what

    def name(self, messages: Sequence[Message]) -> str:
        """The file name for prompts that begin with these messages."""
        key = json.dumps([self._what, list(messages)], sort_keys=True)
        return f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.bin"

    def has(self, name: str) -> bool:
        """Whether the file exists. Marks it as used now."""
        try:
            os.utime(self.folder / name)
        except OSError:
            return False
        return True

    def make_room(self) -> None:
        """Evict the least recently used files, so that there is room for one more."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            files = sorted(self.folder.glob("*.bin"), key=lambda file: file.stat().st_mtime)
            for file in files[: max(0, len(files) - MAX_FILES + 1)]:
                file.unlink()

    def remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)
