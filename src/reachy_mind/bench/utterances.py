"""Utterances of synthetic people: requests with the tools they should lead to, and their synthesis.

A mark, ` |`, is where the speaker pauses to think: the sentence is synthesized as a whole and cut there
(`word_boundaries`), so that its melody says that it goes on. `utterances.jsonl` has mostly complete sentences,
`hesitations.jsonl` those with pauses of every kind; what turn-taking does was chosen on `hesitations_tuning.jsonl`
alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.bench.word_boundaries import boundary, with_pauses
from reachy_mind.speech import audio_format
from reachy_mind.speech.voices import Voice

FILE = Path(__file__).with_name("utterances.jsonl")
HESITATIONS = Path(__file__).with_name("hesitations.jsonl")
TUNING = Path(__file__).with_name("hesitations_tuning.jsonl")
MARK = " |"
AUDIBLE = 200
"""Smallest audible sample of a voice."""
PAUSES_MS = (300, 700, 450, 1000, 550, 1500, 350, 850)
"""The lengths of pauses, in turn: mostly short hesitations, some long ones."""


@dataclass(frozen=True)
class Utterance:
    text: str
    wanted: tuple[tuple[str, ...], ...]
    """Accepted lists of tools."""
    beginnings: tuple[str, ...] = ()
    """The text up to each pause."""
    args: dict[str, Any] = field(default_factory=dict)
    """Arguments that the last call must have."""
    kind: str = ""
    """What the pause is before: a word, a filler, ..."""

    @property
    def paused(self) -> bool:
        return bool(self.beginnings)

    def right(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> bool:
        """Whether these are the calls that it asks for."""
        if tuple(name for name, _ in calls) not in self.wanted:
            return False
        return not self.args or (bool(calls) and self.args.items() <= calls[-1][1].items())


@dataclass(frozen=True)
class SpokenClip:
    """A synthesized utterance; `first` and `last` are its first and last audible samples, `pauses` its silences
    (first sample, first one after it)."""

    utterance: Utterance
    speaker: str
    pcm: bytes
    first: int
    last: int
    pauses: tuple[tuple[int, int], ...] = ()


def utterances(file: Path = FILE) -> list[Utterance]:
    """All utterances of the file."""
    return [_utterance(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def _utterance(row: dict[str, Any]) -> Utterance:
    wanted = tuple(tuple(tools) for tools in (row["tools"], *row.get("or", [])))
    parts = row["text"].split(MARK)
    beginnings = tuple("".join(parts[: count + 1]) for count in range(len(parts) - 1))
    return Utterance("".join(parts), wanted, beginnings, row.get("args", {}), row.get("kind", ""))


def mixed() -> list[Utterance]:
    """Those of both files that nothing was chosen on, in turn, so that any stretch of them has both kinds."""
    plain, hesitating = utterances(), utterances(HESITATIONS)
    made: list[Utterance] = []
    for number, each in enumerate(hesitating):
        made.append(each)
        made += plain[number * len(plain) // len(hesitating) : (number + 1) * len(plain) // len(hesitating)]
    return made


async def spoken(utterance: Utterance, speaker: str, voice: Voice, number: int = 0) -> SpokenClip:
    """Synthesize an utterance; its first pause has the length `number` of `PAUSES_MS`."""
    whole = await _sound(voice, utterance.text)
    cuts: list[tuple[int, int]] = []
    for count, beginning in enumerate(utterance.beginnings):
        at = boundary(whole, await _sound(voice, beginning.rstrip(",")))
        length = PAUSES_MS[(number + count) % len(PAUSES_MS)] * audio_format.RATE // 1000
        cuts.append((max(at, cuts[-1][0]) if cuts else at, length))
    sound = with_pauses(whole, cuts)
    before, silences = 0, []
    for at, length in cuts:
        silences.append((at + before, at + before + length))
        before += length
    first, last = ends(sound)
    return SpokenClip(utterance, speaker, sound.tobytes(), first, last, tuple(silences))


async def _sound(voice: Voice, text: str) -> np.ndarray:
    """From the first audible sample to the last."""
    pcm = b"".join([piece async for piece in voice.synthesize(text)])
    sound = np.frombuffer(pcm, "<i2")
    first, last = ends(sound)
    return sound[first : last + 1]


def ends(sound: np.ndarray) -> tuple[int, int]:
    """The first and the last audible sample."""
    loud = np.flatnonzero(np.abs(sound.astype(np.int32)) > AUDIBLE)
    return (int(loud[0]), int(loud[-1])) if len(loud) else (0, 0)
