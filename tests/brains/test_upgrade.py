"""A thinker that appears while the mind runs: no turn waits for it, it is told, and used once it is ready."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reachy_mind.brains import auto
from reachy_mind.brains.auto import Auto
from reachy_mind.brains.brain import BrainUnavailable, Done, Turn
from reachy_mind.brains.selection_rule import BrainChoice
from reachy_mind.config.configuration import load
from reachy_mind.tools.definition import Outcome
from tests.brains.reflex.test_brain import UNDERSTAND, Reflex
from tests.brains.test_auto import Thinker
from tests.waiting import until

QUESTION = "why are planets round?"


class SlowModel(Thinker):
    """A model that is loaded for as long as the test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.loading, self.loaded = asyncio.Event(), asyncio.Event()
        self.broken = False

    async def prepare(self, _turn: Turn) -> None:
        self.loading.set()
        await self.loaded.wait()
        if self.broken:
            raise BrainUnavailable("its file is damaged")


class Alone:
    """A mind that began with reflex alone; `pulled` is what another process did meanwhile."""

    def __init__(self) -> None:
        self.model, self.pulled = SlowModel(), False
        self.told: list[tuple[str, str]] = []
        self.brain = Auto(Reflex(UNDERSTAND), self.decide, lambda _: self.model, told=self.tell)

    def tell(self, *told: str) -> None:
        self.told.append((told[0], told[1]))

    async def decide(self) -> BrainChoice:
        return BrainChoice("thinker" if self.pulled else "", "the chat model was pulled", load())

    async def call(self, _name: str, _args: dict[str, Any]) -> Outcome:
        return Outcome("ok", {})

    async def who_answers(self, text: str = QUESTION) -> str:
        thoughts = [one async for one in self.brain.think(Turn(text, self.call))]
        return next(one.brain for one in thoughts if isinstance(one, Done))


@pytest.fixture
async def alone(monkeypatch: pytest.MonkeyPatch) -> Alone:
    mind = Alone()
    assert await mind.who_answers() == "reflex"
    monkeypatch.setattr(auto, "PROBE_INTERVAL_S", 0.0)
    mind.pulled = True
    return mind


async def test_no_turn_waits_for_a_model_that_another_process_pulled(alone: Alone) -> None:
    assert await alone.who_answers() == "reflex"
    await alone.model.loading.wait()
    assert [await alone.who_answers() for _ in range(3)] == ["reflex"] * 3, "it is being loaded"
    assert alone.told == [("found", "reflex, then thinker (the chat model was pulled)")]
    alone.model.loaded.set()
    await until(lambda: len(alone.told) == 2)
    assert alone.told[1][0] == "ready" and await alone.who_answers() == "thinker"
    await alone.brain.aclose()
    assert alone.model.closed


async def test_it_is_not_used_in_the_middle_of_a_turn(alone: Alone) -> None:
    thoughts = alone.brain.think(Turn("nod", alone.call))
    await anext(thoughts)
    await alone.model.loading.wait()
    alone.model.loaded.set()
    await asyncio.sleep(0.05)
    assert alone.brain.name == "reflex" and [state for state, _ in alone.told] == ["found"]
    async for _ in thoughts:
        pass
    await until(lambda: alone.brain.name == "auto")
    await alone.brain.aclose()


async def test_one_that_can_not_be_loaded_is_told_and_closed(alone: Alone) -> None:
    alone.model.broken = True
    alone.model.loaded.set()
    alone.brain.reconsider(Turn("", alone.call))
    await until(lambda: alone.model.closed)
    assert alone.told[-1] == ("failed", "its file is damaged") and await alone.who_answers() == "reflex"
    await alone.brain.aclose()


async def test_a_mind_that_ends_meanwhile_closes_it(alone: Alone) -> None:
    alone.brain.reconsider(Turn("", alone.call))
    await alone.model.loading.wait()
    await alone.brain.aclose()
    assert alone.model.closed and alone.brain.name == "reflex"
