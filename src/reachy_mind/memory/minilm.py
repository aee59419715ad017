"""all-MiniLM-L6-v2: a sentence becomes a vector whose direction is its meaning. Runs in a worker process.

pieces -> six layers of attention -> the mean over all pieces -> length one
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

# Matrices this small are slower on several cores than on one, and much slower where the others are busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from numpy.typing import NDArray

from reachy_mind.models.encoder import WIDTH, Array, Encoder, minilm
from reachy_mind.models.wordpiece import WordPiece

LAYERS = 6
MOST_PIECES = 256


class Hosted:
    """The model, in the worker's process. Raises OSError or KeyError for a folder that does not hold it."""

    def __init__(self, folder: str) -> None:
        weights, vocabulary = minilm(Path(folder), LAYERS)
        self._encoder, self._pieces = Encoder(weights, LAYERS), WordPiece(vocabulary)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """A row for each text, of length one."""
        rows = [self._sentence(text) for text in texts]
        return np.asarray(rows, np.float16).reshape(len(texts), WIDTH)

    def _sentence(self, text: str) -> Array:
        mean = self._encoder.states(self._pieces.encode(text, MOST_PIECES)).mean(0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)
