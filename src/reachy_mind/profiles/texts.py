"""`Texts`: reads the text files of a profile folder, which are untrusted.

A file is read only if it lies in the folder (no symlink out of it), is a regular file of limited size, and is UTF-8
text. Anything else becomes a `Problem`, never an exception.
"""

from __future__ import annotations

import stat
from pathlib import Path

from reachy_mind.profiles.profile import Problem

LARGEST_BYTES = 64 << 10


class Texts:
    """The text files of one folder, and the problems found in them. A missing file is not a problem."""

    def __init__(self, folder: Path, label: str = "") -> None:
        self.folder, self._label = folder, label
        self.problems: list[Problem] = []

    def name(self, file: str) -> str:
        """The name of a file in problems."""
        return f"{self._label}{file}"

    def note(self, file: str, what: str, line: int = 0) -> None:
        self.problems.append(Problem(self.name(file), line, what))

    def read(self, file: str) -> str | None:
        """The text of a file; None when it is missing or unusable."""
        try:
            return _text(_raw(self.folder, file))
        except FileNotFoundError:
            if (self.folder / file).is_symlink():
                self.note(file, "a link that leads nowhere")
        except _UnusableFile as error:
            self.note(file, error.what, error.line)
        except (OSError, RuntimeError, ValueError) as error:  # cyclic links; invalid file names
            self.note(file, f"can't be read: {getattr(error, 'strerror', None) or error}")
        return None


class _UnusableFile(Exception):
    """A file that can't be used, and why."""

    def __init__(self, what: str, line: int = 0) -> None:
        super().__init__(what)
        self.what, self.line = what, line


def _raw(folder: Path, file: str) -> bytes:
    place = (folder / file).resolve(strict=True)
    if not place.is_relative_to(folder.resolve()):
        raise _UnusableFile("a link that leads out of the folder: it was not read")
    status = place.stat()
    if not stat.S_ISREG(status.st_mode):
        raise _UnusableFile("no plain file: it was not read")
    with place.open("rb") as opened:
        raw = opened.read(LARGEST_BYTES + 1)
    if len(raw) > LARGEST_BYTES:
        raise _UnusableFile(f"larger than {LARGEST_BYTES >> 10} KiB: it was not read")
    return raw


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _UnusableFile("not UTF-8 text: save it with that encoding", raw[: error.start].count(b"\n") + 1) from None
    if "\0" in text:
        raise _UnusableFile("not text: it has zero bytes", text[: text.index("\0")].count("\n") + 1)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def listed(text: str) -> list[tuple[int, str]]:
    """Line numbers and lines, without `#` comments and empty lines."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        if said:
            found.append((number, said))
    return found
