"""`Listener`: a speech recogniser that `bench speech` measures, ours or another one, in a process of its own."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from reachy_mind.models.store import Store
from reachy_mind.models.worker import Worker
from reachy_mind.speech import audio_format, moonshine, whisper
from reachy_mind.speech.transcriber import HostedTranscriber

TINY = "moonshine tiny"
BASELINE = "pocketsphinx"
"""The simplest recogniser that is in the package registry with a model: no neural network, a dictionary and the
probabilities of word sequences. Measured where it was installed (`pip install pocketsphinx`, BSD, 29 MB)."""


@dataclass(frozen=True)
class Listener:
    """`pid` is of the process that hears, for its memory and processor time."""

    hear: Callable[[bytes], Awaitable[str]]
    pid: int
    aclose: Callable[[], Awaitable[None]]


async def hosted(ears: HostedTranscriber) -> Listener:
    """Loads the model."""

    async def hear(pcm: bytes) -> str:
        return (await ears.transcribe(pcm, language="en")).text

    await ears.warm()
    pid = ears.engine.status().pid
    assert pid is not None, "it is warm"
    return Listener(hear, pid, ears.aclose)


async def library() -> Listener:
    """The library moonshine-voice as its documentation uses it."""
    return await _in_worker("plain ears", f"{__name__}:LibraryTranscriber")


def library_worker() -> Worker:
    return Worker("plain ears", f"{__name__}:LibraryTranscriber")


def others(store: Store, ours: str) -> dict[str, Callable[[], Awaitable[Listener]]]:
    """What ours is compared with, besides the library, as far as it is on this machine; by a short name."""
    made: dict[str, Callable[[], Awaitable[Listener]]] = {}
    if ours != TINY:
        made["tiny"] = lambda: hosted(moonshine.transcriber(store, "tiny"))
    if whisper.available(store):
        made["whisper"] = lambda: hosted(whisper.transcriber(store, threads=1))
    if importlib.util.find_spec(BASELINE) is not None:
        made["baseline"] = lambda: _in_worker("baseline ears", f"{__name__}:PhraseSearch")
    return made


def missing(store: Store) -> dict[str, str]:
    """What can't be compared here, and what to do."""
    found: dict[str, str] = {}
    if not whisper.available(store):
        found["whisper"] = "not on this machine: the extra whisper, then reachy-mind models pull whisper-base"
    if importlib.util.find_spec(BASELINE) is None:
        found["baseline"] = f"not on this machine: pip install {BASELINE}"
    return found


async def _in_worker(name: str, factory: str) -> Listener:
    worker = Worker(name, factory)
    await worker.call("transcribe", bytes(audio_format.RATE * audio_format.WIDTH))
    pid = worker.status().pid
    assert pid is not None, "it has just answered"
    return Listener(lambda pcm: worker.call("transcribe", pcm), pid, worker.stop)


class LibraryTranscriber:
    """In a worker process: one long-lived transcriber with its own VAD."""

    def __init__(self) -> None:
        library = importlib.import_module(moonshine.LIBRARY)
        folder = moonshine.library_folder() / "assets" / "tiny-en"
        self._transcriber: Any = library.Transcriber(str(folder), library.ModelArch.TINY)

    def transcribe(self, pcm: bytes) -> str:
        lines = self._transcriber.transcribe_without_streaming(
            audio_format.to_floats(pcm).tolist(), audio_format.RATE
        ).lines
        return " ".join(line.text for line in lines)


class PhraseSearch:
    """In a worker process: pocketsphinx with the American English model that it brings."""

    def __init__(self) -> None:
        self._decoder: Any = importlib.import_module(BASELINE).Decoder(samprate=audio_format.RATE, loglevel="FATAL")

    def transcribe(self, pcm: bytes) -> str:
        self._decoder.start_utt()
        self._decoder.process_raw(pcm, full_utt=True)
        self._decoder.end_utt()
        found = self._decoder.hyp()
        return str(found.hypstr) if found is not None else ""
