"""`KeywordDetector`: hears "stop" and "hey Reachy" in the last moments of sound, in a process of its own.

Its network uses the encoder of Moonshine tiny (`speech.keyword_network`). It keeps nothing between two calls, so that
all conversations share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.models.worker_client import WorkerClient
from reachy_mind.speech import audio_format
from reachy_mind.speech.keyword_network import WINDOW, KeywordEncoder, KeywordNetwork, load_weights
from reachy_mind.speech.moonshine import library_folder

WAKE_WORD = "hey_reachy"
STOP_PHRASES = {"stop": "stop", "quiet": "be quiet", "enough": "that's enough", "wait": "wait"}
"""Keywords that stop the robot, and what is taken to have been said."""
WINDOW_BYTES = 2 * WINDOW
TIMEOUT_S = 10.0
HINT = "if it happens again, install the package moonshine-voice again"


@dataclass(frozen=True)
class HeardKeyword:
    """`at`: when it was recognised, a monotonic time."""

    name: str
    at: float
    likelihood: float


class KeywordDetector:
    """One process for all conversations. Raises MissingExtra without the extra `speech`, NotReady for bad weights."""

    def __init__(self) -> None:
        weights = load_weights()
        self.thresholds = dict(zip(weights.names, weights.thresholds, strict=True))
        folder = library_folder() / "assets" / "tiny-en"
        self.engine = WorkerClient("keywords", f"{__name__}:KeywordModel", {"folder": str(folder)}, HINT)

    async def likelihoods(self, window: bytes) -> dict[str, float]:
        """Of each keyword to have been said just before the end of this window of `WINDOW_BYTES`. Raises WorkerError,
        TimedOut."""
        found: dict[str, float] = await self.engine.call("likelihoods", window, timeout=TIMEOUT_S)
        return found

    async def warm(self) -> None:
        await self.likelihoods(bytes(WINDOW_BYTES))

    async def aclose(self) -> None:
        await self.engine.aclose()


class KeywordModel:
    """The networks, in the worker's process."""

    def __init__(self, folder: str) -> None:
        weights = load_weights()
        self._names = weights.names
        self._encoder, self._network = KeywordEncoder(Path(folder)), KeywordNetwork(weights)

    def likelihoods(self, window: bytes) -> dict[str, float]:
        features = self._encoder.features(np.asarray(audio_format.to_floats(window), np.float32))
        values = self._network.likelihoods(features)
        return {name: float(value) for name, value in zip(self._names, values, strict=True)}
