"""`CodeFolder`: where generated programs are kept. A new one never takes the place of another."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import unicodedata
from pathlib import Path, PurePath

from reachy_mind.brains.word_lists import spaced
from reachy_mind.errors import NotReady
from reachy_mind.system.open_files import FOLDER, NO_LINK, require_folder_descriptors

MAX_STEM = 48
MOST_WORDS = 4
MOST_OF_A_NAME = 1000
_LEFT_OUT = frozenset(
    spaced(
        """
        a an and another bash can code create develop file for from generate give i in is it make me my new of on
        please print prints program programme python quick script shell short show simple small some that the this to
        tool us which will with write you
        """
    )
)
"""Words of a request that say nothing about the program."""


class CodeFolder:
    """Its methods block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, stem: str, ending: str, text: str) -> Path:
        """Write a new file: `stem` with the ending, or with a number where that is taken. Raises NotReady."""
        require_folder_descriptors("folders of programs")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            place = os.open(self.folder, os.O_RDONLY | FOLDER)
        except OSError as error:
            raise NotReady(
                f"{self.folder} can't be used: {error.strerror}", hint="developer.code_folder names another folder"
            ) from None
        try:
            for number in itertools.islice(itertools.count(1), MOST_OF_A_NAME):
                name = f"{stem}{f'_{number}' if number > 1 else ''}{ending}"
                with contextlib.suppress(FileExistsError):
                    _write_new(place, name, text)
                    return self.folder / name
        except OSError as error:
            raise NotReady(f"{name} can't be written: {error.strerror}", hint=f"is {self.folder} full?") from None
        finally:
            os.close(place)
        raise NotReady(f"there are {MOST_OF_A_NAME} programs called {stem} already", hint="choose another name")


def stem_of(name: str) -> str:
    """A plain file name from what somebody called it; empty where there is no letter in it."""
    return "_".join(_words(PurePath(name.strip()).stem))[:MAX_STEM].strip("_")


def stem_for(request: str) -> str:
    """A file name for what was asked for: `calculates_fibonacci_numbers`."""
    words = _words(request)
    telling = [word for word in words if word not in _LEFT_OUT] or words
    return "_".join(telling[:MOST_WORDS])[:MAX_STEM].strip("_") or "program"


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", plain.casefold())


def _write_new(folder: int, name: str, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
    descriptor = os.open(name, flags, 0o644, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        raise
