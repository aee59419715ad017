"""Unpacks fetched parts to files on disk, and verifies them later against a manifest of hashes."""

from __future__ import annotations

import fnmatch
import gzip
import hashlib
import json
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models.assets import Asset, Join, Untar, Unzip, Whole
from reachy_mind.models.file_hashing import CancelFlag, copy, sha256_of

MANIFEST = ".manifest.json"
MAX_EXCESS = 2
"""Archives that would grow to more than this multiple of the size in the catalogue are refused."""


@dataclass(frozen=True)
class Manifest:
    """What was unpacked: the asset's edition, and sha256 and size of each file by its path."""

    edition: str
    files: dict[str, tuple[str, int]]

    @classmethod
    def read(cls, folder: Path) -> Manifest | None:
        """The manifest of an unpacked asset; None when it is missing or unreadable."""
        try:
            found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            files = {str(path): (str(sha256), int(size)) for path, (sha256, size) in found["files"].items()}
            return cls(str(found["edition"]), files)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def write(self, folder: Path) -> None:
        with _new_file(folder / MANIFEST) as file:
            file.write(json.dumps({"edition": self.edition, "files": self.files}, indent=1).encode())


@dataclass(frozen=True)
class Verification:
    """How the files on disk differ from the manifest."""

    name: str
    files: int
    bytes: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def intact(self) -> bool:
        return not (self.changed or self.missing or self.extra)

    def differences(self) -> list[str]:
        kinds = (("changed", self.changed), ("missing", self.missing), ("extra", self.extra))
        return [f"{kind} {path}" for kind, paths in kinds for path in paths]


def unpack(stop: CancelFlag, asset: Asset, parts: list[Path], folder: Path) -> None:
    """Unpack the fetched `parts` into the empty `folder` by the asset's rules, and write the manifest last.

    Raises AssetError when a part is not the archive the rules expect, is damaged or much larger than the catalogue
    says, or holds a name that would leave `folder`.
    """
    files: dict[str, tuple[str, int]] = {}
    for rule in asset.layout:
        match rule:
            case Join():
                files.update(_join(stop, rule, _named(parts, rule.parts), folder))
            case Unzip():
                files.update(_unzip(stop, rule, _named(parts, rule.parts), folder, MAX_EXCESS * asset.unpacked_size))
            case Untar():
                (part,) = _named(parts, rule.parts)
                files.update(_untar(stop, rule, part, folder, MAX_EXCESS * asset.unpacked_size))
            case Whole():
                files[rule.filename] = _whole(stop, asset.parts[0].sha256, parts[0], folder / rule.filename)
    Manifest(asset.edition, files).write(folder)


