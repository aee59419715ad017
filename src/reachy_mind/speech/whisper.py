"""Whisper (base, many languages) with faster-whisper: accurate speech to text. One to two seconds for a sentence.

The model is an asset (`reachy-mind models pull whisper-base`), the library an extra (`whisper`).
"""

from __future__ import annotations

import importlib
import importlib.util
import math

from reachy_mind.errors import MissingExtra, NotReady
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format
from reachy_mind.speech.transcriber import Alternative, HostedTranscriber

NAME = "whisper"
ASSET = "whisper-base"
HINT = f"if it happens again, its files may be damaged: reachy-mind models verify {ASSET}"
LIBRARY = "faster_whisper"
_CODES = """
af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja
jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq
sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh
"""
LANGUAGES = tuple(_CODES.split())
SPEECH = 0.6
"""What the model takes for speech with less than this certainty is left out: it makes up words in noise."""


def available(store: Store) -> bool:
    return importlib.util.find_spec(LIBRARY) is not None and store.status(ASSET).state == "ready"


def transcriber(store: Store, threads: int = 2) -> HostedTranscriber:
    """Raises MissingExtra without the library and NotReady when the model has to be pulled first."""
    if importlib.util.find_spec(LIBRARY) is None:
        raise MissingExtra("hearing with whisper", "whisper")
    if store.status(ASSET).state != "ready":
        raise NotReady("the model of whisper is not on this machine", hint=f"reachy-mind models pull {ASSET}")
    arguments: dict[str, object] = {"folder": str(store.path(ASSET)), "threads": threads}
    return HostedTranscriber(NAME, LANGUAGES, f"{__name__}:WhisperModel", arguments, HINT)


class WhisperModel:
    """The model, in the worker's process."""

    def __init__(self, folder: str, threads: int) -> None:
        library = importlib.import_module(LIBRARY)
        self._model = library.WhisperModel(
            folder, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )

    def transcribe(self, pcm: bytes, language: str, words: tuple[str, ...]) -> tuple[tuple[Alternative, ...], str]:  # noqa: ARG002
        """One alternative at most. Words to expect are not used: put before its text, it may repeat them."""
        parts, about = self._model.transcribe(
            audio_format.to_floats(pcm),
            language=language or None,
            beam_size=5,  # a third slower than 1, and half the wrong words (measured with flite)
            condition_on_previous_text=False,  # one wrong word would draw others after it
            vad_filter=True,
        )
        said = [part for part in parts if part.no_speech_prob < SPEECH]
        text = " ".join(part.text.strip() for part in said).strip()
        likely = [likelihood for part in said for likelihood in [part.avg_logprob] * len(part.tokens)]
        if not text or not likely:
            return (), str(about.language)
        confidence = round(min(math.exp(sum(likely) / len(likely)), 1.0), 3)
        return (Alternative(text, confidence, round(sum(likely), 3)),), str(about.language)

    def warm(self, pcm: bytes) -> None:
        self._model.transcribe(audio_format.to_floats(pcm), language="en", beam_size=1, vad_filter=False)
