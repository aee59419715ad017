"""What a training begins with: a general language model (the catalogue's `language-base`), or weights of our own."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.brains.reading.labels import Inventory
from reachy_mind.brains.reading.network import MOST_PIECES, Network


@dataclass(frozen=True)
class Start:
    """What training begins with: weights by name, their vocabulary, and what their outputs mean, if they have any."""

    weights: dict[str, np.ndarray]
    vocabulary: Sequence[str]
    layers: int
    inventory: Inventory | None = None

    @classmethod
    def saved(cls, file: Path) -> Start:
        """From weights that were trained before. Raises WeightsError."""
        network = Network.load(file)
        with np.load(file, allow_pickle=False) as arrays:
            weights = {
                name: arrays[name] * arrays[f"{name}.scale"] if arrays[name].dtype == np.int8 else arrays[name]
                for name in arrays.files
                if name not in ("meta", "vocabulary") and not name.endswith(".scale")
            }
            vocabulary = bytes(arrays["vocabulary"]).decode().split("\n")
        return cls(weights, vocabulary, int(network.meta["layers"]), network.inventory)


def start_from(folder: Path, layers: int = 6) -> Start:
    """The weights of a pulled model, under our names."""
    raw = (folder / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8 : 8 + size])

    def tensor(name: str) -> np.ndarray:
        entry = head[name]
        begin, end = entry["data_offsets"]
        kind = {"F32": np.float32, "F16": np.float16}[entry["dtype"]]
        return np.frombuffer(raw[8 + size + begin : 8 + size + end], kind).reshape(entry["shape"]).astype(np.float32)

    out = {
        "word.weight": tensor("embeddings.word_embeddings.weight"),
        "position.weight": tensor("embeddings.position_embeddings.weight")[:MOST_PIECES],
        "kind.weight": tensor("embeddings.token_type_embeddings.weight"),
        "norm.weight": tensor("embeddings.LayerNorm.weight"),
        "norm.bias": tensor("embeddings.LayerNorm.bias"),
    }
    names = {"out": "attention.output.dense", "norm1": "attention.output.LayerNorm", "up": "intermediate.dense",
             "down": "output.dense", "norm2": "output.LayerNorm"}  # fmt: skip
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        for part in ("weight", "bias"):
            attention = [tensor(f"{at}attention.self.{name}.{part}") for name in ("query", "key", "value")]
            out[f"layers.{layer}.qkv.{part}"] = np.concatenate(attention)
            for ours, theirs in names.items():
                out[f"layers.{layer}.{ours}.{part}"] = tensor(f"{at}{theirs}.{part}")
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return Start(out, vocabulary, layers)
