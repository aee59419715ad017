"""`KeywordNetwork`: how likely each keyword has just been said, from the last moments of sound.

The encoder of Moonshine tiny, which is there for the ears, turns the sound into features that have little to do with
whose voice it is. A small network of our own follows: two convolutions that halve the rate, and a layer that sees all
of the window. Its weights were trained on synthetic speech: docs/keywords.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import NotReady

WEIGHTS = Path(__file__).with_name("keyword_weights.npz")
ENCODER = "encoder_model.ort"
RATE_HZ = 16000
WINDOW = RATE_HZ * 8 // 5
"""Samples that the network hears at once."""
FRAMES, FEATURES = 65, 288
"""What the encoder makes of them."""
KERNEL, STRIDE = 5, 2
LOUDNESS, MOST_GAIN = 0.5, 16.0
"""The highest sample of a window is raised to the first, by the second at most."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class KeywordWeights:
    """`names`: the keywords; the first output is for all else. Convolutions: taps times channels by channels."""

    names: tuple[str, ...]
    entry: Floats
    entry_bias: Floats
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    whole: Floats
    whole_bias: Floats
    last: Floats
    last_bias: Floats


LAYERS = ("entry", "first", "second", "whole", "last")


def load_weights(path: Path = WEIGHTS) -> KeywordWeights:
    """Raises NotReady for a file that is missing or damaged."""
    try:
        with np.load(path) as stored:
            names = tuple(str(name) for name in stored["names"])
            layers = [
                np.ascontiguousarray(stored[f"{layer}{part}"], np.float32) for layer in LAYERS for part in ("", "_bias")
            ]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        reason = f"the weights of the keyword network can't be read: {error}"
        raise NotReady(reason, hint="install reachy-mind again") from None
    return KeywordWeights(names, *layers)


def levelled(sound: Floats) -> Floats:
    """A window as the encoder gets it."""
    highest = float(np.abs(sound).max(initial=0.0))
    return np.asarray(sound * min(MOST_GAIN, LOUDNESS / max(highest, 1e-6)), np.float32)


def session(file: Path) -> Any:
    """A network of onnxruntime on one thread."""
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 -- an extra

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # what goes wrong is raised
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


class KeywordEncoder:
    """Moonshine tiny's encoder on one thread. Raises what onnxruntime raises for damaged files."""

    def __init__(self, folder: Path) -> None:
        self._session = session(folder / ENCODER)
        self._mask = np.ones((1, WINDOW), np.int64)

    def features(self, window: Floats) -> Floats:
        """Of a window of `WINDOW` samples (-1 to 1): frames by features."""
        feed = {"input_values": levelled(window)[None], "attention_mask": self._mask}
        (hidden,) = self._session.run(None, feed)
        return np.asarray(hidden[0], np.float32)


class KeywordNetwork:
    def __init__(self, weights: KeywordWeights) -> None:
        self._weights = weights

    def likelihoods(self, features: Floats) -> Floats:
        """Of the keywords, in the order of their names."""
        weights = self._weights
        values = np.maximum(features @ weights.entry + weights.entry_bias, 0.0)
        values = _convolved(values, weights.first, weights.first_bias)
        values = _convolved(values, weights.second, weights.second_bias)
        values = np.maximum(values.reshape(-1) @ weights.whole + weights.whole_bias, 0.0)
        logits = values @ weights.last + weights.last_bias
        shares = np.exp(logits - logits.max())
        return np.asarray(shares[1:] / shares.sum(), np.float32)


def _convolved(values: Floats, weights: Floats, bias: Floats) -> Floats:
    windows = np.lib.stride_tricks.sliding_window_view(values, KERNEL, axis=0)[::STRIDE]
    flat = windows.transpose(0, 2, 1).reshape(len(windows), -1)
    return np.asarray(np.maximum(flat @ weights + bias, 0.0), np.float32)
