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
from reachy_mind.speech.keyword_confirmation import KeywordReader
from reachy_mind.speech.keyword_decision import KeywordDecision, sureness
from reachy_mind.speech.keyword_network import (
    FEATURES,
    FRAMES,
    WINDOW,
    Floats,
    KeywordEncoder,
    KeywordNetwork,
    load_weights,
)
from reachy_mind.speech.moonshine import library_folder

WAKE_WORD = "hey_reachy"
STOP_PHRASES = {"stop": "stop", "quiet": "be quiet", "enough": "that's enough", "wait": "wait"}
"""Keywords that stop the robot, and what is taken to have been said."""
WINDOW_BYTES = 2 * WINDOW
BYTES_A_SECOND = 2 * audio_format.RATE
STEP_BYTES = BYTES_A_SECOND * 8 // 100
"""Between the ends of two windows: 80 ms."""
TIMEOUT_S = 10.0
HINT = "if it happens again, install the package moonshine-voice again"


@dataclass(frozen=True)
class HeardKeyword:
    """`at`: when it was recognised, a monotonic time."""

    name: str
    at: float
    sureness: float


class KeywordDetector:
    """One process for all conversations. Raises MissingExtra without the extra `speech`, NotReady for bad weights."""

    def __init__(self) -> None:
        load_weights()
        folder = library_folder() / "assets" / "tiny-en"
        self.engine = WorkerClient("keywords", f"{__name__}:KeywordModel", {"folder": str(folder)}, HINT)

    async def likelihoods(self, window: bytes) -> dict[str, float]:
        """Of each keyword to have been said just before the end of this window of `WINDOW_BYTES`. Raises WorkerError,
        TimedOut."""
        found: dict[str, float] = await self.engine.call("likelihoods", window, timeout=TIMEOUT_S)
        return found

    async def log_probability(self, window: bytes, name: str) -> float:
        """Of the words of a keyword in this window, by the ears: see `KeywordReader`. Raises WorkerError, TimedOut."""
        found: float = await self.engine.call("log_probability", window, name, timeout=TIMEOUT_S)
        return found

    async def warm(self) -> None:
        await self.likelihoods(bytes(WINDOW_BYTES))
        await self.log_probability(bytes(WINDOW_BYTES), WAKE_WORD)

    async def aclose(self) -> None:
        await self.engine.aclose()


class KeywordModel:
    """The networks, in the worker's process."""

    def __init__(self, folder: str) -> None:
        weights = load_weights()
        self._names = weights.names
        self._encoder, self._network = KeywordEncoder(Path(folder)), KeywordNetwork(weights)
        self._reader = KeywordReader(Path(folder))
        self._last = b"", np.zeros((FRAMES, FEATURES), np.float32)

    def likelihoods(self, window: bytes) -> dict[str, float]:
        values = self._network.likelihoods(self._features(window))
        return {name: float(value) for name, value in zip(self._names, values, strict=True)}

    def log_probability(self, window: bytes, name: str) -> float:
        return self._reader.log_probability(self._features(window), name)

    def _features(self, window: bytes) -> Floats:
        """Those of the last window are kept: the decoder is asked about it next."""
        if window != self._last[0]:
            self._last = window, self._encoder.features(np.asarray(audio_format.to_floats(window), np.float32))
        return self._last[1]


def keywords_in(model: KeywordModel, pcm: bytes) -> list[tuple[str, int]]:
    """The keywords in a sound, and the bytes of it after which each was recognised: as a listener hears it."""
    decision, found = KeywordDecision(), list[tuple[str, int]]()
    for end in range(WINDOW_BYTES, len(pcm) + 1, STEP_BYTES):
        window = pcm[end - WINDOW_BYTES : end]
        likely = model.likelihoods(window)
        for name, mean in decision.proposed(likely, likely).items():
            sure = sureness(name, mean, model.log_probability(window, name))
            if decision.accepted(name, sure, end / BYTES_A_SECOND):
                found.append((name, end))
    return found
