"""Making, changing and removing the user's own profiles: only texts, each written whole or not at all.

Python is never written here, and a folder that has any is not removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.profiles.catalogue import ProfilePlace, Profiles
from reachy_mind.profiles.front_matter import FILE as FRONT_MATTER
from reachy_mind.profiles.loading import SHIPPED
from reachy_mind.profiles.phrasebook import phrasing
from reachy_mind.profiles.profile import DEFAULT, Profile, check_name
from reachy_mind.profiles.texts import LARGEST_BYTES, Texts
from reachy_mind.storage.files import write_text_atomically
from reachy_mind.system.durable_files import sync_folder

FILES = {
    "instructions": "instructions.txt",
    "tools": "tools.txt",
    "voice": "voice.txt",
    "greeting": "greeting.txt",
    "about": "about.txt",
    "moves": "moves.txt",
    "manner": "manner.yaml",
}
"""What can be written, and where it is."""
MOST_OWN = 200
REMOVED = ".removed"

Content = Mapping[str, Any]
"""Texts by part; tools and moves may be lists, manner a mapping. An empty one takes the part away."""


class Editor:
    """Changes the profiles on disk. Every method may take a moment."""

    def __init__(self, profiles: Profiles) -> None:
        self._profiles = profiles

    def create(self, name: str, content: Content, *, like: str = "") -> Profile:
        """A new one: the texts of another (`like`), else the default tools, with `content` over them.

        Raises InvalidParameter for a name that is taken or none, or for texts that can't be used; UnknownProfile.
        """
        check_name(name)
        places = self._profiles.places()
        if name in places and places[name].source == "user":
            raise InvalidParameter(f"there is a profile called {name} already", hint="it was not changed")
        if sum(place.source == "user" for place in places.values()) >= MOST_OWN:
            raise InvalidParameter(f"there are {MOST_OWN} profiles already", hint="remove one first")
        origin = self._profiles.place(like).folder if like else None
        texts = _copied(origin) if origin else {"tools.txt": _default_tools()}
        for file, text in _texts(content).items():
            texts[file] = text
        if not texts.get("instructions.txt", "").strip() and FRONT_MATTER not in texts:
            raise InvalidParameter(
                "a profile needs instructions", hint="who it is, and how it speaks, in a few sentences"
            )
        self._put(name, {file: text for file, text in texts.items() if text.strip()})
        return self._profiles.load(name)

    def change(self, name: str, content: Content) -> Profile:
        """Only what is given. Raises UnknownProfile, and InvalidParameter for a shipped one."""
        place = self._own(name)
        texts = _texts(content)
        if "instructions.txt" in texts and not texts["instructions.txt"].strip():
            raise InvalidParameter("a profile needs instructions", hint="leave them out to keep them")
        for file, text in texts.items():
            if text.strip():
                write_text_atomically(place.folder / file, text, mode=0o644)
            else:
                (place.folder / file).unlink(missing_ok=True)
        return self._profiles.load(place.name)

    def remove(self, name: str) -> str:
        """Put one aside, where it can be taken back from: the new place. Raises as `change` does."""
        place = self._own(name)
        others = [file.name for file in place.folder.iterdir() if file.name not in (*FILES.values(), FRONT_MATTER)]
        if others:
            raise InvalidParameter(
                f"{place.name} has more than texts: {', '.join(sorted(others)[:5])}",
                hint=f"remove it by hand: {place.folder}",
            )
        aside = self._profiles.folder / REMOVED / f"{place.name}-{int(time.time() * 1000)}"
        try:
            aside.parent.mkdir(parents=True, exist_ok=True)
            place.folder.rename(aside)
        except OSError as error:
            raise MindError(f"{place.folder} can't be moved: {error.strerror or error}") from error
        self._profiles.trust.forget(place.name)
        return str(aside)

    def _own(self, name: str) -> ProfilePlace:
        place = self._profiles.place(name)
        if place.source == "shipped":
            raise InvalidParameter(
                f"{place.name} comes with the program and can't be changed",
                hint=f"copy it first: reachy-mind profile new my_{place.name} --like {place.name}",
            )
        if place.folder.is_symlink() or not place.folder.resolve().is_relative_to(self._profiles.folder.resolve()):
            raise InvalidParameter(f"{place.folder} is a link", hint="only folders of the data folder are changed")
        return place

    def _put(self, name: str, texts: dict[str, str]) -> None:
        """All of a new folder at once; never over one that is there."""
        root = self._profiles.folder
        try:
            root.mkdir(parents=True, exist_ok=True)
            made = Path(tempfile.mkdtemp(prefix=".new-", dir=root))
            try:
                made.chmod(0o755)
                for file, text in texts.items():
                    write_text_atomically(made / file, text, mode=0o644)
                (root / name).mkdir()  # raises when somebody was faster; an empty one may be replaced
                made.replace(root / name)
                sync_folder(root)
            except BaseException:
                shutil.rmtree(made, ignore_errors=True)
                raise
        except FileExistsError:
            raise InvalidParameter(f"there is a folder called {name} already", hint="it was not changed") from None
        except OSError as error:
            raise MindError(
                f"{root / name} can't be made: {error.strerror or os.strerror(error.errno or 0)}"
            ) from error


def shown(profiles: Profiles, name: str) -> dict[str, Any]:
    """All about a profile; `files` are its texts as they were written, by part. Raises UnknownProfile."""
    profile = profiles.load(name)
    found = _copied(profile.folder) if profile.folder and not profile.folder.is_symlink() else {}
    return profile.described(whole=True) | {
        "files": {part: found[file] for part, file in FILES.items() if file in found}
    }


def _copied(folder: Path) -> dict[str, str]:
    texts = Texts(folder)
    found = {file: texts.read(file) for file in (*FILES.values(), FRONT_MATTER)}
    return {file: text for file, text in found.items() if text is not None}


def _default_tools() -> str:
    return Texts(SHIPPED / DEFAULT).read("tools.txt") or "*\n"


def _texts(content: Content) -> dict[str, str]:
    """File contents, checked. Raises InvalidParameter."""
    made = {}
    for part, value in content.items():
        if part not in FILES:
            raise InvalidParameter(f"a profile has no {part[:40]!r}", hint=f"it has {', '.join(FILES)}")
        text = _text(part, value)
        if len(text.encode("utf-8", "replace")) > LARGEST_BYTES or "\0" in text:
            raise InvalidParameter(f"{part}: text of at most {LARGEST_BYTES >> 10} KiB", hint="make it shorter")
        made[FILES[part]] = text.encode("utf-8", "replace").decode() + ("" if text.endswith("\n") or not text else "\n")
    return made


def _text(part: str, value: Any) -> str:
    if part == "manner" and not isinstance(value, str):
        value = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=1000) if value else ""
    if part in ("tools", "moves") and isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(" ".join(line.split()) for line in value)
    if not isinstance(value, str):
        raise InvalidParameter(f"{part} is no text", hint="tools and moves may be lists, manner an object")
    if part == "manner" and value.strip() and (slips := phrasing(value)[1]):
        raise InvalidParameter(f"manner: line {slips[0][0]}: {slips[0][1]}", hint="keys are those of the phrasebook")
    return value
