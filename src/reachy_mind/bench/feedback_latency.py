"""What does feedback cost a turn that is none? Each sentence is given to a brain alone and to it behind the reviser.

Ours: the brain behind the `Reviser`, for a person with hundreds of lessons. Reference: the same brain alone, in the
same run. Counted: milliseconds to the first thought. The brain answers at once, so that the difference is ours.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reachy_mind.bench import Figures
from reachy_mind.brains.brain import Brain, Done, Past, Said, Thought, ToolCall, Turn
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Bus
from reachy_mind.feedback.lessons import NewLesson
from reachy_mind.feedback.readings import FeedbackReading
from reachy_mind.feedback.reviser import Reviser
from reachy_mind.feedback.service import FeedbackService
from reachy_mind.feedback.turn_feedback import TurnFeedback
from reachy_mind.storage.database import Database
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Outcome

SECONDS = 10.0
LESSONS = 300
REQUESTS = Path(__file__).with_name("requests.jsonl")


class InstantBrain:
    """Answers at once."""

    name = "instant"

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:  # noqa: ARG002
        yield Said("Yes.")
        yield Done()


async def measure(configuration: Configuration, seconds: float) -> Figures:  # noqa: ARG001
    with TemporaryDirectory() as folder:
        async with Database(Path(folder) / "mind.db") as database:
            service = FeedbackService(database, Bus(), read=_unread, past=_no_past, stop=_no_stop)
            await service.learn(_lessons())
            # Not entered: what it does in the background is not part of a turn.
            queue = TurnFeedback(service, Bus(), _unread, lambda turn: None)  # noqa: ARG005
            reviser = Reviser(InstantBrain(), service, queue)
            ours: list[float] = []
            alone: list[float] = []
            end = time.monotonic() + seconds
            while not ours or time.monotonic() < end:
                for text in _sentences():
                    alone.append(await _took(InstantBrain(), text))
                    ours.append(await _took(reviser, text))
    own, reference = _figures(ours), _figures(alone)
    added = {f"added_{name}": round(own[name] - reference[name], 3) for name in own}
    ratio = {name: round(own[name] / reference[name], 1) for name in own if reference[name]}
    return Figures(own | added, reference, ratio, {"lessons": str(LESSONS)})


def _sentences() -> list[str]:
    return [json.loads(line)["text"] for line in REQUESTS.read_text(encoding="utf-8").splitlines()]


def _lessons() -> list[NewLesson]:
    values = [
        NewLesson("ada", "value", "nod", {"offset": 1.0, "step": 1}, "times", {}, "more") for _ in range(LESSONS // 2)
    ]
    choices = [
        NewLesson("ada", "choice", "dance", {"request": f"do trick number {number}", "calls": [["dance", {}]]})
        for number in range(LESSONS // 2)
    ]
    return values + choices


async def _took(brain: Brain, text: str) -> float:
    """Milliseconds to the first thought that is no call."""

    async def call(name: str, args: dict[str, Any]) -> Outcome:  # noqa: ARG001
        return Outcome("ok", {})

    before = Past("nod", "I nodded.", (ToolCall("nod", {}, Outcome("ok", {})),), turn="1")
    turn = Turn(text, call, TOOLS, person="ada", conversation="c", history=(before,), id="2")
    began = time.perf_counter()
    first = 0.0
    async for _ in brain.think(turn):
        first = first or time.perf_counter() - began
    return first * 1000


def _figures(took: list[float]) -> dict[str, float]:
    return {
        "p50_ms": round(statistics.median(took), 4),
        "p99_ms": round(statistics.quantiles(took, n=100)[98], 4),
    }


async def _unread(text: str) -> FeedbackReading:  # noqa: ARG001
    return FeedbackReading(0.0, 0.0)


async def _no_past(conversation: str, turn: str) -> list[Past]:  # noqa: ARG001
    return []


async def _no_stop() -> None:
    return None
