"""Placeholder expansion: `[name]` in instructions includes a prompt file that several profiles share.

A line of nothing but `[identities/witty]` includes `identities/witty.txt`, which may have placeholders itself. Within a
line, brackets count only if such a file exists: people write brackets for other reasons, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from reachy_mind.profiles.profile import Problem
from reachy_mind.profiles.texts import Texts

LONGEST_EXPANSION = 128 << 10
"""Characters of expanded instructions: nested files can multiply."""
DEEPEST_NESTING = 8
_PIECE = r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*"
_ALONE = re.compile(rf"[ \t]*\[({_PIECE})\][ \t]*")
_WITHIN = re.compile(rf"\[({_PIECE})\](?!\()")  # not the text of a Markdown link


class Expansion:
    """Expands placeholders. `prompts`: the folders to search; the first that has the file wins."""

    def __init__(self, prompts: Sequence[Path], texts: Texts) -> None:
        self._prompts = [Texts(folder, f"{folder.name}/") for folder in prompts]
        self._texts = texts
        self._left = LONGEST_EXPANSION

    def expanded(self, text: str, file: str) -> str:
        """Expand a text. Missing files and cycles are left out, and noted as problems."""
        expanded = self._expand(text, self._texts.name(file), ())
        self._texts.problems.extend(problem for prompts in self._prompts for problem in prompts.problems)
        if self._left < 0:
            self._texts.note(
                file, f"with all its placeholders longer than {LONGEST_EXPANSION} characters: the end was left out"
            )
        return expanded.strip()

    def _expand(self, text: str, file: str, stack: tuple[str, ...]) -> str:
        lines = []
        for number, line in enumerate(text.split("\n"), 1):
            if alone := _ALONE.fullmatch(line):
                expanded = self._piece(alone[1], file, number, stack, required=True)
                if expanded is None:
                    continue
            else:
                expanded = _WITHIN.sub(partial(self._substitute, file, number, stack), line)
                self._left -= len(expanded) + 1
            if self._left < 0:
                break
            lines.append(expanded)
        return "\n".join(lines)

    def _substitute(self, file: str, line: int, stack: tuple[str, ...], found: re.Match[str]) -> str:
        expanded = self._piece(found[1], file, line, stack, required=False)
        return found[0] if expanded is None else expanded

    def _piece(self, piece: str, file: str, line: int, stack: tuple[str, ...], *, required: bool) -> str | None:
        if self._left < 0:
            return None
        place = next((prompts for prompts in self._prompts if (prompts.folder / f"{piece}.txt").is_file()), None)
        if place is None:
            if required:
                self._note(file, line, f"there is no prompt called [{piece}]")
            return None
        if piece in stack:
            self._note(file, line, f"placeholders in a circle: {' > '.join((*stack, piece))}")
            return None
        if len(stack) >= DEEPEST_NESTING:
            self._note(file, line, f"placeholders more than {DEEPEST_NESTING} deep: [{piece}] was left out")
            return None
        text = place.read(f"{piece}.txt")
        return None if text is None else self._expand(text, place.name(f"{piece}.txt"), (*stack, piece)).strip("\n")

    def _note(self, file: str, line: int, what: str) -> None:
        self._texts.problems.append(Problem(file, line, what))
