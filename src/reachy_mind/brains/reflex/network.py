"""`Network`: the reader's weights, an encoder and the outputs on top of it, in numpy.

    pieces -> six layers -> one vector a word -> where stretches begin and end, which words are arguments
                         -> one vector a stretch -> its label, its closed arguments, whether it is done later

Weights are kept as bytes, each row with its scale. `learning.reflex` trains the same network.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from reachy_mind.brains.reflex.labels import Inventory
from reachy_mind.errors import MindError
from reachy_mind.models.encoder import Array, Encoder, gelu, ready
from reachy_mind.models.wordpiece import WordPiece

MOST_WORDS, MOST_PIECES = 64, 96
MOST_PIECES_OF_A_WORD = 8
MOST_BEFORE = 12
"""Words about the turn before."""
FORMAT = 1
OUTPUTS = ("places", "tags", "middle", "label", "closed", "later", "language")
"""The outputs on top of the encoder, by how their weights are called."""


class WeightsError(MindError):
    """Weights that can't be used."""

    code = "MODEL_ERROR"


@dataclass(frozen=True)
class Encoded:
    """A sentence as numbers: its pieces, which of them tell of the turn before, and where each word begins."""

    pieces: list[int]
    kinds: list[int]
    firsts: list[int]


def encode(words: Sequence[str], before: Sequence[str], pieces: WordPiece) -> Encoded:
    """As the network takes it; words that don't fit are left out at the end."""
    ids, kinds = [pieces.start], [0]
    if before:
        for word in before[:MOST_BEFORE]:
            ids += pieces.word(word, MOST_PIECES_OF_A_WORD)
        ids.append(pieces.end)
        kinds = [0] + [1] * (len(ids) - 1)
    firsts: list[int] = []
    for word in words[:MOST_WORDS]:
        cut = pieces.word(word, MOST_PIECES_OF_A_WORD)
        if len(ids) + len(cut) > MOST_PIECES - 1:
            break
        firsts.append(len(ids))
        ids += cut
    ids.append(pieces.end)
    return Encoded(ids, kinds + [0] * (len(ids) - len(kinds)), firsts)


class Network:
    """Weights, and what comes out of them."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        meta = json.loads(bytes(arrays["meta"]).decode())
        if meta.get("format") != FORMAT:
            raise WeightsError(
                f"weights of format {meta.get('format')}, not {FORMAT}",
                hint="train them anew: reachy-mind learn reflex",
            )
        self.meta: dict[str, Any] = meta
        steps = {
            label: {name: None if values is None else tuple(values) for name, values in arguments.items()}
            for label, arguments in meta["steps"].items()
        }
        self.inventory = Inventory(steps, tuple(meta["talk"]))
        self.pieces = WordPiece(bytes(arrays["vocabulary"]).decode().split("\n"))
        self._encoder = Encoder(arrays, int(meta["layers"]))
        heads = (name for name in arrays if name.startswith(OUTPUTS) and not name.endswith(".scale"))
        self._heads = {name: ready(arrays, name) for name in heads}

    @classmethod
    def load(cls, file: Path) -> Network:
        """Raises WeightsError for a file that is missing or none of ours."""
        try:
            with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
                return cls(dict(arrays.items()))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise WeightsError(
                f"{file.name} can't be read: {error}",
                hint="put the shipped one back, or train: reachy-mind learn reflex",
            ) from error

    def states(self, encoded: Encoded) -> tuple[Array, Array]:
        """A vector for each word, and one for the sentence."""
        h = self._encoder.states(encoded.pieces, encoded.kinds)
        return h[encoded.firsts], h[0]

    def stretch(self, words: Array, sentence: Array, first: int, last: int) -> Array:
        """A vector for the words from `first` up to `last`."""
        part = words[first:last]
        whole = np.concatenate([part.mean(0), part.max(0), words[first], sentence])
        return gelu(self.linear(whole, "middle"))

    def linear(self, x: Array, name: str) -> Array:
        return x @ self._heads[f"{name}.weight"] + self._heads[f"{name}.bias"]


def packed(weights: dict[str, NDArray[np.float32]], vocabulary: Sequence[str], meta: dict[str, Any]) -> dict[str, Any]:
    """Arrays to be saved: matrices of layers as bytes with a scale a row, the rest in half precision."""
    out: dict[str, Any] = {
        "meta": np.frombuffer(json.dumps(meta | {"format": FORMAT}).encode(), np.uint8),
        "vocabulary": np.frombuffer("\n".join(vocabulary).encode(), np.uint8),
    }
    for name, value in weights.items():
        if value.ndim == 2 and name not in ("position.weight", "kind.weight"):
            scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-8) / 127
            out[name] = np.round(value / scale).astype(np.int8)
            out[f"{name}.scale"] = scale.astype(np.float32)
        else:
            out[name] = value.astype(np.float16)
    return out
