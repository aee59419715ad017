"""Piper: the natural voice, once it was pulled (`reachy-mind models pull piper-voice`).

Its engine is under the GPL and no dependency of ours: it lies in the data folder with its voice, and runs from there
in a process of its own, which gets text and gives sound. Nothing of it is imported here.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

from reachy_mind.errors import MissingExtra, NotReady
from reachy_mind.models import voice_names
from reachy_mind.models.store import Store
from reachy_mind.models.worker_client import WorkerClient
from reachy_mind.speech import audio_format
from reachy_mind.speech.moods import NEUTRAL, Mood
from reachy_mind.speech.voices import check_libraries, utterances

ASSET = "piper-voice"
RUNTIME = "onnxruntime"
LANGUAGES = ("en",)
VOICES = voice_names.VOICES["piper"]
TIMEOUT_S = 60.0
HINT = f"if it happens again, its files may be damaged: reachy-mind models verify {ASSET}"
WARM_UP = "Hello there."


def available(store: Store) -> bool:
    known = ASSET in store.catalogue  # there is no engine for every kind of machine
    return known and store.status(ASSET).state == "ready" and importlib.util.find_spec(RUNTIME) is not None


def voice(store: Store, speed: float = 1.0, threads: int = 1) -> PiperVoice:
    """One thread: a second one gained nothing on two cores in use, and made the slowest sentences slower (measured).
    Raises MissingExtra without the runtime and NotReady when the voice has to be pulled first."""
    check_libraries()
    if importlib.util.find_spec(RUNTIME) is None:
        raise MissingExtra("speaking with piper", "speech")
    if not available(store):
        raise NotReady("piper is not on this machine", hint=f"reachy-mind models pull {ASSET}")
    return PiperVoice(store.path(ASSET), speed, threads)


class PiperVoice:
    """One engine with one voice. A sentence that is being made when its listener leaves is finished for nobody, if
    that is soon; the next one then finds the voice loaded."""

    languages, has_moods = LANGUAGES, True
    name = f"piper {VOICES[0]}"

    def __init__(self, folder: Path, speed: float = 1.0, threads: int = 1) -> None:
        self._speed = speed
        arguments = {"folder": str(folder), "threads": threads}
        self.engine = WorkerClient("voice piper", f"{__name__}:PiperModel", arguments, HINT)

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        for sentence in utterances(text):
            if pcm := await self.engine.call("say", sentence, self._speed, mood, timeout=TIMEOUT_S):
                yield pcm

    async def warm(self) -> None:
        await self.engine.call("say", WARM_UP, self._speed, NEUTRAL, timeout=TIMEOUT_S)

    async def aclose(self) -> None:
        await self.engine.aclose()


class PiperModel:
    """The engine and its voice, in the worker's process, which alone imports it."""

    def __init__(self, folder: str, threads: int) -> None:
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True  # the folder is an asset: nothing is added to it
        engine, runtime = importlib.import_module("piper"), importlib.import_module(RUNTIME)
        (model,) = Path(folder).glob("*.onnx")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        settings = json.loads(Path(f"{model}.json").read_text(encoding="utf-8"))
        self._voice = engine.PiperVoice(
            session=runtime.InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"]),
            config=engine.PiperConfig.from_dict(settings),
        )
        self._config = engine.SynthesisConfig

    def say(self, sentence: str, speed: float, mood: Mood) -> bytes:
        length = self._voice.config.length_scale / (speed * mood.engine_speed)
        chunks = self._voice.synthesize(sentence, self._config(length_scale=length))
        return b"".join(audio_format.coloured(chunk.audio_float_array, chunk.sample_rate, mood) for chunk in chunks)
