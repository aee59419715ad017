"""`SpeechSpans`: where somebody speaks in a sound, by the Silero VAD (the model that pipecat brings).

A model of speech makes up words in silence; it is given only these places. Pauses are bridged and edges kept, so that
no word loses its beginning or end. Measured with recordings of people, the VAD errs by leaving words out in noise and
in rooms: rumble is filtered out for it, its memory of a noise is cleared, and once it is certain that somebody speaks,
faint speech counts too.
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
FAINT, STILL_FAINT = 0.2, 0.1
"""The same in a sound in which somebody speaks."""
PAUSE_S = 0.4
"""A shorter pause belongs to the speech."""
SHORTEST_S = 0.1
"""What is shorter is a click, or a note of music."""
MARGIN_S = 0.3
"""Sound that is kept on both sides."""
LONGEST_S = 24.0
"""A longer span is cut where a word is least likely, in its second half."""
SMOOTHING = 5
"""Windows over which that is judged."""
HIGH_PASS_HZ = 100.0
"""Lower sounds are rumble: the VAD loses voices in it."""
FORGETS_AFTER_S, QUIET, QUIET_WINDOWS = 2.0, 0.1, 5
"""In noise or music the network's state drifts until it misses the speech that follows. It is cleared this often, in
so many windows without speech."""


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
        return spans(self._probabilities(without_rumble(sound)), len(sound) / audio_format.RATE)

    def _probabilities(self, sound: np.ndarray) -> list[float]:
        fresh, rate = np.zeros((2, 1, 128), np.float32), np.array(audio_format.RATE, np.int64)
        padded = np.concatenate([np.zeros(CONTEXT, np.float32), sound, np.zeros(-len(sound) % WINDOW, np.float32)])
        state, found = fresh, list[float]()
        age = quiet = 0
        for start in range(0, len(padded) - CONTEXT, WINDOW):
            window = padded[None, start : start + CONTEXT + WINDOW]
            if age == 0:
                window = np.concatenate([np.zeros((1, CONTEXT), np.float32), window[:, CONTEXT:]], axis=1)
            likely, state = self._session.run(None, {"input": window, "state": state, "sr": rate})
            found.append(float(likely[0, 0]))
            age, quiet = age + 1, quiet + 1 if found[-1] < QUIET else 0
            if age * WINDOW_S >= FORGETS_AFTER_S and quiet >= QUIET_WINDOWS:
                state, age, quiet = fresh, 0, 0
        return found


def without_rumble(sound: np.ndarray) -> np.ndarray:
    """A high-pass of second order, without a delay."""
    if not len(sound):
        return sound
    spectrum = np.fft.rfft(sound)
    steps = np.arange(len(spectrum)) * (audio_format.RATE / len(sound) / HIGH_PASS_HZ)
    gain = steps**2 / np.sqrt(1 + steps**4)
    return np.asarray(np.fft.irfft(spectrum * gain, len(sound)), np.float32)


def spans(probabilities: list[float], length_s: float) -> list[Span]:
    """The speech in a sound of this length, by the probability of each window."""
    if not _runs(probabilities, SPEECH, STILL_SPEECH):
        return []
    made: list[Span] = []
    for first, end in _runs(probabilities, FAINT, STILL_FAINT):
        start = max(0.0, first * WINDOW_S - MARGIN_S)
        stop = min(length_s, end * WINDOW_S + MARGIN_S)
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], stop)
        else:
            made.append((start, stop))
    return [part for span in made for part in _cut(span, probabilities)]


def _runs(probabilities: list[float], begins: float, continues: float) -> list[tuple[int, int]]:
    """The windows of speech, by the probabilities at which it begins and goes on: first ones and ends."""
    runs: list[tuple[int, int]] = []
    speaking = False
    for number, likely in enumerate(probabilities):
        speaking = likely >= (continues if speaking else begins)
        if not speaking:
            continue
        if runs and (number - runs[-1][1]) * WINDOW_S <= PAUSE_S:
            runs[-1] = (runs[-1][0], number + 1)
        else:
            runs.append((number, number + 1))
    return [(first, end) for first, end in runs if (end - first) * WINDOW_S >= SHORTEST_S]


def _cut(span: Span, probabilities: list[float]) -> list[Span]:
    """A span in parts of at most `LONGEST_S`."""
    parts: list[Span] = []
    start, stop = span
    smooth = np.convolve(probabilities, np.ones(SMOOTHING), "same")
    while stop - start > LONGEST_S:
        first, end = round((start + LONGEST_S / 2) / WINDOW_S), int((start + LONGEST_S) / WINDOW_S)
        at = (first + int(smooth[first:end].argmin()) + 0.5) * WINDOW_S
        parts.append((start, at))
        start = at
    return [*parts, (start, stop)]
