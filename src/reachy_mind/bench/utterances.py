"""What synthetic people say to the robot: requests with the tools they should lead to, and how each is spoken.

A third of the lines of `utterances.jsonl` have a mark, `|`, where somebody who thinks while speaking is silent for a
while: the silence that the voice makes there is stretched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reachy_mind.models.store import Store
from reachy_mind.speech import espeak, flite, piper, samples
from reachy_mind.speech.voices import Voice

FILE = Path(__file__).with_name("utterances.jsonl")
MARK = " |"
LOUD = 200
"""A sample of a voice; below is silence."""
SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS = 300, 700
_STEP = samples.RATE // 100


@dataclass(frozen=True)
class Utterance:
    text: str
    wanted: tuple[tuple[str, ...], ...]
    """Lists of tools, each of them right."""
    paused: bool

    def right(self, tools: tuple[str, ...]) -> bool:
        return tools in self.wanted


@dataclass(frozen=True)
class Clip:
    """An utterance as somebody says it; `first` and `last` are its first and its last sample that can be heard, `rest`
    the first one after the pause in it (0 without)."""

    utterance: Utterance
    speaker: str
    pcm: bytes
    first: int
    last: int
    rest: int = 0


def utterances(file: Path = FILE) -> list[Utterance]:
    """All of them."""
    made = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        wanted = tuple(tuple(tools) for tools in (row["tools"], *row.get("or", [])))
        made.append(Utterance(row["text"].replace(MARK, ""), wanted, MARK in row["text"]))
    return made


def speakers(store: Store) -> Mapping[str, Callable[[], Voice]]:
    """Voices and speeds that are on this machine."""
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


async def spoken(utterance: Utterance, speaker: str, voice: Voice, pause_ms: int = SHORTEST_PAUSE_MS) -> Clip:
    """`pause_ms` is how long the silence in the middle is, where there is one."""
    pcm = b"".join([piece async for piece in voice.synthesize(utterance.text)])
    sound = np.frombuffer(pcm, "<i2")
    rest = 0
    if utterance.paused:
        sound, rest = paused(sound, round(pause_ms * samples.RATE / 1000))
    first, last = ends(sound)
    return Clip(utterance, speaker, sound.tobytes(), first, last, rest)


def ends(sound: np.ndarray) -> tuple[int, int]:
    """The first and the last sample that can be heard."""
    loud = np.flatnonzero(np.abs(sound.astype(np.int32)) > LOUD)
    return (int(loud[0]), int(loud[-1])) if len(loud) else (0, 0)


def paused(sound: np.ndarray, length: int) -> tuple[np.ndarray, int]:
    """The longest silence within a sound, or else its quietest moment, made so many samples long; and where it ends."""
    first, last = ends(sound)
    blocks = sound[first : last + 1 - (last + 1 - first) % _STEP].reshape(-1, _STEP).astype(np.int32)
    loudness = np.abs(blocks).max(axis=1)
    best = (0, 0)
    begin = None
    for at, quiet in enumerate([*(loudness <= LOUD), False]):
        if quiet and begin is None:
            begin = at
        elif not quiet and begin is not None:
            best = max(best, (at - begin, begin))
            begin = None
    count, start = best if best[0] else (0, int(loudness[len(loudness) // 3 : -len(loudness) // 3].argmin()))
    cut, go_on = first + start * _STEP, first + (start + count) * _STEP
    silence = np.zeros(max(0, length - (go_on - cut)), dtype=sound.dtype)
    return np.concatenate([sound[:go_on], silence, sound[go_on:]]), go_on + len(silence)
