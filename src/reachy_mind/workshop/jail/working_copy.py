"""The copy of a folder that a program works on. The folder itself is only read.

    overlay   what is changed goes into a layer above the folder; takes no time, however large the folder is
    copy      where the kernel has no overlay for us: the files are copied, up to a limit

Afterwards it tells what was changed, by looking: nothing that ran in it is asked.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CHUNK = 1 << 20
MAX_LEVELS = 100


class TooLarge(Exception):
    """The folder has more files, or more in them, than may be copied."""


@dataclass(frozen=True)
class Difference:
    """A path that is not what it was: new, changed, deleted, or something that is no file ("other")."""

    path: str
    kind: str
    size: int = 0
    file: int = -1
    """A descriptor to read it from, until the next one is asked for."""


class WorkingCopy(Protocol):
    """The copy, after the program ended."""

    kind: str

    def differences(self) -> Iterator[Difference]: ...


@dataclass
class OverlayCopy:
    """Layers: `lower` is the folder, `upper` what was changed, `merged` what the program saw. All are descriptors."""

    lower: int
    upper: int
    merged: int
    hidden: str
    kind: str = "overlay"

    def differences(self) -> Iterator[Difference]:
        yield from self._within("", self.lower, self.upper, self.merged, 0)

    def _within(self, prefix: str, lower: int | None, upper: int, merged: int, level: int) -> Iterator[Difference]:
        seen = set(os.listdir(merged))
        for name in sorted(set(os.listdir(lower)) - seen) if lower is not None else ():
            yield Difference(prefix + name, "deleted")
        for name in sorted(os.listdir(upper)):
            if name not in seen or (not prefix and name == self.hidden):
                continue
            mode = os.stat(name, dir_fd=upper, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                yield from self._folder(f"{prefix}{name}/", name, lower, upper, merged, level)
            elif not stat.S_ISREG(mode):
                yield Difference(prefix + name, "other")
            else:
                yield from _compared(prefix + name, name, lower, upper)

    def _folder(
        self, prefix: str, name: str, lower: int | None, upper: int, merged: int, level: int
    ) -> Iterator[Difference]:
        with contextlib.ExitStack() as stack:
            inner_upper, inner_merged = _entered(stack, name, upper), _entered(stack, name, merged)
            inner_lower = _entered(stack, name, lower) if lower is not None else None
            if inner_upper is None or inner_merged is None or level >= MAX_LEVELS:
                yield Difference(prefix[:-1], "other")
                return
            yield from self._within(prefix, inner_lower, inner_upper, inner_merged, level + 1)


@dataclass
class FolderCopy:
    """Copied files, and how each looked when it was copied."""

    folder: int
    hidden: str
    copied: dict[str, tuple[int, ...]] = field(default_factory=dict)
    kind: str = "copy"

    @classmethod
    def of(cls, source: int, target: int, *, hidden: str, owner: int | None, most_bytes: int, most: int) -> FolderCopy:
        """Copy a folder into an empty one. Raises `TooLarge`."""
        made = cls(target, hidden)
        made._copy("", source, target, owner, [most_bytes, most], 0)
        return made

    def differences(self) -> Iterator[Difference]:
        left = dict(self.copied)
        yield from self._within("", self.folder, left, 0)
        for path in sorted(left):
            yield Difference(path, "deleted")

    def _within(self, prefix: str, folder: int, left: dict[str, tuple[int, ...]], level: int) -> Iterator[Difference]:
        for name in sorted(os.listdir(folder)):
            path = prefix + name
            if path == self.hidden:
                continue
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            before = left.pop(path, None)
            if stat.S_ISDIR(found.st_mode):
                with contextlib.ExitStack() as stack:
                    inner = _entered(stack, name, folder)
                    if inner is None or level >= MAX_LEVELS:
                        yield Difference(path, "other")
                    else:
                        yield from self._within(f"{path}/", inner, left, level + 1)
            elif before == _look(found):
                continue
            elif not stat.S_ISREG(found.st_mode):
                yield Difference(path, "other")
            else:
                yield from _readable(path, "new" if before is None else "changed", name, folder)

    def _copy(self, prefix: str, source: int, target: int, owner: int | None, left: list[int], level: int) -> None:
        for name in os.listdir(source):
            if not prefix and name == self.hidden:
                continue
            found = os.stat(name, dir_fd=source, follow_symlinks=False)
            left[1] -= 1
            if left[1] < 0 or level > MAX_LEVELS:
                raise TooLarge("it has too many files to be copied")
            if stat.S_ISDIR(found.st_mode):
                os.mkdir(name, 0o755, dir_fd=target)
                with contextlib.ExitStack() as stack:
                    inner, new = _entered(stack, name, source), _entered(stack, name, target)
                    if inner is not None and new is not None:
                        self._copy(f"{prefix}{name}/", inner, new, owner, left, level + 1)
            elif stat.S_ISLNK(found.st_mode):
                os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            elif stat.S_ISREG(found.st_mode):
                _copy_file(name, source, target, left)
            else:
                continue
            if owner is not None:
                os.chown(name, owner, owner, dir_fd=target, follow_symlinks=False)
            if not stat.S_ISDIR(found.st_mode):
                self.copied[prefix + name] = _look(os.stat(name, dir_fd=target, follow_symlinks=False))


def _copy_file(name: str, source: int, target: int, left: list[int]) -> None:
    descriptor = os.open(name, FILE, dir_fd=source)
    with open(descriptor, "rb", buffering=0) as reading:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o777
        new = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=target)
        with open(new, "wb", buffering=0) as writing:
            while chunk := reading.read(CHUNK):
                left[0] -= len(chunk)
                if left[0] < 0:
                    raise TooLarge("its files are too large to be copied")
                writing.write(chunk)
            os.fchmod(new, mode)


def _look(found: os.stat_result) -> tuple[int, ...]:
    """What no program can set back once it changed a file."""
    return found.st_ino, found.st_size, found.st_ctime_ns


def _compared(path: str, name: str, lower: int | None, upper: int) -> Iterator[Difference]:
    before = _opened(name, lower) if lower is not None else None
    try:
        for difference in _readable(path, "new" if before is None else "changed", name, upper):
            if before is None or difference.file < 0 or not _same(before, difference.file):
                yield difference
    finally:
        if before is not None:
            os.close(before)


def _readable(path: str, kind: str, name: str, folder: int) -> Iterator[Difference]:
    file = _opened(name, folder)
    if file is None:
        yield Difference(path, "other")
        return
    try:
        yield Difference(path, kind, os.fstat(file).st_size, file)
    finally:
        os.close(file)


def _same(one: int, other: int) -> bool:
    if os.fstat(one).st_size != os.fstat(other).st_size:
        return False
    place = 0
    while chunk := os.pread(one, CHUNK, place):
        if chunk != os.pread(other, CHUNK, place):
            return False
        place += len(chunk)
    return True


def _opened(name: str, folder: int) -> int | None:
    """A descriptor of a plain file; None for anything else, and for one that can't be read."""
    try:
        file = os.open(name, FILE, dir_fd=folder)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    return None


def _entered(stack: contextlib.ExitStack, name: str, folder: int) -> int | None:
    """A descriptor of a folder until the stack ends; None where there is none that can be opened."""
    try:
        inner = os.open(name, FOLDER, dir_fd=folder)
    except OSError:
        return None
    stack.callback(os.close, inner)
    return inner
