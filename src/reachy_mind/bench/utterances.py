"""Utterances of synthetic people: requests with the tools they should lead to, and their synthesis.

A third of the lines of `utterances.jsonl` have a mark, `|`, where the speaker pauses to think: the silence of the voice
there is stretched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, espeak, flite, piper
from reachy_mind.speech.voices import Voice

FILE = Path(__file__).with_name("utterances.jsonl")
MARK = " |"
AUDIBLE = 200
"""Smallest audible sample of a voice."""
MIN_PAUSE_MS, MAX_PAUSE_MS = 300, 700
_STEP = audio_format.RATE // 100


@dataclass(frozen=True)
class Utterance:
    text: str
    wanted: tuple[tuple[str, ...], ...]
    """Accepted lists of tools."""
    paused: bool

    def right(self, tools: tuple[str, ...]) -> bool:
        return tools in self.wanted


@dataclass(frozen=True)
class SpokenClip:
    """A synthesized utterance; `first` and `last` are its first and last audible samples, `rest` the first one after
    its pause (0 without)."""

    utterance: Utterance
    speaker: str
    pcm: bytes
    first: int
    last: int
    rest: int = 0


def utterances(file: Path = FILE) -> list[Utterance]:
    """All utterances of the file."""
    made = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted = tuple(tuple(tools) for tools in (row["tools"], *row.get("or", [])))
        made.append(Utterance(row["text"].replace(MARK, ""), wanted, MARK in row["text"]))
    return made


def speakers(store: Store) -> Mapping[str, Callable[[], Voice]]:
    """The voices and speeds available on this machine."""
    made: dict[str, Callable[[], Voice]] = {}
    if flite.available():
        made |= {
            "slt": flite.voice,
            "rms": lambda: flite.voice("rms"),
            "awb": lambda: flite.voice("awb"),
            "slt_fast": lambda: flite.voice("slt", 1.2),
            "rms_slow": lambda: flite.voice("rms", 0.85),
        }
    if espeak.available():
        made["espeak"] = espeak.voice
    if piper.available(store):
        made["piper"] = lambda: piper.voice(store)
    return made


async def spoken(utterance: Utterance, speaker: str, voice: Voice, pause_ms: int = MIN_PAUSE_MS) -> SpokenClip:
    """Synthesize an utterance; `pause_ms` is the length of its pause, if it has one."""
    pcm = b"".join([piece async for piece in voice.synthesize(utterance.text)])
    sound = np.frombuffer(pcm, "<i2")
    rest = 0
    if utterance.paused:
        sound, rest = paused(sound, round(pause_ms * audio_format.RATE / 1000))
    first, last = ends(sound)
    return SpokenClip(utterance, speaker, sound.tobytes(), first, last, rest)


def ends(sound: np.ndarray) -> tuple[int, int]:
    """The first and the last audible sample."""
    loud = np.flatnonzero(np.abs(sound.astype(np.int32)) > AUDIBLE)
    return (int(loud[0]), int(loud[-1])) if len(loud) else (0, 0)


def paused(sound: np.ndarray, length: int) -> tuple[np.ndarray, int]:
    """Stretch the longest silence of a sound, or else its quietest moment; returns the sound and where it ends."""
    first, last = ends(sound)
    blocks = sound[first : last + 1 - (last + 1 - first) % _STEP].reshape(-1, _STEP).astype(np.int32)
    loudness = np.abs(blocks).max(axis=1)
    best = (0, 0)
    begin = None
    for at, quiet in enumerate([*(loudness <= AUDIBLE), False]):
        if quiet and begin is None:
            begin = at
        elif not quiet and begin is not None:
            best = max(best, (at - begin, begin))
            begin = None
    count, start = best if best[0] else (0, int(loudness[len(loudness) // 3 : -len(loudness) // 3].argmin()))
    cut, go_on = first + start * _STEP, first + (start + count) * _STEP
    silence = np.zeros(max(0, length - (go_on - cut)), dtype=sound.dtype)
    return np.concatenate([sound[:go_on], silence, sound[go_on:]]), go_on + len(silence)