def verify(stop: CancelFlag, name: str, folder: Path, manifest: Manifest) -> Verification:
    """Hash every file in `folder` again and compare it with the manifest."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or path.is_file()}
    changed = []
    for path, (sha256, size) in manifest.files.items():
        file = folder / path
        if path in there and (file.is_symlink() or file.stat().st_size != size or sha256_of(stop, file) != sha256):
            changed.append(path)
    return Verification(
        name=name,
        files=len(manifest.files),
        bytes=sum(size for _, size in manifest.files.values()),
        changed=tuple(sorted(changed)),
        missing=tuple(sorted(manifest.files.keys() - there)),
        extra=tuple(sorted(there - manifest.files.keys() - {MANIFEST})),
    )


def _named(parts: list[Path], pattern: str) -> list[Path]:
    return [part for part in parts if fnmatch.fnmatchcase(part.name, pattern)]


def _unzip(
    stop: CancelFlag, rule: Unzip, parts: list[Path], folder: Path, max_bytes: int
) -> dict[str, tuple[str, int]]:
    files = {}
    for part in parts:
        with _archive(part) as archive:
            members = _members(archive, rule.pattern, rule.skip)
            stated = sum(member.file_size for member in members)  # no more than that is ever read of a member
            if stated > max_bytes:
                raise AssetError(f"{part.name} would take {stated / 1e6:.0f} MB, not {max_bytes / 1e6:.0f} at most")
            for member in members:
                path = _safe_path(member.filename, rule.strip, part, link=stat.S_ISLNK(member.external_attr >> 16))
                digest = hashlib.sha256()
                with archive.open(member) as source, _new_file(folder / path) as target:
                    size = copy(stop, source, target, digest)
                files[path] = (digest.hexdigest(), size)
    if not files:
        raise AssetError(f"nothing in {', '.join(part.name for part in parts)} matches {rule.pattern}")
    return files


def _untar(stop: CancelFlag, rule: Untar, part: Path, folder: Path, max_bytes: int) -> dict[str, tuple[str, int]]:
    files: dict[str, tuple[str, int]] = {}
    unpacked = 0
    try:
        with tarfile.open(part) as archive:
            for member in archive:
                stop.check()
                if member.isdir() or not fnmatch.fnmatchcase(member.name, rule.pattern):
                    continue
                path = _safe_path(member.name, rule.strip, part, link=not member.isreg())
                unpacked += member.size
                if unpacked > max_bytes:
                    raise AssetError(f"{part.name} would take more than {max_bytes / 1e6:.0f} MB")
                source, digest = archive.extractfile(member), hashlib.sha256()
                assert source is not None, "a regular file"
                with _new_file(folder / path) as target:
                    size = copy(stop, source, target, digest)
                files[path] = (digest.hexdigest(), size)
    except (tarfile.TarError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, EOFError) as error:
        raise AssetError(f"{part.name} can't be unpacked: {error}") from None
    if not files:
        raise AssetError(f"nothing in {part.name} matches {rule.pattern}")
    return files


def _join(stop: CancelFlag, rule: Join, parts: list[Path], folder: Path) -> dict[str, tuple[str, int]]:
    digest, size = hashlib.sha256(), 0
    with _new_file(folder / rule.filename) as target:
        for part in parts:
            with _content(part, rule.member) as source:
                size += copy(stop, source, target, digest)
    if digest.hexdigest() != rule.sha256:
        raise HashMismatch(
            f"{rule.filename}, joined from {len(parts)} parts: expected sha256 {rule.sha256}, got {digest.hexdigest()}"
        )
    return {rule.filename: (rule.sha256, size)}


def _whole(stop: CancelFlag, sha256: str, part: Path, target: Path) -> tuple[str, int]:
    """A downloaded part is linked, so that a killed pull still has it; a person's own file is copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    linked = False
    if part.parent == target.parent.parent:
        with suppress(OSError):  # a disk without hard links
            os.link(part, target)
            linked = True
    if not linked:
        with part.open("rb") as source, _new_file(target) as file:
            copy(stop, source, file, hashlib.sha256())
    with target.open("rb") as file:
        os.fsync(file.fileno())
    if (got := sha256_of(stop, target)) != sha256:
        raise HashMismatch(f"{target.name} has the wrong hash: expected sha256 {sha256}, got {got}")
    return sha256, target.stat().st_size


@contextmanager
def _content(part: Path, member: str) -> Iterator[IO[bytes]]:
    if not member:
        with part.open("rb") as file:
            yield file
        return
    with _archive(part) as archive:
        found = _members(archive, member, ())
        if len(found) != 1:
            raise AssetError(f"{part.name} has {len(found)} members that match {member}, not one")
        with archive.open(found[0]) as file:
            yield file


@contextmanager
def _archive(part: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(part) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError) as error:  # or a password is needed
        raise AssetError(f"{part.name} can't be unpacked: {error}") from None


def _members(archive: zipfile.ZipFile, pattern: str, skip: tuple[str, ...]) -> list[zipfile.ZipInfo]:
    return [
        member
        for member in archive.infolist()
        if fnmatch.fnmatchcase(member.filename, pattern)
        and not member.is_dir()
        and not any(fnmatch.fnmatchcase(member.filename, other) for other in skip)
    ]


def _safe_path(name: str, strip: str, part: Path, *, link: bool) -> str:
    """The member's path in the asset's folder. Raises AssetError for a path outside of it, or a link."""
    path = PurePosixPath(name.removeprefix(strip))
    if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name:
        raise AssetError(f"{part.name} holds a file that would land outside its folder: {name}")
    if link:
        raise AssetError(f"{part.name} holds a symbolic link: {name}")
    return str(path)


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Create a new file, and fsync it when the block ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
