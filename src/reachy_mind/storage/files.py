"""Small files: atomic writes (a reader, or a crash, finds the old content or the new), and which files are trusted."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from reachy_mind.errors import ConfigError
from reachy_mind.storage.faults import classify
from reachy_mind.system.durable_files import replace, sync_file, sync_folder
from reachy_mind.system.private_files import belongs_to_another, others_may, restrict_new_folder, user_id


def read_user_file(path: Path, max_bytes: int = 1 << 20) -> tuple[str, int]:
    """The text and mode of a file that the user edits by hand; ("", 0o600) without one. Raises as `read_own_file`."""
    return read_own_file(path, max_bytes) or ("", 0o600)


def read_own_file(path: Path, max_bytes: int = 1 << 20) -> tuple[str, int] | None:
    """The text and mode of a file; None when nothing is there.

    Raises ConfigError when it can't be read, and for a file that somebody else could have written: `require_own_file`.
    """
    try:
        about = require_own_file(path)
        if about is None:
            return None
        if about.st_size > max_bytes:
            raise ConfigError(f"{path} is larger than {max_bytes >> 10} KiB", hint="is it the right file?")
        return path.read_text(encoding="utf-8"), stat.S_IMODE(about.st_mode)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}", hint="is it yours, and a text file?") from error


def require_own_file(path: Path, shared: int = stat.S_IWGRP | stat.S_IWOTH) -> os.stat_result | None:
    """The state of a file that decides what the robot may do; None when nothing is there.

    Raises ConfigError for anything but a regular file of this user or root that nobody else can write to. `shared`: the
    mode bits that are refused; a group of the user's own is nobody else. A link is followed; one that leads nowhere is
    not the same as no file. Raises OSError.
    """
    try:
        link = path.lstat()
    except FileNotFoundError:
        _require_no_dangling_link(*path.parents)  # an unmounted disk is not an empty folder
        return None
    except NotADirectoryError:
        file = next(parent for parent in path.parents if parent.exists())
        hint = "remove it, or choose another data folder with REACHY_MIND_HOME"
        raise ConfigError(f"{path} can't be read: {file} is a file, not a folder", hint=hint) from None
    _require_no_dangling_link(path)
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        kind = "a directory" if stat.S_ISDIR(about.st_mode) else "a device, a pipe or a socket"
        raise ConfigError(f"{path} is {kind}, not a file", hint="move it away, or put the file in its place")
    for each in (link, about):
        if belongs_to_another(each):
            hint = f"read it, then make it yours: chown {user_id()} {path}"
            raise ConfigError(f"{path} belongs to another user ({each.st_uid})", hint=hint)
    alone = about.st_gid == about.st_uid != 0  # a group of its user's own, whose files have mode 664 on many systems
    if others_may(about, shared & ~stat.S_IWGRP if alone else shared):
        who = "everybody" if about.st_mode & stat.S_IWOTH else "its group"
        raise ConfigError(f"{path} can be written by {who}", hint=f"read it, then: chmod go-w {path}")
    return about


def _require_no_dangling_link(*places: Path) -> None:
    for place in places:
        if place.is_symlink() and not place.exists():
            hint = "put back what it leads to, or remove the link"
            raise ConfigError(f"{place} is a link to {place.readlink()}, which is not there", hint=hint)


def make_folder(folder: Path) -> None:
    """Create a folder for the user alone, with its parents, so that it is still there after a power cut.

    Raises OSError.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for created in reversed(missing):
        created.mkdir(exist_ok=True, mode=0o700)  # `parents=True` would make the upper ones readable by all
        if created == missing[-1]:  # the others are in it
            restrict_new_folder(created)
        sync_folder(created.parent)
    folder.mkdir(exist_ok=True)  # raises when it is a file


def write_atomically(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a temporary file, sync it to disk and rename it to `path`. Creates missing folders.

    Replaces a symbolic link, does not write through it. Raises OSError.
    """
    make_folder(path.parent)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            sync_file(file.fileno())
        partial.chmod(mode)
        replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_text_atomically(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`write_atomically` for text. Raises ConfigError with a hint when the file can't be written."""
    try:
        write_atomically(path, text.encode(), mode=mode)
    except OSError as error:
        fault = classify(error, path)
        raise ConfigError(f"{path} can't be written: {fault.cause}", hint=fault.hint) from error
