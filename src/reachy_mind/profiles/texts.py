"""Files of a profile, read with care: anybody may have written them.

A file counts only if it lies in its folder, is a plain file of a sensible size, and is text. Whatever else it is
becomes a `Problem`, never an exception.
"""

from __future__ import annotations

import stat
from pathlib import Path

from reachy_mind.profiles.profile import Problem

LARGEST_BYTES = 64 << 10


class Texts:
    """The texts of one folder, and what is wrong with them. Reading what is not there is no problem."""

    def __init__(self, folder: Path, label: str = "") -> None:
        self.folder, self._label = folder, label
        self.problems: list[Problem] = []

    def name(self, file: str) -> str:
        """How problems call a file."""
        return f"{self._label}{file}"

    def note(self, file: str, what: str, line: int = 0) -> None:
        self.problems.append(Problem(self.name(file), line, what))

    def read(self, file: str) -> str | None:
        """The text of a file; None when there is none that can be used."""
        try:
            return _text(_raw(self.folder, file))
        except FileNotFoundError:
            if (self.folder / file).is_symlink():
                self.note(file, "a link that leads nowhere")
        except _Unread as error:
            self.note(file, error.what, error.line)
        except (OSError, RuntimeError, ValueError) as error:  # links in a circle; names that no file can have
            self.note(file, f"can't be read: {getattr(error, 'strerror', None) or error}")
        return None


class _Unread(Exception):
    """Why a file was not read."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.what, self.line = what, line


def _raw(folder: Path, file: str) -> bytes:
    place = (folder / file).resolve(strict=True)
    if not place.is_relative_to(folder.resolve()):
        raise _Unread("a link that leads out of the folder: it was not read")
    about = place.stat()
    if not stat.S_ISREG(about.st_mode):
        raise _Unread("no plain file: it was not read")
    with place.open("rb") as opened:
        raw = opened.read(LARGEST_BYTES + 1)
    if len(raw) > LARGEST_BYTES:
        raise _Unread(f"larger than {LARGEST_BYTES >> 10} KiB: it was not read")
    return raw


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _Unread("not UTF-8 text: save it with that encoding", raw[: error.start].count(b"\n") + 1) from None
    if "\0" in text:
        raise _Unread("not text: it has zero bytes", text[: text.index("\0")].count("\n") + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def listed(text: str) -> list[tuple[int, str]]:
    """The lines that say something, each with its number: without `#` comments and empty ones."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        if said:
            found.append((number, said))
    return found
