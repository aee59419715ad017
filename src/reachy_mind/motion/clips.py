"""`Clip`: a move kept in a file, with what it is about and the sound that goes with it.

The file is the vendor's recorded-move JSON (see `recording`), the sound a file beside it with the same stem. Files come
from anybody: opening one never waits, never reads more than its share, and never leads out of its folder.
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
from reachy_mind.motion.moves import Frames
from reachy_mind.motion.recording import LARGEST_BYTES, decode, encode, printable

SUFFIX = ".json"
SOUND_SUFFIXES = (".wav", ".ogg", ".mp3", ".flac", ".opus", ".m4a")
LARGEST_SOUND_BYTES = 64 << 20
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that are devices on Windows, where a move may be copied to."""
CHUNK = 1 << 20

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


def clean_name(text: str) -> str:
    """`text` itself, if a move may be called so: it becomes a file name. Raises InvalidParameter otherwise."""
    if not NAME.fullmatch(text):
        raise InvalidParameter(
            f"a move can't be called '{printable(text[:80])}'",
            hint="1 to 64 letters, digits, - and _, not starting with -",
        )
    if RESERVED.fullmatch(text):
        raise InvalidParameter(f"a move can't be called '{text}'", hint="that is the name of a device on some systems")
    return text


def read(file: Path, name: str | None = None) -> Clip:
    """The move in `file`, named after it unless told. Raises MoveInvalid with the file, the place and the reason."""
    try:
        name = clean_name(name or file.stem)
    except InvalidParameter as error:
        raise MoveInvalid(error.message, hint=f"give it another name: {error.hint}") from None
    description, frames = decode(_content(file), str(file))
    return Clip(name, frames, description, _sound_beside(file))


def write(clip: Clip, file: Path, *, overwrite: bool = False) -> None:
    """Keep `clip` in `file`, its sound copied beside it; no reader ever sees half a file.

    Raises InvalidParameter when a move or a sound has that name already, unless `overwrite` is set, MoveInvalid for a
    move that could not be read again, and MindError when the disk says no.
    """
    if file.suffix != SUFFIX:
        raise InvalidParameter(f"{printable(file.name)} is no name for a recorded move", hint=f"it ends in {SUFFIX}")
    clean_name(file.stem)
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
            os.fsync(target.fileno())
        if sound is not None:
            drafts.append(draft.with_suffix(sound.suffix))
            copy_bounded(sound, drafts[1], LARGEST_SOUND_BYTES)
            if not overwrite and sound.resolve() == file.with_suffix(sound.suffix).resolve():
                drafts.pop().unlink()  # it is where it belongs
        place(drafts, file, overwrite=overwrite, kept=sound)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MindError(f"{printable(str(file))} can't be written: {reason}", hint="is there room for it?") from error
    finally:
        for part in drafts:
            with contextlib.suppress(OSError):
                part.unlink()


def place(drafts: Sequence[Path], file: Path, *, overwrite: bool, kept: Path | None = None) -> None:
    """Give finished files on the same disk their names: the first is a move, the second, if there is one, its sound.

    With `overwrite` they take the place of the move of that name and its sounds; without, InvalidParameter is raised if
    there is one, or a sound other than `kept`.
    """
    targets = [file, *(file.with_suffix(draft.suffix) for draft in drafts[1:])]
    others = {file.with_suffix(suffix) for suffix in SOUND_SUFFIXES} - set(targets[1:])
    if overwrite:
        # The sound first: the move is what makes it one.
        for draft, target in reversed(list(zip(drafts, targets, strict=True))):
            draft.replace(target)
        for other in others:
            other.unlink(missing_ok=True)
    else:
        for other in others:
            if os.path.lexists(other) and (kept is None or other.resolve() != kept.resolve()):
                raise _taken(other)
        _link(drafts[0], file)
        for draft, target in zip(drafts[1:], targets[1:], strict=True):
            try:
                _link(draft, target)
            except InvalidParameter:
                file.unlink()
                raise
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def copy_bounded(source: Path, target: Path, most: int) -> None:
    """Copy a regular file of at most `most` bytes to a new file. Raises MoveInvalid."""
    content = _content(source, most)
    with target.open("xb") as file:
        file.write(content)
        os.fsync(file.fileno())


def _unusable(sound: Path, folder: Path) -> str:
    """Why `sound` can't be played with a move in `folder`; empty when it can."""
    try:
        resolved = sound.resolve(strict=True)
        about = resolved.stat()
    except (OSError, RuntimeError) as error:
        return f"can't be read: {error}"
    if resolved.parent != folder.resolve():
        return "leads out of the folder"
    if not stat.S_ISREG(about.st_mode):
        return "is not a file"
    if about.st_size > LARGEST_SOUND_BYTES:
        return f"has more than {LARGEST_SOUND_BYTES >> 20} MiB"
    return ""


def _sound_beside(file: Path) -> Path | None:
    for suffix in SOUND_SUFFIXES:
        sound = file.with_suffix(suffix)
        if os.path.lexists(sound):
            if not (reason := _unusable(sound, file.parent)):
                return sound
            _log.warning("a move is played without its sound", sound=str(sound), reason=reason)
    return None


def _content(file: Path, most: int = LARGEST_BYTES) -> bytes:
    """All of a regular file, if it is not too large; whatever else has this name is not even waited for."""
    try:
        _require_small_file(file, file.stat(), most)  # before opening: some devices act on being opened
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as opened:
            _require_small_file(file, os.fstat(descriptor), most)  # again: it may be another one by now
            content = bytearray()
            while len(content) <= most and (chunk := opened.read(CHUNK)):
                content += chunk
    except OSError as error:
        raise MoveInvalid(f"{printable(str(file))}: {error.strerror or error}", hint="is it the right file?") from None
    except ValueError as error:  # a path that can't be one
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
    """Give a finished file its name, unless that is taken, even by somebody who writes at the same moment."""
    try:
        os.link(content, file)
    except FileExistsError:
        raise _taken(file) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        if os.path.lexists(file):  # a disk without hard links, a USB stick say: the best that can be done there
            raise _taken(file) from None
        content.replace(file)


def _taken(file: Path) -> InvalidParameter:
    return InvalidParameter(f"there is a file {file.name} already", hint="choose another name, or overwrite it")
