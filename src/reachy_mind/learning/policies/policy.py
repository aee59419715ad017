"""`Policy`: a small network from observations to actions, in numpy, in one file with what it was trained on.

A file is an `.npz`: arrays `weight_0, bias_0, ...`, `mean` and `scale` of the observations, and `meta` (JSON: task,
algorithm, figures). It is read without pickle. Hidden layers are tanh; the output is tanh too, so actions are in -1..1.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import AssetError

Weights = NDArray[np.float32]


class Actor(Protocol):
    """Whatever decides: a policy, a controller, an expert."""

    def act(self, observations: Weights) -> Weights:
        """Actions in -1..1 for observations (rows)."""
        ...


@dataclass(frozen=True)
class Policy:
    """Layers are (weights (in, out), bias (out))."""

    layers: Sequence[tuple[Weights, Weights]]
    mean: Weights
    scale: Weights
    meta: Mapping[str, Any] = field(default_factory=dict)

    def act(self, observations: Weights) -> Weights:
        hidden = (np.asarray(observations, np.float32) - self.mean) / self.scale
        for weights, bias in self.layers:
            hidden = np.tanh(hidden @ weights + bias)
        return hidden

    def to_bytes(self) -> bytes:
        arrays: dict[str, Any] = {"mean": self.mean, "scale": self.scale}
        for index, (weights, bias) in enumerate(self.layers):
            arrays |= {f"weight_{index}": weights, f"bias_{index}": bias}
        arrays["meta"] = np.frombuffer(json.dumps(dict(self.meta)).encode(), np.uint8)
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "policy") -> Policy:
        """Raises AssetError for what is no policy."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                count = sum(key.startswith("weight_") for key in file)
                layers = [(file[f"weight_{index}"], file[f"bias_{index}"]) for index in range(count)]
                policy = cls(layers, file["mean"], file["scale"], json.loads(bytes(file["meta"]).decode()))
            sizes = [policy.mean.shape[0], *(weights.shape[1] for weights, _ in layers)]
            fits = all(weights.shape[0] == size for size, (weights, _) in zip(sizes, layers, strict=False))
            finite = all(np.isfinite(array).all() for layer in layers for array in layer)
            if not (layers and fits and finite):
                raise ValueError("layers that don't fit, or numbers that are none")
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, IndexError, zlib.error) as error:
            raise AssetError(
                f"{name} is no policy: {error}", hint="train it again, or use an earlier version"
            ) from error
        return policy

    @classmethod
    def load(cls, file: Path) -> Policy:
        try:
            return cls.from_bytes(file.read_bytes(), file.name)
        except OSError as error:
            raise AssetError(f"{file.name} can't be read: {error}") from error
