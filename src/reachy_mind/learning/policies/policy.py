"""`Policy`: a small network from observations to actions, in numpy, in one file with what it was trained on.

A file is an `.npz`: arrays `weight_0, bias_0, ...`, `mean` and `scale` of the observations, and `meta` (JSON: task,
algorithm, figures), and, if the training gave one, the `Experience` (`experience_...`). It is read without pickle.
Hidden layers are tanh; the output is tanh too, so actions are in -1..1.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import AssetError
from reachy_mind.learning.policies.experience import Experience

Weights = NDArray[np.float32]
MOST_BYTES = 8 * 1024 * 1024
"""Of a file when unpacked: two million numbers, where a policy of ours has a few thousand."""


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
    experience: Experience | None = None

    @property
    def observation_size(self) -> int:
        return int(self.mean.shape[0])

    @property
    def action_size(self) -> int:
        return int(self.layers[-1][1].shape[0])

    def act(self, observations: Weights) -> Weights:
        return forward(observations, self.mean, self.scale, self.layers)

    def to_bytes(self) -> bytes:
        arrays: dict[str, Any] = {"mean": self.mean, "scale": self.scale}
        for index, (weights, bias) in enumerate(self.layers):
            arrays |= {f"weight_{index}": weights, f"bias_{index}": bias}
        if self.experience is not None:
            arrays |= self.experience.arrays()
        arrays["meta"] = np.frombuffer(json.dumps(dict(self.meta)).encode(), np.uint8)
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "policy") -> Policy:
        """Raises AssetError for what is no policy: damaged, too large, sizes that don't fit, numbers that are none."""
        try:
            arrays = _arrays(content)
            meta = json.loads(bytes(arrays.pop("meta").astype(np.uint8)).decode())
            if not isinstance(meta, dict):
                raise TypeError("its description is no object")
            count = sum(key.startswith("weight_") for key in arrays)
            layers = [(_numbers(arrays[f"weight_{at}"]), _numbers(arrays[f"bias_{at}"])) for at in range(count)]
            policy = cls(
                layers, _numbers(arrays["mean"]), _numbers(arrays["scale"]), meta, Experience.from_arrays(arrays)
            )
            _check_sizes(policy)
        except (
            OSError,
            ValueError,
            KeyError,
            EOFError,
            MemoryError,
            TypeError,
            zipfile.BadZipFile,
            zlib.error,
        ) as error:
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


def forward(observations: Weights, mean: Weights, scale: Weights, layers: Sequence[tuple[Weights, Weights]]) -> Weights:
    """The output of the network for observations (rows)."""
    hidden = (np.asarray(observations, np.float32) - mean) / scale
    for weights, bias in layers:
        hidden = np.tanh(hidden @ weights + bias)
    return hidden


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        unpacked = sum(entry.file_size for entry in packed.infolist())
    if unpacked > MOST_BYTES:
        raise ValueError(f"{unpacked} bytes, where {MOST_BYTES} are allowed")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return {key: file[key] for key in file}


def _numbers(array: NDArray[Any]) -> Weights:
    if array.dtype.kind != "f":
        raise ValueError(f"numbers of the type {array.dtype}")
    with np.errstate(over="ignore"):
        numbers: Weights = array.astype(np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("numbers that are none")
    return numbers


def _check_sizes(policy: Policy) -> None:
    size = policy.mean.shape
    fits = bool(policy.layers) and len(size) == 1 and policy.scale.shape == size
    for weights, bias in policy.layers:
        fits = fits and weights.ndim == 2 and weights.shape[:1] == size and bias.shape == weights.shape[1:]
        size = bias.shape
    if policy.experience is not None:
        fits = fits and policy.experience.mean.shape == policy.mean.shape
    if not fits:
        raise ValueError("layers that don't fit")
    if not (policy.scale > 0.0).all():
        raise ValueError("a scale that is not positive")
