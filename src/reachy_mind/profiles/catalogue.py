"""`Profiles`: every personality there is, by name: the shipped ones and the user's own, which win.

The user's are folders in the data folder's `profiles/` (and in `user_personalities/` there, as the conversation app
has it); pieces for placeholders are in `prompts/` beside them. Nothing is kept in memory: what is on disk counts.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.config import Home
from reachy_mind.profiles.loading import SHIPPED, Loader
from reachy_mind.profiles.profile import (
    DEFAULT,
    NAME,
    RESERVED,
    BrokenProfile,
    Profile,
    Source,
    UnknownProfile,
    plain_name,
)
from reachy_mind.profiles.trust import Trust
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.registry import Registry

MOST = 500


@dataclass(frozen=True)
class Place:
    """Where a profile is."""

    name: str
    folder: Path
    source: Source


class Profiles:
    """All of them. `registry`: the tools they may list; our own, if not given."""

    def __init__(self, home: Home, registry: Registry | None = None) -> None:
        self.folder = home.profiles_folder
        self.trust = Trust(home.trusted_profiles_file)
        if registry is None:
            registry = Registry(TOOLS, ALIASES)
            registry.load_entry_points()
        self._registry = registry

    def names(self) -> list[str]:
        """What one can ask for, broken ones included."""
        return sorted(self.places())

    def places(self) -> dict[str, Place]:
        """Where each is; of two with the same name the user's."""
        found = {place.name: place for place in _places(SHIPPED, "shipped")}
        for folder in (self.folder / "user_personalities", self.folder):
            found |= {place.name: place for place in _places(folder, "user")}
        return found

    def place(self, name: str) -> Place:
        """Raises UnknownProfile."""
        places = self.places()
        if name in places:
            return places[name]
        meant = plain_name(name)
        for known, place in places.items():
            if meant in (known, known.replace("-", "_")):
                return place
        near = difflib.get_close_matches(meant, list(places), n=3, cutoff=0.6)
        known = ", ".join(near or sorted(places)[:20])
        raise UnknownProfile(f"there is no personality called {name[:64]!r}", hint=f"there are: {known}")

    def load(self, name: str) -> Profile:
        """As it is on disk now, also when it is broken. Raises UnknownProfile."""
        return self._loaded([self.place(name)])[0]

    def usable(self, name: str) -> Profile:
        """Raises UnknownProfile, BrokenProfile."""
        profile = self.load(name)
        if profile.broken:
            told = "; ".join([profile.broken, *map(str, profile.problems[:3])])
            raise BrokenProfile(
                f"{profile.name} can't be used: {told}", hint=f"reachy-mind profile check {profile.name}"
            )
        return profile

    def fallback(self) -> Profile:
        """The shipped one to be, when the one that was wished can't be."""
        loader = Loader(self._registry, self.trust, (SHIPPED / "prompts",))
        return loader.load(DEFAULT, SHIPPED / DEFAULT, "shipped", None)

    def all(self) -> list[Profile]:
        """Every profile, broken ones included, by name."""
        found = self._loaded([place for _, place in sorted(self.places().items())])
        return [
            profile for profile in found if not profile.broken or (profile.folder or SHIPPED).exists()
        ]  # put aside meanwhile

    def _loaded(self, places: list[Place]) -> list[Profile]:
        loader = Loader(self._registry, self.trust, (self.folder / "prompts", SHIPPED / "prompts"))
        usual = loader.load(DEFAULT, SHIPPED / DEFAULT, "shipped", None)
        return [
            usual
            if (place.name, place.source) == (DEFAULT, "shipped")
            else loader.load(place.name, place.folder, place.source, usual)
            for place in places
        ]

    def strangers(self) -> list[str]:
        """Folders that look like profiles, but can't be called what they are called."""
        roots = (self.folder, self.folder / "user_personalities")
        return sorted(
            folder.name
            for root in roots
            for folder in _folders(root)
            if folder.name not in RESERVED and not NAME.fullmatch(folder.name)
        )


def _folders(root: Path) -> Iterator[Path]:
    try:
        inside = sorted(root.iterdir())[: 2 * MOST]
    except OSError:
        return
    for folder in inside:
        if not folder.name.startswith(".") and folder.is_dir():
            yield folder


def _places(root: Path, source: Source) -> Iterator[Place]:
    for folder in list(_folders(root))[:MOST]:
        if NAME.fullmatch(folder.name) and folder.name not in RESERVED:
            yield Place(folder.name, folder, source)
