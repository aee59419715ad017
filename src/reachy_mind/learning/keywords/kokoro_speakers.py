"""Many speakers from Kokoro-82M: its voices, blends of two of them, other speeds and heights of the voice."""

from __future__ import annotations

import json
import multiprocessing
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reachy_mind.learning.keywords.clips import RATE_HZ, SpokenItem, SpokenLine, save, trimmed

MODEL_RATE_HZ = 24000
STYLES, STYLE = 510, 256
HELD_OUT = ("af_jessica", "af_nova", "am_michael", "am_puck", "bf_emma", "bm_george")
"""Voices that are never trained on, alone or in a blend."""
BLENDED = 0.6
"""The share of lines that a blend of two voices says."""
PER_FILE = 400


@dataclass(frozen=True)
class SpeechJob:
    """`weight`: of the first voice in a blend; `height`: how much faster it is played than it was said."""

    kind: str
    text: str
    phonemes: str
    voices: tuple[str, str]
    weight: float
    speed: float
    height: float

    @property
    def speaker(self) -> str:
        return f"{self.voices[0]}*{self.weight:.2f}+{self.voices[1]} {self.height:.2f}"


def voices_in(folder: Path, *, held_out: bool) -> list[str]:
    """Those that are trained on, English ones twice, or those that are not."""
    found = sorted(path.stem for path in (folder / "voices").glob("*.bin"))
    if held_out:
        return [name for name in found if name in HELD_OUT]
    trained = [name for name in found if name not in HELD_OUT]
    return trained + [name for name in trained if name[0] in "ab"]


def jobs(
    said: Sequence[SpokenLine], voices: Sequence[str], read: Callable[[SpokenLine, str], str], seed: int
) -> list[SpeechJob]:
    """One job for every line, each by a speaker of its own; `read` gives the phonemes of a line for a voice."""
    random_ = random.Random(seed)  # noqa: S311 -- training data, no secret
    made = []
    for line in said:
        first, second = random_.choice(voices), random_.choice(voices)
        phonemes = read(line, first)
        weight = random_.uniform(0.3, 0.7) if random_.random() < BLENDED else 1.0
        speed = random_.triangular(0.75, 1.45, 1.0)
        made.append(
            SpeechJob(line.kind, line.text, phonemes, (first, second), weight, speed, random_.uniform(0.9, 1.12))
        )
    return made


class KokoroSpeech:
    """The model in this process, on one thread. Its folder holds `model.onnx`, `vocab.json` and `voices/*.bin`."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 -- an extra

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokens: dict[str, int] = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self._styles = {
            path.stem: np.fromfile(path, np.float32).reshape(STYLES, STYLE)
            for path in (folder / "voices").glob("*.bin")
        }

    def say(self, job: SpeechJob) -> NDArray[np.float32]:
        """At 16 kHz."""
        from scipy.signal import resample_poly  # type: ignore[import-untyped]  # noqa: PLC0415 -- heavy

        tokens = [self._tokens[sign] for sign in job.phonemes if sign in self._tokens]
        place = len(tokens) - 1
        first, second = (self._styles[voice][place] for voice in job.voices)
        style = (job.weight * first + (1 - job.weight) * second)[None].astype(np.float32)
        given = {"tokens": np.array([[0, *tokens, 0]], np.int64), "style": style,
                 "speed": np.array([job.speed], np.float32)}  # fmt: skip
        (sound,) = self._session.run(None, given)
        shrunk = round(MODEL_RATE_HZ / 100 * job.height)
        return np.asarray(resample_poly(sound.reshape(-1), RATE_HZ // 100, shrunk), np.float32)


_speech: KokoroSpeech


def _start(folder: Path) -> None:
    global _speech  # noqa: PLW0603 -- one model for each worker process
    _speech = KokoroSpeech(folder)


def _say(job: SpeechJob) -> SpokenItem | None:
    sound = trimmed(_speech.say(job))
    return None if sound is None else SpokenItem(SpokenLine(job.kind, job.text), job.speaker, sound)


def say_all(given: Sequence[SpeechJob], model: Path, out: Path) -> None:
    """Into files of a folder, in as many processes as there are cores."""
    kept: list[SpokenItem] = []
    files = 0
    with multiprocessing.Pool(initializer=_start, initargs=(model,)) as pool:
        for item in pool.imap_unordered(_say, given, 4):
            if item is not None:
                kept.append(item)
            if len(kept) >= PER_FILE:
                save(out / f"kokoro_{files:04}.npz", kept)
                kept, files = [], files + 1
    save(out / f"kokoro_{files:04}.npz", kept)
