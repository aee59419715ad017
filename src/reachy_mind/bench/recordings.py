"""Recordings of one's own for `bench speech --recordings DIR`: sound files, each with a .txt of what is said in it."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.speech import sound_files

SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3")
LONGEST_S = 120.0
HINT = "put sound files there, each with its words in a .txt of the same name: look_left.wav, look_left.txt"
Clip = tuple[str, bytes]


def read_recordings(folder: Path) -> list[Clip]:
    """Texts and sounds of a folder, in the order of the names. Raises InvalidParameter, which names the file, for a
    sound without words or one that can't be read, and where there is nothing."""
    if not folder.is_dir():
        raise InvalidParameter(f"{folder} is no folder", hint=HINT)
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        raise InvalidParameter(f"there are no sound files in {folder}", hint=HINT)
    return [(_text(file), _sound(file)) for file in files]


def _text(file: Path) -> str:
    try:
        text = " ".join(file.with_suffix(".txt").read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"the words of {file.name} can't be read: {error}", hint=HINT) from None
    if not any(map(str.isalnum, text)):
        raise InvalidParameter(f"there are no words in {file.with_suffix('.txt').name}", hint=HINT)
    return text


def _sound(file: Path) -> bytes:
    try:
        return sound_files.read_pcm(file.read_bytes(), LONGEST_S)
    except MindError as error:
        raise InvalidParameter(f"{file.name} can't be read: {error.message}", hint=sound_files.HINT) from None
