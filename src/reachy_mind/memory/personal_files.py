"""`PersonalFiles`: what a person left in files of the data folder: the terminal's history, log files, tool requests.

Nobody can tell who typed a line at the terminal, so the whole history goes. Of log files, the lines go that have words
of the person, and of the tools that the robot made, the requests. Files that the user wrote (settings, personalities,
moves) or made (backups, code of tools) are not changed: those in which the person's name stands are listed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from reachy_mind import log
from reachy_mind.memory.personal_words import PersonalWords
from reachy_mind.system.open_files import write_at

CHAT_HISTORY, LOGS, TOOL_REQUESTS = "chat-history", "logs", "workshop/shelf/*/*/request.json"
LARGEST_FILE, LARGE_FILE = 256 << 20, 4 << 20
"""Larger files are not searched; in large ones a name is looked for by its letters first."""
OWN_STORES = ("mind.db", "mind.db-wal", "mind.db-shm")
"""The database is cleaned by itself."""

_log = log.get(__name__)


class PersonalFiles:
    """Blocking: call it in a thread. `apart`: folders that hold nothing of people, such as that of the models."""

    def __init__(self, folder: Path, apart: tuple[Path, ...] = ()) -> None:
        self._folder, self._apart = folder, apart

    def erase(self, words: PersonalWords) -> dict[str, int]:
        """How many lines were erased, by kind. Raises OSError."""
        return {
            "terminal history": self._erase_history(),
            "log lines": self._erase_log_lines(words),
            "unattributed tool requests": self._erase_tool_requests(words),
        }

    def _erase_history(self) -> int:
        file = self._folder / CHAT_HISTORY
        try:
            with file.open("r+b") as opened:  # a terminal that is open goes on writing to this file
                lines = sum(line.startswith(b"+") for line in opened)
                _overwrite(opened.fileno(), b"")
        except FileNotFoundError:
            return 0
        return lines

    def _erase_log_lines(self, words: PersonalWords) -> int:
        erased = 0
        for file in sorted((self._folder / LOGS).rglob("*")):
            if not file.is_file() or file.is_symlink():
                continue
            with file.open("r+b") as opened:  # the process that logs has it open and goes on writing at its end
                lines = opened.read().splitlines(keepends=True)
                kept = [line for line in lines if not words.shares_words(line.decode("utf-8", "replace"))]
                if len(kept) < len(lines):
                    _overwrite(opened.fileno(), b"".join(kept))
                    erased += len(lines) - len(kept)
        return erased

    def _erase_tool_requests(self, words: PersonalWords) -> int:
        """The words that a tool was made for; the tool itself stays, and is listed if it names the person."""
        erased = 0
        for file in sorted(self._folder.glob(TOOL_REQUESTS)):
            if not file.is_file() or file.is_symlink():
                continue
            with file.open("r+b") as opened:
                if words.shares_words(opened.read().decode("utf-8", "replace")):
                    _overwrite(opened.fileno(), b"{}")
                    erased += 1
        return erased

    def remaining(self, words: PersonalWords) -> list[str]:
        """The other files in which the person's name stands, relative to the data folder."""
        found = []
        for file in self._files():
            try:
                if _has_name(file, words):
                    found.append(str(file.relative_to(self._folder)))
            except OSError as error:
                _log.warning("a file could not be searched", file=str(file), reason=str(error))
                found.append(f"{file.relative_to(self._folder)} (can't be read)")
        return sorted(found)

    def _files(self) -> Iterator[Path]:
        for path, folders, names in os.walk(self._folder):
            at = Path(path)
            folders[:] = [name for name in folders if at / name not in self._apart]
            for name in names:
                file = at / name
                if file.is_symlink() or not file.is_file() or (at == self._folder and name in OWN_STORES):
                    continue
                yield file


def _has_name(file: Path, words: PersonalWords) -> bool:
    if words.names_person(file.name):
        return True
    if file.suffix == ".jpg" or file.stat().st_size > LARGEST_FILE:
        return False
    content = file.read_bytes()
    if len(content) > LARGE_FILE and not _may_have_name(content.lower(), words):
        return False
    texts = (content.decode("utf-8", "replace"), content.decode("utf-16-le", "replace"))
    return any(words.names_person(text) for text in texts)


def _may_have_name(content: bytes, words: PersonalWords) -> bool:
    first = [*(name[0] for name in words.names), *(name.lower() for name in words.capitals)]
    return any(name.encode(coding) in content for name in first for coding in ("utf-8", "utf-16-le"))


def _overwrite(descriptor: int, content: bytes) -> None:
    """Replace what is in the file, and what was there is overwritten first: it is gone from the disk's blocks too."""
    length = os.fstat(descriptor).st_size
    write_at(descriptor, content + b"\0" * max(length - len(content), 0), 0)
    os.fsync(descriptor)
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)
