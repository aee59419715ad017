"""`RewardModel`: the reward that some words give, as a distribution, from an encoder of our own in numpy.

    words -> pieces -> six layers -> one vector -> how likely each reward from -1 to 1 is, whether it is a stop

The word vectors are those of the reflex brain's reader, so that they are shipped once. `learning.reward` trains the
same network. Confidence is the calibrated probability that the reward is within 0.25 of what the person would say.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from reachy_mind.brains.reflex import reader
from reachy_mind.brains.reflex.network import WeightsError
from reachy_mind.models.encoder import Array, Encoder, gelu, ready, softmax
from reachy_mind.models.wordpiece import WordPiece

WEIGHTS = Path(__file__).with_name("reward_weights.npz")
FORMAT = 1
MOST_PIECES = 64
LONGEST_TEXT = 1000
"""Characters that are read: feedback is short, and what comes later says no more."""
OUTPUTS = ("middle", "anchors", "stop")
ANCHORS: Array = np.linspace(-1, 1, 21, dtype=np.float32)
"""The rewards that the model weighs."""
TOLERANCE = 0.25
"""A reward this near counts as the same."""
NEUTRAL = 0.15
"""Rewards nearer to zero have no sign."""
NEUTRAL_CORRECTION = 0.3
"""How likely a correction is to be neutral, against other words that seem as neutral."""
_STEP = 0.05
_GRID: Array = np.linspace(-1, 1, 41, dtype=np.float32)
_GAIN: Array = (np.abs(ANCHORS[:, None] - _GRID) < TOLERANCE + 1e-3) + np.float32(0.3) * np.exp(
    -0.5 * ((ANCHORS[:, None] - _GRID) / 0.15) ** 2
)
"""What saying a reward of the grid is worth, for each that may be true: near enough counts, and nearer is better."""
_REPEATED = re.compile(r"([^\W\d_])\1{2,}")
_JOINERS = frozenset((0x200D, 0xFE0E, 0xFE0F, *range(0x1F3FB, 0x1F400)))
"""Characters that change how an emoji looks, not what it means."""


@dataclass(frozen=True)
class RewardEstimate:
    """What the model makes of some words. `stop` is the log odds that they are a stop."""

    reward: float
    confidence: float
    stop: float
    distribution: tuple[float, ...]
    """How likely each of `ANCHORS` is."""


class RewardModel:
    """Weights, and the reward that comes out of them. Safe to use from a thread."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        meta = json.loads(bytes(arrays["meta"]).decode())
        if meta.get("format") != FORMAT:
            raise WeightsError(
                f"reward weights of format {meta.get('format')}, not {FORMAT}",
                hint="put the shipped ones back: reachy-mind learn reward --reset",
            )
        words = word_vectors()
        if meta["words"] != words.digest:
            raise WeightsError(
                "the reward weights belong to other word vectors than those of the reflex brain",
                hint="train them anew: reachy-mind learn reward --from-scratch",
            )
        self.meta: dict[str, Any] = meta
        self._pieces = WordPiece(words.vocabulary)
        self._encoder = Encoder({**arrays, **words.arrays}, int(meta["layers"]))
        heads = (name for name in arrays if name.startswith(OUTPUTS) and not name.endswith(".scale"))
        self._heads = {name: ready(arrays, name) for name in heads}
        self._temperature = float(meta.get("temperature", 1.0))
        self._arithmetic = ThreadpoolController().select(user_api="blas")

    @classmethod
    def load(cls, file: Path = WEIGHTS) -> RewardModel:
        """The model with these weights; minds of one process share it. Raises WeightsError."""
        return _loaded(file, file.stat().st_mtime_ns if file.exists() else 0)

    def estimate(self, text: str, *, corrects: bool = False) -> RewardEstimate:
        """The reward that a text gives. One that `corrects` what was done is hardly neutral."""
        with self._arithmetic.limit(limits=1):
            h = self._encoder.states(encode(text, self._pieces))
            vector = gelu(self._linear(np.concatenate([h.mean(0), h[0]]), "middle"))
            scores, stop = self._linear(vector, "anchors"), self._linear(vector, "stop")
        chances = softmax(scores / np.float32(self._temperature))
        if corrects:
            chances = np.where(np.abs(ANCHORS) < NEUTRAL, chances * np.float32(NEUTRAL_CORRECTION), chances)
            chances /= chances.sum()
        reward = decided(chances)
        near = chances[np.abs(ANCHORS - reward) < TOLERANCE + 1e-3].sum()
        return RewardEstimate(reward, float(min(near, 1.0)), float(stop[1] - stop[0]), tuple(map(float, chances)))

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._heads[f"{name}.weight"] + self._heads[f"{name}.bias"]


def decided(chances: Array) -> float:
    """The reward to say: the one that is most likely near enough, on the side of zero that is more likely."""
    positive = chances[ANCHORS > NEUTRAL].sum() >= chances[ANCHORS < -NEUTRAL].sum()
    worth = np.where(_GRID > _STEP / 2 if positive else _GRID < -_STEP / 2, chances @ _GAIN, -1)
    return round(float(_GRID[int(worth.argmax())]), 2)


def encode(text: str, pieces: WordPiece) -> list[int]:
    """The pieces of a text, as the network takes them."""
    return pieces.encode(spelled_out(text[:LONGEST_TEXT]), MOST_PIECES)


def spelled_out(text: str) -> str:
    """Emoji as the words of their names, and no letter more than twice in a row."""
    out = [f" {_name(c)} " if _is_picture(c) else c for c in text if ord(c) not in _JOINERS]
    return _REPEATED.sub(r"\1\1", "".join(out).replace("\u2019", "'"))


def _is_picture(c: str) -> bool:
    return unicodedata.category(c) == "So" or 0x1F000 <= ord(c) <= 0x1FAFF


def _name(c: str) -> str:
    return unicodedata.name(c, "").lower().replace(" sign", "")


@dataclass(frozen=True)
class WordVectors:
    """The word vectors that are shared with the reader, their pieces, and by what they are told from others."""

    arrays: Mapping[str, NDArray[Any]]
    vocabulary: Sequence[str]
    digest: int


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """Those of the shipped reader: one that was taught sentences of one's own may have others. Raises WeightsError."""
    names = ("word.weight", "word.weight.scale")
    try:
        with np.load(reader.WEIGHTS, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in names}
            vocabulary = bytes(arrays["vocabulary"]).decode().split("\n")
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise WeightsError(f"{reader.WEIGHTS.name} can't be read: {error}", hint="put the shipped one back") from error
    return WordVectors(found, vocabulary, zlib.crc32(found["word.weight"].tobytes()))


@lru_cache(maxsize=2)
def _loaded(file: Path, changed_at: int) -> RewardModel:  # noqa: ARG001 -- a new file is another model
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            return RewardModel(dict(arrays.items()))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise WeightsError(
            f"{file.name} can't be read: {error}",
            hint="put the shipped one back, or train: reachy-mind learn reward",
        ) from error
