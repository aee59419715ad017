"""What becomes of what people say? Requests nobody trained on, read by the reflex brain and by simpler ones.

Ours: the reflex brain's understanding. Reference: where the general language model it was trained from is there
(`models pull language-base`), the nearest of four thousand training sentences by its embedding; and where a small
language model is (`make test-models`), that one, for as many requests as the time allows, taken at random but always
the same. Where neither is there, nothing is compared. Counted apart: right tools in order, right arguments too, asked
back, answered in words only, wrong action.
"""

from __future__ import annotations

import asyncio
import importlib.util
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from reachy_mind.bench import Figures
from reachy_mind.bench.language_model import LanguageModel
from reachy_mind.bench.nearest_sentence import Neighbours
from reachy_mind.bench.reflex_requests import ReflexRequest, judged, requests
from reachy_mind.brains.reflex.plan import Ask, Before, Guess, Plan, Step
from reachy_mind.brains.reflex.reader import WEIGHTS, Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.config.configuration import Configuration
from reachy_mind.models.chat_choice import chosen_chat_model
from reachy_mind.models.store import Store

SECONDS = 60.0
Understand = Callable[[str, Sequence[Before]], Plan]


async def measure(configuration: Configuration, seconds: float) -> Figures:
    return await asyncio.to_thread(_measured, configuration, seconds)


def _measured(configuration: Configuration, seconds: float) -> Figures:
    asked = list(requests())
    ours = _counted(asked, Understanding(Reader.load()).plan)
    reference: dict[str, Any] = {}
    ratio: dict[str, float] = {}
    store = Store(configuration.models_folder)
    if store.status("language-base").state == "ready":
        near = _counted(asked, Neighbours.of(store.path("language-base"), WEIGHTS.parent / "sentences").plan)
        reference |= {f"embeddings_{name}": value for name, value in near.items() if name != "requests"}
        ratio = {name: round(ours[name] / near[name], 2) for name in ("tools", "arguments", "p50_ms")}
    if chosen_chat_model(configuration) is not None and importlib.util.find_spec("xllamacpp") is not None:
        reference |= {f"model_{name}": value for name, value in _modelled(asked, configuration, seconds).items()}
    return Figures(ours, reference, ratio)


def _modelled(asked: Sequence[ReflexRequest], configuration: Configuration, seconds: float) -> dict[str, Any]:
    chosen = random.Random(0).sample(asked, len(asked))  # noqa: S311 -- the same ones every time
    counts, took = Counter[str](), []
    with LanguageModel.of(configuration) as model:
        end = time.monotonic() + seconds
        while chosen and time.monotonic() < end:
            request = chosen.pop()
            began = time.perf_counter()
            made = Plan(tuple(model.plan(request.text, request.after)))
            took.append(time.perf_counter() - began)
            counts[judged(request, made)] += 1
    return _figures(counts, took)


def understood(request: ReflexRequest, understand: Understand) -> Plan:
    """A plan for a request, after the turn that went before it, as the brain would make it."""
    if is_stop(request.text):
        return Plan((Step("stop"),))
    before: list[Before] = []
    if request.after:
        earlier = understand(request.after, ())
        open_steps = [part.step for part in earlier.parts if isinstance(part, Ask)]
        guessed = [step for part in earlier.parts if isinstance(part, Guess) for step in part.steps]
        before = [Before(step.tool, step.args) for step in (*earlier.steps, *open_steps) or guessed]
    return understand(request.text, before)


def _counted(asked: Sequence[ReflexRequest], understand: Understand) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    took = []
    for request in asked:
        began = time.perf_counter()
        made = understood(request, understand)
        took.append(time.perf_counter() - began)
        counts[judged(request, made)] += 1
    return _figures(counts, took)


def _figures(counts: Counter[str], took: Sequence[float]) -> dict[str, Any]:
    cuts = statistics.quantiles(took, n=100)
    return {
        "requests": len(took),
        "tools": counts["right"] + counts["arguments"],
        "arguments": counts["right"],
        "asked": counts["asked"],
        "missed": counts["missed"],
        "wrong": counts["wrong"],
        "p50_ms": round(statistics.median(took) * 1000, 2),
        "p99_ms": round(cuts[98] * 1000, 2),
    }
