"""`SpeechSpans`: where somebody speaks in a sound, by the Silero VAD (the model that pipecat brings).

A model of speech makes up words in silence; it is given only these places. Pauses are bridged and edges kept, so that
no word loses its beginning or end.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

from reachy_mind.errors import MissingExtra
from reachy_mind.speech import audio_format

Span = tuple[float, float]
"""Start and end in seconds."""
WINDOW, CONTEXT = 512, 64
"""Samples that the network takes at once, and how many of those before it wants to see again."""
WINDOW_S = WINDOW / audio_format.RATE
SPEECH, STILL_SPEECH = 0.5, 0.25
"""The probability at which speech begins, and the one above which it goes on."""
PAUSE_S = 0.4
"""A shorter pause belongs to the speech."""
SHORTEST_S = 0.06
"""What is shorter is a click."""
MARGIN_S = 0.3
"""Sound that is kept on both sides."""


def vad_file() -> Path:
    """The weights. Raises MissingExtra without pipecat, of which nothing is imported: that takes a second."""
    found = importlib.util.find_spec("pipecat")
    folders = list(found.submodule_search_locations or ()) if found else []
    file = Path(folders[0], "audio", "vad", "data", "silero_vad.onnx") if folders else None
    if file is None or not file.is_file():
        raise MissingExtra("hearing", "speech")
    return file


class SpeechSpans:
    def __init__(self, file: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 -- this module is imported where it is absent

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def find(self, sound: np.ndarray) -> list[Span]:
        """In order, and apart from each other."""
        return spans(self._probabilities(sound), len(sound) / audio_format.RATE)

    def _probabilities(self, sound: np.ndarray) -> list[float]:
        state, rate = np.zeros((2, 1, 128), np.float32), np.array(audio_format.RATE, np.int64)
        padded = np.concatenate([np.zeros(CONTEXT, np.float32), sound, np.zeros(-len(sound) % WINDOW, np.float32)])
        found = []
        for start in range(0, len(padded) - CONTEXT, WINDOW):
            window = padded[None, start : start + CONTEXT + WINDOW]
            likely, state = self._session.run(None, {"input": window, "state": state, "sr": rate})
            found.append(float(likely[0, 0]))
        return found


def spans(probabilities: list[float], length_s: float) -> list[Span]:
    """The speech in a sound of this length, by the probability of each window."""
    runs: list[list[int]] = []
    speaking = False
    for number, likely in enumerate(probabilities):
        speaking = likely >= (STILL_SPEECH if speaking else SPEECH)
        if not speaking:
            continue
        if runs and (number - runs[-1][1]) * WINDOW_S <= PAUSE_S:
            runs[-1][1] = number + 1
        else:
            runs.append([number, number + 1])
    made: list[Span] = []
    for first, end in runs:
        if (end - first) * WINDOW_S < SHORTEST_S:
            continue
        start = max(0.0, first * WINDOW_S - MARGIN_S)
        stop = min(length_s, end * WINDOW_S + MARGIN_S)
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], stop)
        else:
            made.append((start, stop))
    return made
