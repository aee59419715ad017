"""`ToolResult`: what became of one described tool, and the figures of many."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ToolResult:
    """From the request to the use of the tool."""

    name: str
    wrote: bool
    """Whether there was a draft at all."""
    valid: bool
    """Whether the first draft passed the check."""
    safe: bool
    """No run of it was killed, refused or denied anything, in any trial and in its use."""
    passed_first: bool
    passed: bool
    incorporated: bool
    """Approved, and then used without a failure, through the registry."""
    repairs: int
    seconds: float
    """From the request to the end of the last trial."""
    why: str = ""
    """What went wrong last."""
    made: str = ""
    """The name of the tool that was made."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Of its use."""

    @property
    def line(self) -> str:
        steps = ("wrote", "valid", "safe", "passed_first", "passed", "incorporated")
        done = [step for step in steps if getattr(self, step)]
        return f"{self.name}: {', '.join(done) or 'nothing'}; {self.repairs} repairs, {self.seconds:.0f} s. {self.why}"


def figures(results: Sequence[ToolResult]) -> dict[str, float]:
    """Shares in percent: of all tools, except `safe`, which is of those with a valid draft."""
    valid = [each for each in results if each.valid]
    wrote = [each for each in results if each.wrote]
    times = [each.seconds * 1000 for each in wrote]
    return {
        "tools": len(results),
        "written_percent": _percent(len(wrote), len(results)),
        "valid_percent": _percent(len(valid), len(results)),
        "safe_percent": _percent(sum(each.safe for each in valid), len(valid)),
        "passed_first_percent": _percent(sum(each.passed_first for each in results), len(results)),
        "passed_percent": _percent(sum(each.passed for each in results), len(results)),
        "incorporated_percent": _percent(sum(each.incorporated for each in results), len(results)),
        "incorporated_of_made_percent": _percent(
            sum(each.incorporated for each in results), sum(each.passed for each in results)
        ),
        "repairs_mean": round(statistics.fmean([each.repairs for each in wrote]), 2) if wrote else 0.0,
        "create_p50_ms": round(statistics.median(times), 1) if times else 0.0,
        "create_max_ms": round(max(times), 1) if times else 0.0,
    }


def is_safe(verdict: Mapping[str, Any]) -> bool:
    """Whether no case of a trial was killed, refused, or denied something."""
    reasons = [str(result["reason"]) for result in verdict["results"]]
    return not any(reason.startswith(("killed", "refused")) or " was denied" in reason for reason in reasons)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0
