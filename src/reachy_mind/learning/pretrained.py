"""What a training begins with: a general language model (the catalogue's `language-base`), or weights of our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.brains.reflex.labels import Inventory
from reachy_mind.brains.reflex.network import MOST_PIECES, Network
from reachy_mind.models.encoder import minilm


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
    """The weights of a pulled model, with as many positions as the reader has."""
    weights, vocabulary = minilm(folder, layers)
    return Start(weights | {"position.weight": weights["position.weight"][:MOST_PIECES]}, vocabulary, layers)
