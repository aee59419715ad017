"""all-MiniLM-L6-v2 in numpy: a sentence becomes a vector whose direction is its meaning. Runs in a worker process.

pieces -> six layers of attention -> the mean over all pieces -> length one
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Sequence
from pathlib import Path

# Matrices this small are slower on several cores than on one, and much slower where the others are busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from numpy.typing import NDArray

from reachy_mind.memory.wordpiece import Wordpieces

Array = NDArray[np.float32]
WIDTH, HEADS, LAYERS = 384, 12, 6
MOST_PIECES = 256


class Hosted:
    """The model, in the worker's process. Raises OSError or KeyError for a folder that does not hold it."""

    def __init__(self, folder: str) -> None:
        self._weights = _ready(_tensors(Path(folder) / "model.safetensors"))
        vocabulary = (Path(folder) / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self._pieces = Wordpieces(vocabulary)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """A row for each text, of length one."""
        rows = [self._sentence(text) for text in texts]
        return np.asarray(rows, np.float16).reshape(len(texts), WIDTH)

    def _sentence(self, text: str) -> Array:
        ids = self._pieces.encode(text, MOST_PIECES)
        count, w = len(ids), self._weights
        h = w["embeddings.word_embeddings.weight"][ids]
        h = h + w["embeddings.position_embeddings.weight"][:count] + w["embeddings.token_type_embeddings.weight"][0]
        h = self._normed(h, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}"
            all_three = self._linear(h, f"{at}.attention.self").reshape(count, 3, HEADS, WIDTH // HEADS)
            q, k, v = all_three.transpose(1, 2, 0, 3)
            weights = q @ k.transpose(0, 2, 1) / np.float32(math.sqrt(WIDTH // HEADS))
            weights = np.exp(weights - weights.max(-1, keepdims=True))
            seen = (weights / weights.sum(-1, keepdims=True)) @ v
            mixed = self._linear(seen.transpose(1, 0, 2).reshape(count, WIDTH), f"{at}.attention.output.dense")
            h = self._normed(h + mixed, f"{at}.attention.output.LayerNorm")
            inner = _gelu(self._linear(h, f"{at}.intermediate.dense"))
            h = self._normed(h + self._linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        mean = h.mean(0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)

    def _linear(self, x: Array, name: str) -> Array:
        return np.asarray(x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"], np.float32)

    def _normed(self, x: Array, name: str) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        even = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
        return np.asarray(even * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"], np.float32)


def _gelu(x: Array) -> Array:
    """With Abramowitz and Stegun 7.1.26 for the error function: within 2e-7."""
    z = x * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * np.abs(z))
    rest = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return np.asarray(0.5 * x * (1 + np.sign(z) * (1 - rest * t * np.exp(-z * z))), np.float32)


def _ready(raw: dict[str, Array]) -> dict[str, Array]:
    """As the arithmetic wants them: matrices turned round, those of query, key and value in one. Half as long, all in
    all."""
    weights = {name: array for name, array in raw.items() if ".self." not in name}
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}.attention.self"
        for part in ("weight", "bias"):
            weights[f"{at}.{part}"] = np.concatenate([raw[f"{at}.{name}.{part}"] for name in ("query", "key", "value")])
    return {
        name: np.ascontiguousarray(array.T) if name.startswith("encoder") and array.ndim == 2 else array
        for name, array in weights.items()
    }


def _tensors(file: Path) -> dict[str, Array]:
    """A safetensors file: the length of its head, the head (JSON: type, shape, place), the numbers."""
    raw = file.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + size])
    kinds = {"F32": np.float32, "F16": np.float16}
    found: dict[str, Array] = {}
    for name, entry in head.items():
        if name == "__metadata__" or entry["dtype"] not in kinds:
            continue
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(raw, kinds[entry["dtype"]], offset=8 + size + begin, count=math.prod(entry["shape"]))
        assert numbers.nbytes == end - begin
        found[name] = numbers.reshape(entry["shape"]).astype(np.float32)
    return found
