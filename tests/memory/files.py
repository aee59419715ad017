"""Search every file of a folder for traces of erased text."""

from __future__ import annotations

from pathlib import Path


def traces(folder: Path, *words: str) -> list[str]:
    """Which of these words stand in which files, or in their names; as UTF-8 or UTF-16, in any case."""
    found = []
    for file in folder.rglob("*"):
        held = file.read_bytes().lower() if file.is_file() else b""
        for word in words:
            spellings = [word.lower().encode(coding) for coding in ("utf-8", "utf-16-le", "utf-16-be")]
            if word.lower() in file.name.lower() or any(spelling in held for spelling in spellings):
                found.append(f"{word} in {file.name}")
    return found
