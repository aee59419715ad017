"""`Clip`: a recorded move in a file, with its description and sound; reads and writes such files.

The file is the vendor's recorded-move JSON (see `move_format`), the sound a file beside it with the same stem. Files
are untrusted: opening one never blocks, never reads more than a limit, and never follows a link out of its folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from reachy_mind import log
from reachy_mind.errors import InvalidParameter, MindError, MoveInvalid
from reachy_mind.motion.move_format import MAX_BYTES, decode, encode, printable
from reachy_mind.motion.moves import Frames
from reachy_mind.system.durable_files import replace, sync_folder
from reachy_mind.system.file_names import is_device
from reachy_mind.system.open_files import BYTES, NO_WAIT

SUFFIX = ".json"
SOUND_SUFFIXES = (".wav", ".ogg", ".mp3", ".flac", ".opus", ".m4a")
MAX_SOUND_BYTES = 64 << 20
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
"""Device names on Windows, where a move may be copied to."""
CHUNK_BYTES = 1 << 20

_log = log.get(__name__)


@dataclass(frozen=True)
class Clip:
    """A move with a name."""

    name: str
    frames: Frames
    description: str = ""
    sound: Path | None = None

    @property
    def duration(self) -> float:
        return self.frames.duration


def checked_name(text: str) -> str:
    """`text` itself, if it is a valid move name, which becomes a file name. Raises InvalidParameter otherwise."""
    if not NAME.fullmatch(text):
        raise InvalidParameter(
            f"a move can't be called '{printable(text[:80])}'",
            hint="1 to 64 letters, digits, - and _, not starting with -",
        )
    if is_device(text):
        raise InvalidParameter(f"a move can't be called '{text}'", hint="that is the name of a device on some systems")
    return text


def read(file: Path, name: str | None = None) -> Clip:
    """The move in `file`, named after it unless `name` is given. Raises MoveInvalid with file, place and reason."""
    try:
        name = checked_name(name or file.stem)
    except InvalidParameter as error:
        raise MoveInvalid(error.message, hint=f"give it another name: {error.hint}") from None
    description, frames = decode(_read_bounded(file), str(file))
    return Clip(name, frames, description, _sound_beside(file))


def write(clip: Clip, file: Path, *, overwrite: bool = False) -> None:
    """Write `clip` to `file` atomically, with its sound copied beside it.

    Raises InvalidParameter when a move or a sound of that name exists, unless `overwrite` is set, MoveInvalid for a
    move that could not be read back, and MindError when writing fails.
    """
    if file.suffix != SUFFIX:
        raise InvalidParameter(f"{printable(file.name)} is no name for a recorded move", hint=f"it ends in {SUFFIX}")
    checked_name(file.stem)
    content = encode(clip.frames, clip.description)
    sound = clip.sound
    if sound is not None and sound.suffix not in SOUND_SUFFIXES:
        raise InvalidParameter(f"{printable(sound.name)} is no sound", hint=f"one of {' '.join(SOUND_SUFFIXES)}")
    draft = file.parent / f".{file.stem}-{uuid4().hex}"
    drafts = [draft.with_suffix(SUFFIX)]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with drafts[0].open("xb") as target:
            target.write(content)
            target.flush()
            os.fsync(target.fileno())
        if sound is not None:
            drafts.append(draft.with_suffix(sound.suffix))
            copy_bounded(sound, drafts[1], MAX_SOUND_BYTES)
            if not overwrite and sound.resolve() == file.with_suffix(sound.suffix).resolve():
                drafts.pop().unlink()  # it is already in place
        install(drafts, file, overwrite=overwrite, kept=sound)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MindError(f"{printable(str(file))} can't be written: {reason}", hint="is there room for it?") from error
    finally:
        for part in drafts:
            with contextlib.suppress(OSError):
                part.unlink()


def install(drafts: Sequence[Path], file: Path, *, overwrite: bool, kept: Path | None = None) -> None:
    """Move finished files on the same disk to their names: first a move, then its sound, if there is one.

    `overwrite` replaces the move of that name and its sounds. Without it, raises InvalidParameter if the move exists,
    or a sound of that name other than `kept`.
    """
    targets = [file, *(file.with_suffix(draft.suffix) for draft in drafts[1:])]
    others = {file.with_suffix(suffix) for suffix in SOUND_SUFFIXES} - set(targets[1:])
    if overwrite:
        # The sound first: it has no effect until the move exists.
        for draft, target in reversed(list(zip(drafts, targets, strict=True))):
            replace(draft, target)
        for other in others:
            other.unlink(missing_ok=True)
    else:
        for other in others:
            if os.path.lexists(other) and (kept is None or other.resolve() != kept.resolve()):
                raise _name_taken(other)
        _link(drafts[0], file)
        for draft, target in zip(drafts[1:], targets[1:], strict=True):
            try:
                _link(draft, target)
            except InvalidParameter:
                file.unlink()
                raise
    sync_folder(file.parent)


def copy_bounded(source: Path, target: Path, most: int) -> None:
    """Copy a regular file of at most `most` bytes to a new file. Raises MoveInvalid."""
    content = _read_bounded(source, most)
    with target.open("xb") as file:
        file.write(content)
        os.fsync(file.fileno())


def _why_unusable(sound: Path, folder: Path) -> str:
    """Why `sound` can't be used with a move in `folder`; empty when it can."""
    try:
        resolved = sound.resolve(strict=True)
        about = resolved.stat()
    except (OSError, RuntimeError) as error:
        return f"can't be read: {error}"
    if resolved.parent != folder.resolve():
        return "leads out of the folder"
    if not stat.S_ISREG(about.st_mode):
        return "is not a file"
    if about.st_size > MAX_SOUND_BYTES:
        return f"has more than {MAX_SOUND_BYTES >> 20} MiB"
    return ""


