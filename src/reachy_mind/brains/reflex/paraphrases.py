"""`Paraphrases`: finds a tool by what a sentence is about, where its own words don't.

The vectors are those of the reader's encoder, each number in units of its spread over shipped sentences. A tool is
found when one of its sentences is nearer than those of any other tool, and nearer than any of the shipped sentences,
which are about everything else that people say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.models.encoder import Array

SENTENCES = Path(__file__).with_name("sentences")
LIKE, MARGIN = 0.5, 0.08
"""How like a sentence of the tool it must be, and by how much more than one of any other tool."""
COMPARED = 60
"""So many shipped sentences. Their vectors take half a second, once; more of them decide nothing better."""
MOST_SENTENCES = 5000
_MARKUP = re.compile(r"<[^<>]*>|^(?:fr|es|de): |^after .*? \| ")

Embed = Callable[[str], Array | None]


@dataclass(frozen=True)
class _Others:
    """What else people say: the mean and the spread of its vectors, and the vectors by these measures."""

    mean: Array
    spread: Array
    vectors: Array

    def measured(self, vector: Array) -> Array:
        scaled = (vector - self.mean) / self.spread
        return np.asarray(scaled / max(float(np.linalg.norm(scaled)), 1e-6), dtype=np.float32)


class Paraphrases:
    """Compares sentences by `embed`. For one thread at a time."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._others: _Others | None = None
        self._known: dict[str, Array | None] = {}

    def tool(self, text: str, sentences: Mapping[str, Sequence[str]]) -> str:
        """The tool whose sentences this one is like; empty when none is clearly meant. `sentences`: by tool."""
        vector = self._embed(text)
        if vector is None or not sentences:
            return ""
        if self._others is None:
            self._others = _others(self._embed)
        meant = self._others.measured(vector)
        near = {name: self._nearest(meant, lines, self._others) for name, lines in sentences.items()}
        best, *rest = sorted(near, key=lambda name: -near[name])
        above = near[best] - (near[rest[0]] if rest else 0.0)
        clear = near[best] > LIKE and above > MARGIN and near[best] > float((self._others.vectors @ meant).max())
        return best if clear else ""

    def _nearest(self, meant: Array, lines: Sequence[str], others: _Others) -> float:
        vectors = [vector for line in lines if (vector := self._vector(line)) is not None]
        return max((float(others.measured(vector) @ meant) for vector in vectors), default=-1.0)

    def _vector(self, line: str) -> Array | None:
        if len(self._known) > MOST_SENTENCES:
            self._known.clear()
        if line not in self._known:
            self._known[line] = self._embed(line)
        return self._known[line]


def _others(embed: Embed) -> _Others:
    vectors = [vector for line in shipped(COMPARED) if (vector := embed(line)) is not None]
    raw = np.stack(vectors)
    found = _Others(raw.mean(0), np.maximum(raw.std(0), 1e-6), raw)
    return _Others(found.mean, found.spread, np.stack([found.measured(vector) for vector in vectors]))


def shipped(count: int | None = None) -> list[str]:
    """The shipped sentences as people say them; with `count` so many of them, evenly out of all. Blocking."""
    texts = (file.read_text(encoding="utf-8") for file in sorted(SENTENCES.glob("*.txt")))
    lines = [line for text in texts for line in text.splitlines() if line.strip() and not line.startswith("#")]
    chosen = lines if count is None else lines[:: max(len(lines) // count, 1)][:count]
    return [_MARKUP.sub("", line).strip() for line in chosen]
