"""`Photos`: saved pictures in a folder on this machine, with a retention limit. They are never uploaded.

Only the user may read the folder. Each photo is named after its time, with its detected objects in a JSON file beside
it for later questions. The oldest are deleted when there are too many or they are too old.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.eyes import pictures
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.eyes.pictures import Picture
from reachy_mind.storage import files
from reachy_mind.storage.faults import classify

DAY_S = 86_400.0
_NAME = re.compile(r"^\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}(?:_\d{1,4})?\.jpg$")

_log = log.get(__name__)


class PhotoError(MindError):
    """A photo can't be saved, read or erased."""

    code = "PHOTO_ERROR"


class NoSuchPhoto(InvalidParameter):
    """There is no photo of that name."""

    code = "NOT_FOUND"


@dataclass(frozen=True)
class Photo:
    """A saved photo; `taken` is a Unix time."""

    name: str
    path: Path
    taken: float
    bytes: int

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        taken = datetime.fromtimestamp(self.taken).astimezone().isoformat(timespec="seconds")
        return {"name": self.name, "taken": taken, "bytes": self.bytes}


class Photos:
    """Blocking: call it in a thread. `days` and `most`: how long and how many photos are kept."""

    def __init__(self, folder: Path, *, days: float, most: int) -> None:
        self.folder, self._days, self._most = folder, days, most

    def save(self, picture: Picture, seen: Sequence[DetectedObject] = (), *, person: str = "") -> Photo:
        """Save a photo and delete those over the limits. `person`: who asked for it. Raises PhotoError."""
        data = pictures.encode(picture.pixels)
        with self._translate_errors("kept"):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self._new_path()
            notes = [thing.as_dict() for thing in seen]
            files.write_atomically(path.with_suffix(".json"), json.dumps({"person": person, "seen": notes}).encode())
            files.write_atomically(path, data)
            self._prune()
            return _photo(path)

    def all(self) -> list[Photo]:
        """All photos, newest first. Raises PhotoError."""
        with self._translate_errors("listed"):
            if not self.folder.is_dir():
                return []
            paths = [path for path in self.folder.iterdir() if _NAME.match(path.name)]
        photos = []
        for path in paths:
            with contextlib.suppress(FileNotFoundError):  # erased meanwhile
                photos.append(_photo(path))
        return sorted(photos, key=lambda photo: (photo.taken, photo.name), reverse=True)

    def find(self, name: str = "") -> Photo:
        """The photo of that name; without a name, the newest. Raises NoSuchPhoto."""
        there = self.all()
        if not there:
            raise NoSuchPhoto("there are no photos", hint="take one first")
        if not name:
            return there[0]
        found = next((photo for photo in there if photo.name in (name, f"{name}.jpg")), None)
        if found is None:
            raise NoSuchPhoto(f"there is no photo called {name[:60]!r}", hint=f"the newest is {there[0].name}")
        return found

    def read(self, photo: Photo) -> tuple[Picture, list[DetectedObject]]:
        """The picture and the objects detected when it was taken. Raises PhotoError, InvalidParameter."""
        with self._translate_errors("read"):
            data = photo.path.read_bytes()
            try:
                seen = [_seen(note) for note in _notes(photo.path)["seen"]]
            except (ValueError, KeyError, TypeError):
                seen = []
        return pictures.from_upload(data, time.monotonic()), seen

    def erase(self, name: str) -> Photo:
        """Delete one photo. Raises NoSuchPhoto, PhotoError."""
        photo = self.find(name) if name else None
        if photo is None:
            raise NoSuchPhoto("which photo?", hint="a name from the list, or all")
        self._erase(photo.path)
        return photo

    def erase_all(self) -> int:
        """Delete all photos; returns how many. Raises PhotoError."""
        there = self.all()
        for photo in there:
            self._erase(photo.path)
        return len(there)

    def of_person(self, is_theirs: Callable[[str], bool]) -> list[Photo]:
        """The photos that somebody asked for, newest first. `is_theirs`: whether a noted name is theirs.

        Raises PhotoError.
        """
        return [photo for photo in self.all() if is_theirs(str(_notes(photo.path).get("person", "")))]

    def erase_of_person(self, is_theirs: Callable[[str], bool]) -> int:
        """Delete somebody's photos, with notes whose photo is gone; returns how many. Raises PhotoError."""
        theirs = [photo.path for photo in self.of_person(is_theirs)]
        with self._translate_errors("listed"):
            notes = list(self.folder.glob("*.json"))
        alone = [path for path in notes if not path.with_suffix(".jpg").exists()]
        theirs += [path for path in alone if is_theirs(str(_notes(path).get("person", "")))]
        for path in theirs:
            self._erase(path)
        return len(theirs)

    def _erase(self, path: Path) -> None:
        with self._translate_errors("erased"):
            path.with_suffix(".jpg").unlink(missing_ok=True)
            path.with_suffix(".json").unlink(missing_ok=True)

    def _prune(self) -> None:
        oldest = time.time() - self._days * DAY_S
        for place, photo in enumerate(self.all()):
            if place >= self._most or photo.taken < oldest:
                _log.info("photo erased: too old, or too many", photo=photo.name)
                self._erase(photo.path)

    def _new_path(self) -> Path:
        stem = datetime.fromtimestamp(time.time()).astimezone().strftime("%Y-%m-%d_%H-%M-%S")
        names = (f"{stem}.jpg", *(f"{stem}_{number}.jpg" for number in range(2, 10_000)))
        return next(path for name in names if not (path := self.folder / name).exists())

    @contextlib.contextmanager
    def _translate_errors(self, what: str) -> Any:
        try:
            yield
        except OSError as error:
            fault = classify(error, self.folder)
            hint = fault.hint if fault.kind != "other" else f"may this user write to {self.folder}?"
            if fault.kind == "full":
                hint += "; photos you no longer want: reachy-mind photos list, photos erase NAME"
            raise PhotoError(f"a photo can't be {what}: {fault.cause}", hint=hint) from error


class PersonPhotos:
    """A person's photos, for export and erasure of personal data. `person_id`: the id for a name in any spelling."""

    def __init__(self, photos: Photos, person_id: Callable[[str], str]) -> None:
        self._photos, self._person_id = photos, person_id

    def _are_of(self, person: str) -> Callable[[str], bool]:
        def same(name: str) -> bool:
            try:
                return self._person_id(name) == person
            except InvalidParameter:
                return False

        return same

    async def export(self, person: str) -> list[dict[str, Any]]:
        """Their photos as paths: the pictures are too large to include. Raises PhotoError."""
        photos = await asyncio.to_thread(self._photos.of_person, self._are_of(person))
        return [photo.as_dict() | {"path": str(photo.path)} for photo in photos]

    async def erase(self, person: str) -> int:
        """Delete their photos; returns how many. Raises PhotoError."""
        return await asyncio.to_thread(self._photos.erase_of_person, self._are_of(person))


def _photo(path: Path) -> Photo:
    facts = path.stat()
    return Photo(path.name, path, facts.st_mtime, facts.st_size)


def _notes(path: Path) -> dict[str, Any]:
    """The JSON file beside a photo; empty when it is missing or damaged."""
    try:
        notes = json.loads(path.with_suffix(".json").read_bytes())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _seen(note: dict[str, Any]) -> DetectedObject:
    box = Box(*(float(note["box"][edge]) for edge in ("left", "top", "right", "bottom")))
    away = note.get("distance_m")
    distance = None if away is None else float(away)
    return DetectedObject(
        str(note["name"]), float(note["score"]), box, str(note["detector"]), distance, str(note.get("colour", ""))
    )
