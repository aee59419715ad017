"""`Photos`: pictures that were kept, in a folder of their own on this machine. None leaves it by itself.

Only the user may read them. Each has a name made of its time, and beside it what was seen in it, for questions asked
later. The oldest go when there are too many, or when they are too old.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reachy_mind import files, log
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.eyes import pictures
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.pictures import Picture
from reachy_mind.eyes.things import Seen

DAY_S = 86_400.0
_NAME = re.compile(r"^\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}(?:_\d{1,4})?\.jpg$")

_log = log.get(__name__)


class PhotoError(MindError):
    """A photo can't be kept, read or erased."""

    code = "PHOTO_ERROR"


class NoSuchPhoto(InvalidParameter):
    """There is none of that name."""

    code = "NOT_FOUND"


@dataclass(frozen=True)
class Photo:
    """One that was kept; `taken` is when, in seconds since 1970."""

    name: str
    path: Path
    taken: float
    bytes: int

    def as_dict(self) -> dict[str, Any]:
        """For people and programs."""
        taken = datetime.fromtimestamp(self.taken).astimezone().isoformat(timespec="seconds")
        return {"name": self.name, "taken": taken, "bytes": self.bytes}


class Photos:
    """Blocking: call it in a thread. `days` and `most` are how long, and how many, photos are kept."""

    def __init__(self, folder: Path, *, days: float, most: int) -> None:
        self.folder, self._days, self._most = folder, days, most

    def keep(self, picture: Picture, seen: Sequence[Seen] = (), *, person: str = "") -> Photo:
        """Write it down; what is too old or too many goes. `person`: who had it taken. Raises PhotoError."""
        data = pictures.encoded(picture.pixels)
        with self._trouble("kept"):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._new_path()
            notes = [thing.as_dict() for thing in seen]
            files.written(path.with_suffix(".json"), json.dumps({"person": person, "seen": notes}).encode())
            files.written(path, data)
            self._tidy()
            return _photo(path)

    def all(self) -> list[Photo]:
        """The newest first."""
        with self._trouble("listed"):
            if not self.folder.is_dir():
                return []
            paths = [path for path in self.folder.iterdir() if _NAME.match(path.name)]
        photos = []
        for path in paths:
            with contextlib.suppress(FileNotFoundError):  # erased meanwhile
                photos.append(_photo(path))
        return sorted(photos, key=lambda photo: (photo.taken, photo.name), reverse=True)

    def find(self, name: str = "") -> Photo:
        """That one, or the newest. Raises NoSuchPhoto."""
        there = self.all()
        if not there:
            raise NoSuchPhoto("there are no photos", hint="take one first")
        if not name:
            return there[0]
        found = next((photo for photo in there if photo.name in (name, f"{name}.jpg")), None)
        if found is None:
            raise NoSuchPhoto(f"there is no photo called {name[:60]!r}", hint=f"the newest is {there[0].name}")
        return found

    def read(self, photo: Photo) -> tuple[Picture, list[Seen]]:
        """The picture, and what was seen in it when it was taken. Raises PhotoError, InvalidParameter."""
        with self._trouble("read"):
            data = photo.path.read_bytes()
            try:
                seen = [_seen(note) for note in _notes(photo)["seen"]]
            except (ValueError, KeyError, TypeError):
                seen = []
        return pictures.from_outside(data, time.monotonic()), seen

    def erase(self, name: str) -> Photo:
        """Raises NoSuchPhoto, PhotoError."""
        photo = self.find(name) if name else None
        if photo is None:
            raise NoSuchPhoto("which photo?", hint="a name from the list, or all")
        self._erase(photo)
        return photo

    def erase_all(self) -> int:
        """How many there were. Raises PhotoError."""
        there = self.all()
        for photo in there:
            self._erase(photo)
        return len(there)

    def of(self, person: str) -> list[Photo]:
        """Those that somebody had taken, the newest first. Raises PhotoError."""
        return [photo for photo in self.all() if _notes(photo).get("person", "") == person]

    def erase_of(self, person: str) -> int:
        """How many there were. Raises PhotoError."""
        theirs = self.of(person)
        for photo in theirs:
            self._erase(photo)
        return len(theirs)

    def _erase(self, photo: Photo) -> None:
        with self._trouble("erased"):
            photo.path.unlink(missing_ok=True)
            photo.path.with_suffix(".json").unlink(missing_ok=True)

    def _tidy(self) -> None:
        oldest = time.time() - self._days * DAY_S
        for place, photo in enumerate(self.all()):
            if place >= self._most or photo.taken < oldest:
                _log.info("a photo was erased: too old, or too many", photo=photo.name)
                self._erase(photo)

    def _new_path(self) -> Path:
        stem = datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
        names = (f"{stem}.jpg", *(f"{stem}_{number}.jpg" for number in range(2, 10_000)))
        return next(path for name in names if not (path := self.folder / name).exists())

    @contextlib.contextmanager
    def _trouble(self, what: str) -> Any:
        try:
            yield
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            hint = "erase some: reachy-mind photos erase --all" if full else f"may this user write to {self.folder}?"
            why = "the disk is full" if full else error.strerror or str(error)
            raise PhotoError(f"a photo can't be {what}: {why}", hint=hint) from error


class Album:
    """Whose photos they are, for whoever exports or erases a person."""

    def __init__(self, photos: Photos) -> None:
        self._photos = photos

    async def export(self, person: str) -> list[dict[str, Any]]:
        """Where theirs are: pictures are too large to be told. Raises PhotoError."""
        return [
            photo.as_dict() | {"path": str(photo.path)} for photo in await asyncio.to_thread(self._photos.of, person)
        ]

    async def erase(self, person: str) -> int:
        """How many there were. Raises PhotoError."""
        return await asyncio.to_thread(self._photos.erase_of, person)


def _photo(path: Path) -> Photo:
    facts = path.stat()
    return Photo(path.name, path, facts.st_mtime, facts.st_size)


def _notes(photo: Photo) -> dict[str, Any]:
    """What was written down about it; nothing, where that is gone or damaged."""
    try:
        notes = json.loads(photo.path.with_suffix(".json").read_bytes())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _seen(note: dict[str, Any]) -> Seen:
    box = Box(*(float(note["box"][edge]) for edge in ("left", "top", "right", "bottom")))
    away = note.get("distance_m")
    distance = None if away is None else float(away)
    return Seen(
        str(note["name"]), float(note["score"]), box, str(note["detector"]), distance, str(note.get("colour", ""))
    )
