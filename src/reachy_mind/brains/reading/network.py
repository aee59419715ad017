"""The network's arithmetic, in numpy: a small transformer and the outputs on top of it.

    pieces -> six layers -> one vector a word -> where stretches begin and end, which words are arguments
                         -> one vector a stretch -> its label, its closed arguments, whether it is done later

Weights are kept as bytes, each row with its scale. `learning.reflex` trains the same network.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from reachy_mind.brains.reading.labels import Inventory
from reachy_mind.brains.reading.pieces import Pieces
from reachy_mind.errors import MindError

Array = NDArray[np.float32]

WIDTH, HEADS = 384, 12
MOST_WORDS, MOST_PIECES = 64, 96
MOST_BEFORE = 12
"""Words about the turn before."""
FORMAT = 1


class WeightsError(MindError):
    """Weights that can't be used."""

    code = "MODEL_ERROR"


@dataclass(frozen=True)
class Encoded:
    """A sentence as numbers: its pieces, which of them tell of the turn before, and where each word begins."""

    pieces: list[int]
    kinds: list[int]
    firsts: list[int]


def encode(words: Sequence[str], before: Sequence[str], pieces: Pieces) -> Encoded:
    """As the network takes it; words that don't fit are left out at the end."""
    ids, kinds = [pieces.start], [0]
    if before:
        for word in before[:MOST_BEFORE]:
            ids += pieces.of(word)
        ids.append(pieces.end)
        kinds = [0] + [1] * (len(ids) - 1)
    firsts: list[int] = []
    for word in words[:MOST_WORDS]:
        cut = pieces.of(word)
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
        self.pieces = Pieces(bytes(arrays["vocabulary"]).decode().split("\n"))
        self._embedding, self._embedding_scale = arrays["word.weight"], arrays["word.weight.scale"].astype(np.float32)
        self._weights: dict[str, Array] = {}
        for name, array in arrays.items():
            if name in ("meta", "vocabulary") or name.endswith(".scale") or name == "word.weight":
                continue
            full = array.astype(np.float32)
            if array.dtype == np.int8:
                full *= arrays[f"{name}.scale"].astype(np.float32)
                full = np.ascontiguousarray(full.T)
            self._weights[name] = full
        self._layers = int(meta["layers"])

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
        w, ids = self._weights, encoded.pieces
        count = len(ids)
        h = self._embedding[ids].astype(np.float32) * self._embedding_scale[ids]
        h = h + w["position.weight"][:count] + w["kind.weight"][encoded.kinds]
        h = _normed(h, w["norm.weight"], w["norm.bias"])
        for layer in range(self._layers):
            at = f"layers.{layer}."
            q, k, v = self.linear(h, f"{at}qkv").reshape(count, 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
            seen = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)) @ v
            mixed = self.linear(seen.transpose(1, 0, 2).reshape(count, WIDTH), f"{at}out")
            h = _normed(h + mixed, w[f"{at}norm1.weight"], w[f"{at}norm1.bias"])
            inner = self.linear(_gelu(self.linear(h, f"{at}up")), f"{at}down")
            h = _normed(h + inner, w[f"{at}norm2.weight"], w[f"{at}norm2.bias"])
        return h[encoded.firsts], h[0]

    def stretch(self, words: Array, sentence: Array, first: int, last: int) -> Array:
        """A vector for the words from `first` up to `last`."""
        part = words[first:last]
        whole = np.concatenate([part.mean(0), part.max(0), words[first], sentence])
        return _gelu(self.linear(whole, "middle"))

    def linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


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


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), np.float32)


def _normed(x: Array, weight: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12) * weight + bias)


def _gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + _erf(x * np.float32(math.sqrt(0.5)))), np.float32)


def _erf(x: Array) -> Array:
    """Abramowitz and Stegun 7.1.26: within 2e-7, which is finer than the weights."""
    t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
    rest = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return np.asarray(np.sign(x) * (1 - rest * t * np.exp(-x * x)), np.float32)
