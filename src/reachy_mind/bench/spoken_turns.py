"""`SpokenTurnResult` and `TurnTally`: results of spoken turns, and the figures computed from them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from reachy_mind.bench.speech import word_errors
from reachy_mind.bench.utterances import SpokenClip
from reachy_mind.bench.voice_systems import Noted
from reachy_mind.body.wav import RATE_HZ

EARLY_SAMPLES = RATE_HZ * 15 // 100
"""An answer this close to the last sound did not cut the speaker off: all words were heard."""


@dataclass
class SpokenTurnResult:
    """The result of one utterance."""

    clip: SpokenClip
    room: str
    latency_ms: float | None
    noted: Sequence[Noted]
    end: int
    tools: tuple[str, ...]

    @property
    def cut_off(self) -> bool:
        """Whether it was answered before its rest came, and not merged with it."""
        early = any(noted.at < self.end - EARLY_SAMPLES for noted in self.noted)
        return early and not self.noted[-1].continues

    @property
    def extra(self) -> int:
        """Turns without a speaker, after the turn of the utterance."""
        late = [noted for noted in self.noted if noted.at >= self.end - EARLY_SAMPLES]
        return max(0, len(late) - 1)

    @property
    def right(self) -> bool:
        return bool(self.noted) and self.clip.utterance.right(self.tools)


@dataclass
class TurnTally:
    turns: list[SpokenTurnResult] = field(default_factory=list)
    stages: list[dict[str, float]] = field(default_factory=list)


def figures_of(tally: TurnTally) -> dict[str, float]:
    turns = tally.turns
    paused = [turn for turn in turns if turn.clip.utterance.paused]
    took = [turn.latency_ms for turn in turns if turn.latency_ms is not None]
    wrong = [word_errors(turn.clip.utterance.text, turn.noted[-1].text) for turn in turns if turn.noted]
    extra = sum(turn.extra for turn in turns)
    figures: dict[str, float] = {
        "turns": len(turns),
        **spread("", took),
        "missed_percent": percent(sum(turn.latency_ms is None for turn in turns), len(turns)),
        "cut_off_percent": percent(sum(turn.cut_off for turn in turns), len(turns)),
        "paused_cut_off_percent": percent(sum(turn.cut_off for turn in paused), len(paused)),
        "joined_percent": percent(sum(any(n.continues for n in turn.noted) for turn in turns), len(turns)),
        "right_percent": percent(sum(turn.right for turn in turns), len(turns)),
        "wer_percent": percent(sum(w for w, _ in wrong), sum(words for _, words in wrong)),
        "self_triggered_percent": percent(extra, len(turns) + extra),
    }
    for name in dict.fromkeys(turn.room for turn in turns):
        there = [turn for turn in turns if turn.room == name]
        times = [turn.latency_ms for turn in there if turn.latency_ms is not None]
        figures |= {f"{name}_right_percent": percent(sum(turn.right for turn in there), len(there))}
        figures |= {f"{name}_p50_ms": spread("", times).get("p50_ms", 0.0)}
    return figures


def breakdown(tally: TurnTally, judged_ms: Sequence[float]) -> dict[str, float]:
    """The median duration of each stage of an answer."""
    names = dict.fromkeys(name for stages in tally.stages for name in stages)
    made = {f"{n}_ms": round(statistics.median(s[n] for s in tally.stages if n in s), 1) for n in names}
    if judged_ms:
        made["judging_ms"] = round(statistics.median(judged_ms), 1)
    return made


def spread(prefix: str, values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    at = min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))
    return {
        f"{prefix}p50_ms": round(statistics.median(ordered), 1),
        f"{prefix}p95_ms": round(ordered[at], 1),
    }


def percent(part: float, whole: float) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
