"""Moonshine (tiny, English): the speech to text that comes with the package. About 0.1 s for a sentence on one core.

The library's voice activity detection keeps its state from one clip to the next, so that the end of one is heard at
the beginning of the other. We therefore use it in two halves: a detector without a model, made anew for each clip (0.3
ms), says where somebody speaks; the model, told to detect nothing, reads those places. That also keeps the model away
from silence, where it makes up words, and cuts long sound at its pauses.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import MissingExtra
from reachy_mind.speech import audio_format
from reachy_mind.speech.transcriber import HostedTranscriber

if TYPE_CHECKING:
    import numpy as np

NAME = "moonshine"
LANGUAGES = ("en",)
LIBRARY = "moonshine_voice"
PADDING_S = 0.2
"""Silence around what is read: fewer words are lost at its edges (measured: 12 % to 10 % wrong words with flite)."""
MARGIN_S = 0.25
"""Sound kept on both sides of where the detector heard speech."""
ALTERED_GAIN = 0.6
"""Of the second reading, which rates the first."""
PIECE_S = 12.0
"""The model reads at most about this much at once; its time grows with the square."""

Span = tuple[float, float]


def available() -> bool:
    return importlib.util.find_spec(LIBRARY) is not None


def transcriber(threads: int = 1) -> HostedTranscriber:
    """One thread is as quick as two on sentences (measured) and leaves the other core alone. Raises MissingExtra."""
    if not available():
        raise MissingExtra("hearing with moonshine", "speech")
    return HostedTranscriber(NAME, LANGUAGES, f"{__name__}:MoonshineModel", {"threads": threads})


class MoonshineModel:
    """The model, in the worker's process."""

    def __init__(self, threads: int = 1) -> None:
        if threads == 1:
            os.environ["MOONSHINE_ORT_SINGLE_THREAD"] = "1"  # the only choice the library gives
        self._library = importlib.import_module(LIBRARY)
        self._library.Transcriber._handle = None  # its destructor wants one, also when its making was cut short
        self._folder = Path(str(self._library.__file__)).parent / "assets" / "tiny-en"
        self._reader = self._made(vad_threshold="0")

    def transcribe(self, pcm: bytes, language: str, rated: bool) -> tuple[str, str, float | None]:
        sound = audio_format.to_floats(pcm)
        spans = pieces(self._speech(sound))
        text = self._text(sound, spans)
        confidence = agreement(text, self._text(ALTERED_GAIN * sound, spans)) if rated else None
        return text, language or LANGUAGES[0], confidence

    def _text(self, sound: np.ndarray, spans: list[Span]) -> str:
        return " ".join(text for span in spans if (text := self._read(sound, span)))

    def warm(self, pcm: bytes) -> None:
        self._read(audio_format.to_floats(pcm), (0.0, audio_format.seconds(pcm)))

    def _made(self, **options: str) -> Any:
        arch = self._library.ModelArch.TINY
        return self._library.Transcriber(str(self._folder), arch, options={"return_audio_data": "false", **options})

    def _speech(self, sound: np.ndarray) -> list[Span]:
        """Where somebody speaks, in seconds."""
        detector = self._made(skip_transcription="true")
        try:
            lines = _heard(detector, sound)
        finally:
            detector.close()
        end = len(sound) / audio_format.RATE
        spans = ((line.start_time - PADDING_S, line.start_time - PADDING_S + line.duration) for line in lines)
        return [(max(0.0, start - MARGIN_S), min(end, stop + MARGIN_S)) for start, stop in spans]

    def _read(self, sound: np.ndarray, span: Span) -> str:
        start, end = (round(second * audio_format.RATE) for second in span)
        return " ".join(line.text.strip() for line in _heard(self._reader, sound[start:end])).strip()


def _heard(transcriber: Any, sound: np.ndarray) -> list[Any]:
    quiet = [0.0] * round(PADDING_S * audio_format.RATE)
    return list(transcriber.transcribe_without_streaming(quiet + sound.tolist() + quiet, audio_format.RATE).lines)


def agreement(text: str, again: str) -> float:
    """The share of the words that a second reading has as well, from 0 to 1: the model reports no probability of its
    own, and reads an unclear sound differently when it is altered a little."""
    first, second = text.lower().split(), again.lower().split()
    return round(SequenceMatcher(None, first, second, autojunk=False).ratio(), 3) if first else 0.0


def pieces(spans: list[Span]) -> list[Span]:
    """Spans put together as long as a piece stays short enough to be read at once; one that is longer is cut."""
    made: list[Span] = []
    for start, end in spans:
        if made and end - made[-1][0] <= PIECE_S:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
            continue
        begin = max(start, made[-1][1]) if made else start  # margins overlap where the pause is short
        while end - begin > 2 * PIECE_S:
            made.append((begin, begin + PIECE_S))
            begin += PIECE_S
        if end > begin:
            made.append((begin, end))
    return made
