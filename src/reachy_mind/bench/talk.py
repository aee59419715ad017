"""How good is it to talk with? Conversations of several turns, judged by what is said and done in the last one.

Ours: the whole mind (tools, memory, profile) with the brain named by --brain (as set, if none is). Reference: the
reflex brain alone; and where ours thinks with a model and the language model is there (`models pull chat`), that one
asked plainly: a short prompt, the conversation, no tools. All have the same conversations: as many as the time allows
for ours, equally from all kinds. A stand-in for the robot's body lets its tools succeed at once. `--set`: `developing`,
which developers look at, or `held_out`, which is run once for a release and of which nothing is shown.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reachy_mind.bench import Figures
from reachy_mind.bench.talk_conversations import (
    SETS,
    Conversation,
    TalkAnswer,
    acted_wrongly,
    conversations,
    judged,
    mixed,
)
from reachy_mind.bench.talk_partners import MindPartner, PlainPartner, TalkPartner
from reachy_mind.config.configuration import Configuration
from reachy_mind.models.chat_choice import DEFAULT
from reachy_mind.models.store import Store

__all__ = ["BRAINS", "SECONDS", "SETS", "measure"]

SECONDS = 1200.0
"""Time limit for each of those that are talked with."""
BRAINS = ("auto", "reflex", "agents", "claude")
_COMPARED = ("percent", "first_word_p50_ms", "turn_p50_ms")


@dataclass
class TalkTally:
    """The counts of one partner."""

    right: dict[str, list[bool]] = field(default_factory=dict)
    """By kind."""
    wrong_tools: int = 0
    """Conversations in which the robot acted where it should only have answered."""
    first_word_ms: list[float] = field(default_factory=list)
    turn_ms: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def heard(self, answer: TalkAnswer) -> None:
        """Count the times of a turn."""
        self.turn_ms.append(answer.turn_ms)
        if answer.first_word_ms is not None:
            self.first_word_ms.append(answer.first_word_ms)

    def judge(self, one: Conversation, answer: TalkAnswer) -> None:
        """Judge the answer to the last turn."""
        wrong = judged(one.checks, answer)
        self.right.setdefault(one.kind, []).append(not wrong)
        self.wrong_tools += acted_wrongly(one.checks, answer)
        if wrong:
            error = f" (error: {answer.error})" if answer.error else ""
            why = "; ".join(wrong)
            self.failed.append(f"{one.id} {one.kind}: {one.turns[-1]!r} -> {answer.text!r}{error}: {why}")

    @property
    def of(self) -> int:
        return sum(map(len, self.right.values()))

    def figures(self) -> dict[str, float]:
        right = sum(map(sum, self.right.values()))
        kinds: dict[str, float] = {}
        for kind, each in sorted(self.right.items()):
            kinds |= {f"{kind}_right": sum(each), f"{kind}_of": len(each)}
        return {
            "right": right,
            "of": self.of,
            "percent": round(100 * right / max(1, self.of), 1),
            "wrong_tools": self.wrong_tools,
            **_times("first_word", self.first_word_ms),
            **({"turn_p50_ms": round(statistics.median(self.turn_ms), 1)} if self.turn_ms else {}),
            **kinds,
        }


async def measure(
    configuration: Configuration, seconds: float, brain: str | None = None, collection: str = SETS[0]
) -> Figures:
    asked = mixed(conversations(collection))
    async with MindPartner.open(configuration, brain or configuration.settings.mind.brain) as partner:
        ours = await talked(partner, asked, seconds)
        line, thinks = partner.line, partner.thinks
    asked, references = asked[: ours.of], dict[str, TalkTally]()
    if thinks:
        async with MindPartner.open(configuration, "reflex") as partner:
            references["reflex"] = await talked(partner, asked, seconds)
        if _pulled(configuration):
            async with PlainPartner.open(configuration) as plain:
                references["plain"] = await talked(plain, asked, seconds)
    else:
        references["reflex"] = ours
    notes = {"brain": line, "set": collection, "body": "a stand-in, on which every tool succeeds at once"}
    shown = tuple(sorted(ours.failed)) if collection == SETS[0] else ()
    return _compared(ours, references, notes, shown)


async def talked(partner: TalkPartner, asked: Sequence[Conversation], seconds: float) -> TalkTally:
    """Have the conversations in order, as many as the time allows, but at least one."""
    tally, end = TalkTally(), time.monotonic() + seconds
    for one in asked:
        if tally.of and time.monotonic() > end:
            break
        answer = TalkAnswer("")
        async with partner.conversation() as ask:
            for turn in one.turns:
                answer = await ask(turn)
                tally.heard(answer)
        tally.judge(one, answer)
    return tally


def _compared(
    ours: TalkTally, references: Mapping[str, TalkTally], notes: Mapping[str, str], shown: Sequence[str]
) -> Figures:
    mine = ours.figures()
    reference, ratio = dict[str, float](), dict[str, float]()
    for name, tally in references.items():
        theirs = tally.figures()
        reference |= {f"{name}_{figure}": value for figure, value in theirs.items()}
        if tally is not ours:
            both = [figure for figure in _COMPARED if mine.get(figure) and theirs.get(figure)]
            ratio |= {f"{name}_{figure}": round(mine[figure] / theirs[figure], 2) for figure in both}
    return Figures(mine, reference, ratio, notes, shown)


def _pulled(configuration: Configuration) -> bool:
    ready = Store(configuration.models_folder).status(DEFAULT).state == "ready"
    return ready and importlib.util.find_spec("xllamacpp") is not None


def _times(name: str, values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    latest = statistics.quantiles(values, n=20)[18] if len(values) > 1 else values[0]
    return {f"{name}_p50_ms": round(statistics.median(values), 1), f"{name}_p95_ms": round(latest, 1)}
