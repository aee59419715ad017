"""Search every file of a folder for traces of erased text."""

from __future__ import annotations

from pathlib import Path


def traces(folder: Path, *words: str) -> list[str]:
    """Which of these words stand in which files."""
    held = {file: file.read_bytes().lower() for file in folder.rglob("*") if file.is_file()}
    return [f"{word} in {file.name}" for file, text in held.items() for word in words if word.lower().encode() in text]
