"""`SpokenTurnResult` and `TurnTally`: results of spoken turns, and the figures computed from them."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.bench.speech import word_errors
from reachy_mind.bench.utterances import SpokenClip
from reachy_mind.bench.voice_systems import Noted
from reachy_mind.body.wav import RATE_HZ

EARLY_SAMPLES = RATE_HZ * 15 // 100
"""An answer this close to the last sound did not cut the speaker off: all words were heard."""


@dataclass(frozen=True)
class SpokenToolUse:
    """A tool that was called successfully. `acts`: it does something, and does not only look."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    acts: bool = True


@dataclass
class SpokenTurnResult:
    """The result of one utterance."""

    clip: SpokenClip
    room: str
    latency_ms: float | None
    noted: Sequence[Noted]
    end: int
    uses: tuple[SpokenToolUse, ...]
    """In all turns that the utterance was taken for."""
    talked_into: bool = False
    """Whether the robot was heard before the last sound of the person."""

    @property
    def early(self) -> bool:
        """Whether an answer was begun before its rest came."""
        return any(noted.at < self.end - EARLY_SAMPLES for noted in self.noted)

    @property
    def cut_off(self) -> bool:
        """Whether it was answered before its rest came, and not merged with it."""
        return self.early and not self.noted[-1].continues

    @property
    def extra(self) -> int:
        """Turns without a speaker, after the turn of the utterance."""
        late = [noted for noted in self.noted if noted.at >= self.end - EARLY_SAMPLES]
        return max(0, len(late) - 1)

    @property
    def lasting(self) -> tuple[SpokenToolUse, ...]:
        """What was done and not taken back: a timer of the beginning makes room for the one that was meant."""
        kept: list[SpokenToolUse] = []
        for use in self.uses:
            before = next((use for use in reversed(kept) if use.tool in ("set_timer", "set_reminder")), None)
            if use.tool == "cancel_timer" and "timer_id" in use.args and before is not None:
                kept.remove(before)
            else:
                kept.append(use)
        return tuple(kept)

    @property
    def right(self) -> bool:
        return bool(self.noted) and self.clip.utterance.right([(use.tool, use.args) for use in self.lasting])

    @property
    def wrong_action(self) -> bool:
        """Whether it did something that nobody asked for, or more often than asked."""
        wanted = [Counter(tools) for tools in self.clip.utterance.wanted]
        done = Counter(use.tool for use in self.lasting if use.acts)
        return any(count > max(tools[tool] for tools in wanted) for tool, count in done.items())

    @property
    def line(self) -> str:
        """What was said, heard and done, for a developer to read."""
        heard = " / ".join(f"{noted.text}{' (joined)' if noted.continues else ''}" for noted in self.noted)
        faults = [name for name in ("cut_off", "talked_into", "wrong_action") if getattr(self, name)]
        done = ", ".join(use.tool for use in self.uses)
        what = ", ".join([*([] if self.right else ["wrong"]), *faults])
        return f"{self.room} {self.clip.speaker}: {self.clip.utterance.text!r} heard {heard!r} did [{done}]: {what}"


@dataclass
class TurnTally:
    turns: list[SpokenTurnResult] = field(default_factory=list)
    stages: list[dict[str, float]] = field(default_factory=list)


def figures_of(tally: TurnTally) -> dict[str, float]:
    turns = tally.turns
    extra = sum(turn.extra for turn in turns)
    complete = [turn for turn in turns if not turn.clip.utterance.paused]
    figures: dict[str, float] = {
        "turns": len(turns),
        "turns_with_pauses": len(turns) - len(complete),
        **_latencies("", turns),
        **_latencies("complete_", complete),
        **_shares("", turns),
        "missed_percent": _share(turns, lambda turn: turn.latency_ms is None),
        "paused_cut_off_percent": _share(_paused(turns), lambda turn: turn.cut_off),
        "paused_talked_into_percent": _share(_paused(turns), lambda turn: turn.talked_into),
        "joined_percent": _share(turns, lambda turn: any(noted.continues for noted in turn.noted)),
        "self_triggered_percent": percent(extra, len(turns) + extra),
    }
    for name in dict.fromkeys(turn.room for turn in turns):
        there = [turn for turn in turns if turn.room == name]
        figures[f"{name}_turns"] = len(there)
        figures |= _shares(f"{name}_", there) | {
            f"{name}_paused_cut_off_percent": _share(_paused(there), lambda turn: turn.cut_off)
        }
        figures |= _latencies(f"{name}_", there)
    return figures


def _paused(turns: Sequence[SpokenTurnResult]) -> list[SpokenTurnResult]:
    return [turn for turn in turns if turn.clip.utterance.paused]


def _shares(prefix: str, turns: Sequence[SpokenTurnResult]) -> dict[str, float]:
    wrong = [word_errors(turn.clip.utterance.text, turn.noted[-1].text) for turn in turns if turn.noted]
    return {
        f"{prefix}right_percent": _share(turns, lambda turn: turn.right),
        f"{prefix}wrong_action_percent": _share(turns, lambda turn: turn.wrong_action),
        f"{prefix}cut_off_percent": _share(turns, lambda turn: turn.cut_off),
        f"{prefix}wer_percent": percent(sum(w for w, _ in wrong), sum(words for _, words in wrong)),
    }


def _share(turns: Sequence[SpokenTurnResult], of: Callable[[SpokenTurnResult], bool]) -> float:
    return percent(sum(of(turn) for turn in turns), len(turns))


def _latencies(prefix: str, turns: Sequence[SpokenTurnResult]) -> dict[str, float]:
    return spread(prefix, [turn.latency_ms for turn in turns if turn.latency_ms is not None])


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
