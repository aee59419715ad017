"""`Encoder`: a small BERT in numpy, one vector for each piece of a text. The reader and the embeddings share it.

    pieces -> embeddings -> layers of attention and a wider inner layer, each with its residual and norm

Weights have names of ours (`layers.0.qkv.weight`) and lie as they are saved: a row for each output. Matrices may be
bytes with a `.scale` a row. `minilm` reads all-MiniLM-L6-v2 as it is published.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

WIDTH, HEADS = 384, 12
_OURS = ("word.", "position.", "kind.", "norm.", "layers.")


class Encoder:
    """The layers, ready to compute. `weights` may hold others too; they are left alone."""

    def __init__(self, weights: Mapping[str, NDArray[Any]], layers: int) -> None:
        self._embedding, self._scale = weights["word.weight"], weights.get("word.weight.scale")
        self._weights = {
            name: ready(weights, name)
            for name in weights
            if name.startswith(_OURS) and not name.startswith("word.") and not name.endswith(".scale")
        }
        self._layers = layers

    def states(self, pieces: Sequence[int], kinds: Sequence[int] | None = None) -> Array:
        """A row for each piece. `kinds`: which of two texts each piece belongs to; None: all to the first."""
        w, ids, count = self._weights, list(pieces), len(pieces)
        h = self._embedding[ids].astype(np.float32)
        if self._scale is not None:
            h *= self._scale[ids].astype(np.float32)
        h = h + w["position.weight"][:count] + w["kind.weight"][list(kinds) if kinds is not None else 0]
        h = _normed(h, w["norm.weight"], w["norm.bias"])
        for layer in range(self._layers):
            at = f"layers.{layer}."
            q, k, v = self._linear(h, f"{at}qkv").reshape(count, 3, HEADS, WIDTH // HEADS).transpose(1, 2, 0, 3)
            seen = softmax(q @ k.transpose(0, 2, 1) / np.float32(math.sqrt(WIDTH // HEADS))) @ v
            mixed = self._linear(seen.transpose(1, 0, 2).reshape(count, WIDTH), f"{at}out")
            h = _normed(h + mixed, w[f"{at}norm1.weight"], w[f"{at}norm1.bias"])
            inner = self._linear(gelu(self._linear(h, f"{at}up")), f"{at}down")
            h = _normed(h + inner, w[f"{at}norm2.weight"], w[f"{at}norm2.bias"])
        return h

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]


def ready(weights: Mapping[str, NDArray[Any]], name: str) -> Array:
    """An array as the arithmetic wants it: in full precision, the matrices of layers turned round."""
    array = weights[name]
    full = np.asarray(array, np.float32)
    if array.dtype == np.int8:
        full = full * weights[f"{name}.scale"].astype(np.float32)
    return np.ascontiguousarray(full.T) if full.ndim == 2 and not name.startswith(("position.", "kind.")) else full


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True), np.float32)


def gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + _erf(x * np.float32(math.sqrt(0.5)))), np.float32)


def _erf(x: Array) -> Array:
    """Abramowitz and Stegun 7.1.26: within 2e-7, which is finer than the weights."""
    t = 1 / (1 + np.float32(0.3275911) * np.abs(x))
    rest = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return np.asarray(np.sign(x) * (1 - rest * t * np.exp(-x * x)), np.float32)


def _normed(x: Array, weight: Array, bias: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    even = centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
    return np.asarray(even * weight + bias, np.float32)


def minilm(folder: Path, layers: int = 6) -> tuple[dict[str, Array], list[str]]:
    """The weights of a pulled all-MiniLM-L6-v2 under our names, and its vocabulary. Raises OSError or KeyError."""
    raw = _tensors(folder / "model.safetensors")
    weights = {
        "word.weight": raw["embeddings.word_embeddings.weight"],
        "position.weight": raw["embeddings.position_embeddings.weight"],
        "kind.weight": raw["embeddings.token_type_embeddings.weight"],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    names = {"out": "attention.output.dense", "norm1": "attention.output.LayerNorm", "up": "intermediate.dense",
             "down": "output.dense", "norm2": "output.LayerNorm"}  # fmt: skip
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        for part in ("weight", "bias"):
            attention = [raw[f"{at}attention.self.{name}.{part}"] for name in ("query", "key", "value")]
            weights[f"layers.{layer}.qkv.{part}"] = np.concatenate(attention)
            for ours, theirs in names.items():
                weights[f"layers.{layer}.{ours}.{part}"] = raw[f"{at}{theirs}.{part}"]
    return weights, (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()


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