def _sound_beside(file: Path) -> Path | None:
    for suffix in SOUND_SUFFIXES:
        sound = file.with_suffix(suffix)
        if os.path.lexists(sound):
            if not (reason := _why_unusable(sound, file.parent)):
                return sound
            _log.warning("the move will play without its sound", sound=str(sound), reason=reason)
    return None


def _read_bounded(file: Path, most: int = MAX_BYTES) -> bytes:
    """The content of a regular file of at most `most` bytes; never blocks on pipes or devices. Raises MoveInvalid."""
    try:
        _require_small_file(file, file.stat(), most)  # before opening: opening a device may have side effects
        descriptor = os.open(file, os.O_RDONLY | NO_WAIT | BYTES)
        with os.fdopen(descriptor, "rb") as opened:
            _require_small_file(file, os.fstat(descriptor), most)  # again: the file may have been replaced
            content = bytearray()
            while len(content) <= most and (chunk := opened.read(CHUNK_BYTES)):
                content += chunk
    except OSError as error:
        raise MoveInvalid(f"{printable(str(file))}: {error.strerror or error}", hint="is it the right file?") from None
    except ValueError as error:  # an invalid path
        raise MoveInvalid(f"{printable(str(file))}: {error}", hint="is it the right file?") from None
    if len(content) > most:
        raise _too_large(file, most)
    return bytes(content)


def _require_small_file(file: Path, about: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(about.st_mode):
        kind = "a folder" if stat.S_ISDIR(about.st_mode) else "a device, a pipe or a socket"
        raise MoveInvalid(f"{printable(str(file))}: is {kind}, not a file", hint="is it the right file?")
    if about.st_size > most:
        raise _too_large(file, most)


def _too_large(file: Path, most: int) -> MoveInvalid:
    return MoveInvalid(f"{printable(str(file))}: has more than {most >> 20} MiB", hint="is it the right file?")


def _link(content: Path, file: Path) -> None:
    """Give a finished file its name, unless it is taken; safe against concurrent writers."""
    try:
        os.link(content, file)
    except FileExistsError:
        raise _name_taken(file) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        if os.path.lexists(file):  # no hard links, on a USB stick for example: check and rename
            raise _name_taken(file) from None
        content.replace(file)


def _name_taken(file: Path) -> InvalidParameter:
    return InvalidParameter(f"there is a file {file.name} already", hint="choose another name, or overwrite it")
