"""`AttemptLog`: every request of a user, how it was answered, and the faults that were under way meanwhile.

A request is `right` when it was answered as it should be. It is `degraded` when the answer is an error that names a
fault which was under way, by its code or in words. It `failed` when there was no answer, a wrong one, or an error that
no fault explains. A movement or an answer that a stop has ended was answered rightly.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import httpx

from reachy_mind.client import RemoteError

Verdict = Literal["right", "degraded", "failed"]
ANSWER_TIMEOUT_S: Final = 40.0
AFTERMATH_S: Final = 3.0
"""A fault counts as under way for so long after the function was back: a request may have begun before."""
STOPPED: Final = frozenset({"CANCELLED", "INTERRUPTED"})


class WrongAnswer(Exception):
    """An answer that is not the one to this request."""


@dataclass(frozen=True)
class Explanation:
    """The errors of a fault: their codes, and a pattern for answers in words."""

    codes: frozenset[str]
    words: re.Pattern[str]

    def fits(self, code: str, message: str) -> bool:
        return code in self.codes or self.words.search(message) is not None


@dataclass
class FaultWindow:
    """One fault. Times are of the monotonic clock: when it began, when it was over, when everything worked again."""

    kind: str
    began: float
    ended: float | None = None
    recovered: float | None = None

    def covers(self, began: float, ended: float) -> bool:
        """Whether it was under way at a time between these."""
        return self.began <= ended and (self.recovered is None or self.recovered + AFTERMATH_S >= began)

    @property
    def recovery_s(self) -> float | None:
        """From its end until everything worked again."""
        return None if self.recovered is None or self.ended is None else self.recovered - self.ended


@dataclass(frozen=True)
class Attempt:
    """A request. `detail` says what was wrong; `faults` were under way."""

    kind: str
    began: float
    ended: float
    verdict: Verdict
    detail: str = ""
    faults: tuple[str, ...] = ()


class AttemptLog:
    """`explanations` by kind of fault."""

    def __init__(self, explanations: Mapping[str, Explanation]) -> None:
        self._explanations = explanations
        self.attempts: list[Attempt] = []
        self.windows: list[FaultWindow] = []
        self.stops: list[float] = []
        """When the robot was stopped."""

    async def attempt(self, kind: str, work: Awaitable[object]) -> bool:
        """Do one request, and note how it went. Whether it was answered rightly."""
        began = time.monotonic()
        verdict: Verdict = "right"
        detail = ""
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                await work
        except RemoteError as error:
            verdict = self._judged(error, began)
            detail = f"{error.code}: {error.message}"
        except TimeoutError:
            verdict, detail = "failed", f"no answer within {ANSWER_TIMEOUT_S:g} s"
        except WrongAnswer as error:
            verdict, detail = "failed", f"wrong: {error}"
        except httpx.TransportError as error:
            verdict, detail = "failed", f"no answer: {type(error).__name__}"
        except Exception as error:  # noqa: BLE001 -- whatever it is, the request was not answered
            verdict, detail = "failed", f"{type(error).__name__}: {_innermost(error)}"
        ended = time.monotonic()
        faults = tuple(sorted({window.kind for window in self._under_way(began, ended)}))
        self.attempts.append(Attempt(kind, began, ended, verdict, detail[:300], faults))
        return verdict == "right"

    def _judged(self, error: RemoteError, began: float) -> Verdict:
        now = time.monotonic()
        if error.code in STOPPED and any(began - 1 <= at <= now for at in self.stops):
            return "right"
        return "degraded" if self.explains(error, began) else "failed"

    def explains(self, error: RemoteError, began: float) -> bool:
        """Whether an error names a fault that was under way since then."""
        known = (self._explanations[window.kind] for window in self._under_way(began, time.monotonic()))
        return any(each.fits(error.code, error.message) for each in known)

    def _under_way(self, began: float, ended: float) -> list[FaultWindow]:
        return [window for window in self.windows if window.covers(began, ended)]

    def begin_fault(self, kind: str) -> FaultWindow:
        window = FaultWindow(kind, time.monotonic())
        self.windows.append(window)
        return window


@dataclass(frozen=True)
class Availability:
    """Shares of requests, in percent."""

    requests: int
    right_percent: float
    degraded_percent: float
    failed_percent: float
    p50_ms: float
    p95_ms: float
    max_ms: float


def availability(attempts: Iterable[Attempt]) -> Availability:
    """Of some requests. Latency is that of those that were answered rightly."""
    listed = list(attempts)
    verdicts = Counter(each.verdict for each in listed)
    total = max(1, len(listed))
    took = sorted(1000 * (each.ended - each.began) for each in listed if each.verdict == "right") or [0.0]
    return Availability(
        requests=len(listed),
        right_percent=round(100 * verdicts["right"] / total, 3),
        degraded_percent=round(100 * verdicts["degraded"] / total, 3),
        failed_percent=round(100 * verdicts["failed"] / total, 3),
        p50_ms=round(took[len(took) // 2], 1),
        p95_ms=round(took[int(len(took) * 0.95)], 1),
        max_ms=round(took[-1], 1),
    )


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__} {error}"
