"""`WorktreeFiles`: files of a working tree, read and written without ever leaving it.

Every folder on the way is opened by itself and never through a link, so that nothing can lead elsewhere, nor be put in
its place meanwhile. The git folder is neither read nor written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

from reachy_mind.developer.errors import PathRefused
from reachy_mind.developer.workspace import is_git_name
from reachy_mind.errors import InvalidParameter
from reachy_mind.system.open_files import FOLDER, NO_LINK, NO_WAIT, require_folder_descriptors

MAX_READ_BYTES = 4 << 20
MAX_WRITE_BYTES = 4 << 20
MAX_PATH_BYTES = 2000
MAX_DEPTH = 60
Kind = Literal["file", "folder", "link", "other"]


@dataclass(frozen=True)
class FileEntry:
    """Something in a folder: its name, what it is, and its size where it is a file."""

    name: str
    kind: Kind
    size: int = 0


@dataclass(frozen=True)
class FileContent:
    """The beginning of a file, and how long the whole file is."""

    data: bytes
    size: int

    @property
    def binary(self) -> bool:
        return b"\0" in self.data[:8000]


def checked_path(path: str, *, folder: bool = False) -> str:
    """A path below the repository in its plain form; empty for the repository itself, where `folder` allows it.

    Raises PathRefused, InvalidParameter.
    """
    text = path.strip() if path.strip() else path
    if "\0" in text or len(os.fsencode(text)) > MAX_PATH_BYTES:
        raise InvalidParameter("this is no path", hint="one below the repository, such as src/main.py")
    if text.startswith(("/", "~")) or "\\" in text:
        raise PathRefused(f"{text[:80]!r} is not below the repository", hint="a path such as src/main.py")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise PathRefused(f"{text[:80]!r} leads out of the repository", hint="a path such as src/main.py")
    if any(is_git_name(part) for part in parts):
        raise PathRefused("the git folder is not open to this", hint="github_status, github_log and others show it")
    if len(parts) > MAX_DEPTH or (not parts and not folder):
        raise InvalidParameter("this is no path of a file", hint="one below the repository, such as src/main.py")
    return "/".join(parts)


class WorktreeFiles:
    """The files below a folder. Every method blocks, and raises PathRefused or InvalidParameter."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str, max_bytes: int = MAX_READ_BYTES) -> FileContent:
        """The beginning of a file."""
        with self._parent(checked_path(path)) as (folder, name):
            descriptor = _opened(name, os.O_RDONLY | NO_WAIT, folder, path)
            with os.fdopen(descriptor, "rb") as file:
                found = os.fstat(descriptor)
                if not stat.S_ISREG(found.st_mode):
                    raise PathRefused(f"{path[:80]!r} is no file", hint="github_list_files lists folders")
                return FileContent(file.read(max_bytes), found.st_size)

    def exists(self, path: str) -> bool:
        """Whether there is anything of this name, also a link."""
        try:
            with self._parent(checked_path(path)) as (folder, name):
                os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, InvalidParameter):
            return False
        return True

    def changed_at(self, path: str) -> float | None:
        """The Unix time at which a file was last changed in any way; None without one."""
        try:
            with self._parent(checked_path(path)) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ctime
        except (FileNotFoundError, InvalidParameter):
            return None

    def remove(self, path: str) -> None:
        """Remove a plain file."""
        with self._parent(checked_path(path)) as (folder, name):
            if _mode_before(name, folder, path) is None:
                raise InvalidParameter(f"there is no {path[:80]!r}", hint="github_list_files shows what there is")
            os.unlink(name, dir_fd=folder)

    def write(self, path: str, data: bytes) -> bool:
        """Write a whole file, with the folders on the way. Returns whether it is a new one."""
        if len(data) > MAX_WRITE_BYTES:
            raise InvalidParameter(f"{len(data)} bytes are too many", hint=f"at most {MAX_WRITE_BYTES}")
        with self._parent(checked_path(path), make=True) as (folder, name):
            mode = _mode_before(name, folder, path)
            part = f".{uuid4().hex}.part"
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o644, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    if mode is not None and hasattr(os, "fchmod"):
                        os.fchmod(descriptor, mode)
                # The new file takes the place of the old one, whatever else that one was also called.
                os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(part, dir_fd=folder)
                raise
            return mode is None

    def listed(self, path: str, most: int) -> tuple[list[FileEntry], int]:
        """The first `most` entries of a folder, folders first, and how many there are; not the git folder."""
        plain = checked_path(path, folder=True)
        with self._folder(plain.split("/") if plain else []) as folder:
            names = sorted(name for name in os.listdir(folder) if not is_git_name(name))  # noqa: PTH208 -- of a descriptor
            found = [_entry(name, folder) for name in names]
        found.sort(key=lambda entry: (entry.kind != "folder", entry.name.casefold()))
        return found[:most], len(found)

    @contextlib.contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        *folders, name = path.split("/")
        with self._folder(folders, make=make) as folder:
            yield folder, name

    @contextlib.contextmanager
    def _folder(self, parts: list[str], *, make: bool = False) -> Iterator[int]:
        require_folder_descriptors("files of a repository")
        flags = os.O_RDONLY | FOLDER | NO_LINK
        here = os.open(self._root, flags)
        try:
            for part in parts:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, 0o755, dir_fd=here)
                inner = _opened(part, flags, here, "/".join(parts))
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


def _opened(name: str, flags: int, folder: int, path: str) -> int:
    try:
        return os.open(name, flags | NO_LINK, dir_fd=folder)
    except FileNotFoundError:
        raise InvalidParameter(f"there is no {path[:80]!r}", hint="github_list_files shows what there is") from None
    except OSError as error:
        if _is_link(name, folder):
            raise PathRefused(
                f"{path[:80]!r} goes through a link, which is not followed", hint="name the file itself"
            ) from None
        if error.errno in (errno.ENOTDIR, errno.EISDIR):
            raise InvalidParameter(f"{path[:80]!r} is not what it is taken for", hint="github_list_files") from None
        raise PathRefused(f"{path[:80]!r} can't be opened: {error.strerror}", hint="github_list_files") from None


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _mode_before(name: str, folder: int, path: str) -> int | None:
    """The permissions of the file that is there; None where there is none. Raises PathRefused for anything else."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise PathRefused(f"{path[:80]!r} is a link, which is not followed", hint="name the file itself")
    if not stat.S_ISREG(found.st_mode):
        raise PathRefused(f"{path[:80]!r} is no file", hint="github_list_files shows what there is")
    return stat.S_IMODE(found.st_mode) & 0o755


def _entry(name: str, folder: int) -> FileEntry:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return FileEntry(name, "other")
    if stat.S_ISREG(found.st_mode):
        return FileEntry(name, "file", found.st_size)
    if stat.S_ISDIR(found.st_mode):
        return FileEntry(name, "folder")
    return FileEntry(name, "link" if stat.S_ISLNK(found.st_mode) else "other")
