"""`[placeholder]`: pieces of instructions that several profiles share, from folders of prompts.

A line that is nothing but `[identities/witty]` stands for `identities/witty.txt`, whose text may have placeholders of
its own. Within a line one counts only where there is such a piece: people write brackets for other reasons, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from reachy_mind.profiles.profile import Problem
from reachy_mind.profiles.texts import Texts

LARGEST = 128 << 10
"""Characters of instructions, all pieces put in: a few files may name one another very often."""
DEEPEST = 8
_PIECE = r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*"
_ALONE = re.compile(rf"[ \t]*\[({_PIECE})\][ \t]*")
_WITHIN = re.compile(rf"\[({_PIECE})\](?!\()")  # not the text of a Markdown link


class Expansion:
    """Puts pieces in their places. `prompts` are the folders they are looked for in, the first that has one wins."""

    def __init__(self, prompts: Sequence[Path], texts: Texts) -> None:
        self._prompts = [Texts(folder, f"{folder.name}/") for folder in prompts]
        self._texts = texts
        self._left = LARGEST

    def expanded(self, text: str, file: str) -> str:
        """All of it, with what is missing or goes in circles named and left out."""
        made = self._of(text, self._texts.name(file), ())
        self._texts.problems.extend(problem for prompts in self._prompts for problem in prompts.problems)
        if self._left < 0:
            self._texts.note(file, f"with all its placeholders longer than {LARGEST} characters: the end was left out")
        return made.strip()

    def _of(self, text: str, file: str, inside: tuple[str, ...]) -> str:
        lines = []
        for number, line in enumerate(text.split("\n"), 1):
            if alone := _ALONE.fullmatch(line):
                made = self._piece(alone[1], file, number, inside, required=True)
                if made is None:
                    continue
            else:
                made = _WITHIN.sub(partial(self._instead, file, number, inside), line)
                self._left -= len(made) + 1
            if self._left < 0:
                break
            lines.append(made)
        return "\n".join(lines)

    def _instead(self, file: str, line: int, inside: tuple[str, ...], found: re.Match[str]) -> str:
        made = self._piece(found[1], file, line, inside, required=False)
        return found[0] if made is None else made

    def _piece(self, piece: str, file: str, line: int, inside: tuple[str, ...], *, required: bool) -> str | None:
        if self._left < 0:
            return None
        place = next((prompts for prompts in self._prompts if (prompts.folder / f"{piece}.txt").is_file()), None)
        if place is None:
            if required:
                self._note(file, line, f"there is no prompt called [{piece}]")
            return None
        if piece in inside:
            self._note(file, line, f"placeholders in a circle: {' > '.join((*inside, piece))}")
            return None
        if len(inside) >= DEEPEST:
            self._note(file, line, f"placeholders more than {DEEPEST} deep: [{piece}] was left out")
            return None
        text = place.read(f"{piece}.txt")
        return None if text is None else self._of(text, place.name(f"{piece}.txt"), (*inside, piece)).strip("\n")

    def _note(self, file: str, line: int, what: str) -> None:
        self._texts.problems.append(Problem(file, line, what))
