"""`KeywordNetwork`: for every 20 ms of sound, how likely each keyword has just been said.

A convolution takes two frames of features at a time; blocks of a depthwise and a pointwise convolution with a bypass
follow, and look only back. The network keeps what they need of the past, so that each step costs the same. The weights
are our own, trained on synthetic speech: docs/keywords.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import NotReady
from reachy_mind.speech.keyword_features import BANDS, HOP, RATE_HZ

WEIGHTS = Path(__file__).with_name("keyword_weights.npz")
STRIDE = 2
"""Frames of features for an output."""
STEP_BYTES = 2 * HOP * STRIDE
STEP_S = HOP * STRIDE / RATE_HZ
FIRST_KERNEL, KERNEL = 5, 9

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class KeywordBlock:
    """`depthwise`: taps by channels; `pointwise`: channels by channels."""

    depthwise: Floats
    depthwise_bias: Floats
    pointwise: Floats
    pointwise_bias: Floats
    dilation: int


@dataclass(frozen=True)
class KeywordWeights:
    """Of a trained network; batch normalisation is part of the pointwise convolutions."""

    names: tuple[str, ...]
    first: Floats
    """Taps times bands by channels."""
    first_bias: Floats
    blocks: tuple[KeywordBlock, ...]
    last: Floats
    last_bias: Floats


def load_weights(path: Path = WEIGHTS) -> KeywordWeights:
    """Raises NotReady for a file that is missing or damaged."""
    try:
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        blocks = tuple(
            KeywordBlock(*(_floats(arrays[f"block{number}_{part}"]) for part in _PARTS), int(dilation))
            for number, dilation in enumerate(arrays["dilations"])
        )
        names = tuple(str(name) for name in arrays["names"])
        ends = (_floats(arrays[name]) for name in ("first", "first_bias"))
        return KeywordWeights(names, *ends, blocks, _floats(arrays["last"]), _floats(arrays["last_bias"]))
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise NotReady(
            f"the weights of the keyword network can't be read: {error}", hint="install reachy-mind again"
        ) from None


_PARTS = ("depthwise", "depthwise_bias", "pointwise", "pointwise_bias")


def _floats(array: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(array, np.float32)


class KeywordNetwork:
    """One stream of features."""

    def __init__(self, weights: KeywordWeights) -> None:
        self._weights = weights
        self._frames = np.zeros((FIRST_KERNEL - STRIDE, BANDS), np.float32)
        channels = len(weights.first_bias)
        self._past = [np.zeros(((KERNEL - 1) * block.dilation, channels), np.float32) for block in weights.blocks]

    @property
    def names(self) -> tuple[str, ...]:
        return self._weights.names

    def feed(self, frames: Floats) -> Floats:
        """Probabilities, steps by keywords, for these frames: an even number of them."""
        weights = self._weights
        frames = np.concatenate([self._frames, frames])
        steps = (len(frames) - FIRST_KERNEL) // STRIDE + 1
        self._frames = frames[steps * STRIDE :]
        windows = [frames[2 * step : 2 * step + FIRST_KERNEL].reshape(-1) for step in range(steps)]
        values = np.maximum(np.stack(windows) @ weights.first + weights.first_bias, 0.0)
        for number, block in enumerate(weights.blocks):
            values = values + self._block(number, block, values)
        return np.asarray(1 / (1 + np.exp(-(values @ weights.last + weights.last_bias))), np.float32)

    def _block(self, number: int, block: KeywordBlock, values: Floats) -> Floats:
        series = np.concatenate([self._past[number], values])
        steps = len(values)
        self._past[number] = series[steps:]
        found = np.repeat(block.depthwise_bias[None], steps, axis=0)
        for tap in range(KERNEL):
            begin = tap * block.dilation
            found += series[begin : begin + steps] * block.depthwise[tap]
        return np.maximum(found @ block.pointwise + block.pointwise_bias, 0.0)
