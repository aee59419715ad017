"""`Profiles`: the catalogue of profiles by name: the shipped ones and the user's own, which take precedence.

The user's are folders in the data folder's `profiles/` (and in `user_personalities/` there, as in the conversation
app); texts for placeholders are in `prompts/` beside them. Nothing is cached: every call reads the disk.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.profiles.loading import SHIPPED, ProfileLoader
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
from reachy_mind.profiles.trust import CodeTrust
from reachy_mind.storage.home import Home
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.registry import Registry

MOST_PROFILES = 500


@dataclass(frozen=True)
class ProfilePlace:
    """The folder of a profile."""

    name: str
    folder: Path
    source: Source


class Profiles:
    """`registry`: the tools that profiles may list; the built-in ones by default."""

    def __init__(self, home: Home, registry: Registry | None = None) -> None:
        self.folder = home.profiles_folder
        self.trust = CodeTrust(home.trusted_profiles_file)
        if registry is None:
            registry = Registry(TOOLS, ALIASES)
            registry.load_entry_points()
        self._registry = registry

    def names(self) -> list[str]:
        """All names, broken profiles included."""
        return sorted(self.places())

    def places(self) -> dict[str, ProfilePlace]:
        """All profile folders by name; of two with the same name the user's."""
        found = {place.name: place for place in _places(SHIPPED, "shipped")}
        for folder in (self.folder / "user_personalities", self.folder):
            found |= {place.name: place for place in _places(folder, "user")}
        return found

    def place(self, name: str) -> ProfilePlace:
        """The folder of a profile; case and spaces don't matter. Raises UnknownProfile."""
        places = self.places()
        if name in places:
            return places[name]
        wanted = plain_name(name)
        for known, place in places.items():
            if wanted in (known, known.replace("-", "_")):
                return place
        similar = difflib.get_close_matches(wanted, list(places), n=3, cutoff=0.6)
        known = ", ".join(similar or sorted(places)[:20])
        raise UnknownProfile(f"there is no personality called {name[:64]!r}", hint=f"there are: {known}")

    def load(self, name: str) -> Profile:
        """Load a profile, also when it is broken. Raises UnknownProfile."""
        return self._load_all([self.place(name)])[0]

    def usable(self, name: str) -> Profile:
        """Load a profile that can be used. Raises UnknownProfile, BrokenProfile."""
        profile = self.load(name)
        if profile.broken:
            reasons = "; ".join([profile.broken, *map(str, profile.problems[:3])])
            raise BrokenProfile(
                f"{profile.name} can't be used: {reasons}", hint=f"reachy-mind profile check {profile.name}"
            )
        return profile

    def fallback(self) -> Profile:
        """The shipped default profile, for when the configured one can't be used."""
        loader = ProfileLoader(self._registry, self.trust, (SHIPPED / "prompts",))
        return loader.load(DEFAULT, SHIPPED / DEFAULT, "shipped", None)

    def all(self) -> list[Profile]:
        """Every profile, broken ones included, by name."""
        found = self._load_all([place for _, place in sorted(self.places().items())])
        return [
            profile for profile in found if not profile.broken or (profile.folder or SHIPPED).exists()
        ]  # not those deleted meanwhile

    def _load_all(self, places: list[ProfilePlace]) -> list[Profile]:
        loader = ProfileLoader(self._registry, self.trust, (self.folder / "prompts", SHIPPED / "prompts"))
        default = loader.load(DEFAULT, SHIPPED / DEFAULT, "shipped", None)
        return [
            default
            if (place.name, place.source) == (DEFAULT, "shipped")
            else loader.load(place.name, place.folder, place.source, default)
            for place in places
        ]

    def invalid_folders(self) -> list[str]:
        """Names of folders that can't be profiles, because the name is invalid."""
        roots = (self.folder, self.folder / "user_personalities")
        return sorted(
            folder.name
            for root in roots
            for folder in _folders(root)
            if folder.name not in RESERVED and not NAME.fullmatch(folder.name)
        )


def _folders(root: Path) -> Iterator[Path]:
    try:
        inside = sorted(root.iterdir())[: 2 * MOST_PROFILES]
    except OSError:
        return
    for folder in inside:
        if not folder.name.startswith(".") and folder.is_dir():
            yield folder


def _places(root: Path, source: Source) -> Iterator[ProfilePlace]:
    for folder in list(_folders(root))[:MOST_PROFILES]:
        if NAME.fullmatch(folder.name) and folder.name not in RESERVED:
            yield ProfilePlace(folder.name, folder, source)
