"""What is often said is made ready while nobody speaks."""

from __future__ import annotations

import asyncio

from reachy_mind.errors import NotReady
from reachy_mind.speech.rehearsal import rehearse


async def test_it_waits_for_whoever_speaks_and_then_goes_on() -> None:
    ready: list[str] = []
    speaks = True
    first = asyncio.Event()

    async def prepare(sentence: str) -> None:
        ready.append(sentence)

    def busy() -> bool:
        first.set()
        return speaks

    rehearsing = asyncio.create_task(rehearse(("Hello.", "Okay."), prepare, busy))
    await first.wait()
    assert ready == []
    speaks = False
    await rehearsing
    assert ready == ["Hello.", "Okay."]


async def test_a_voice_that_fails_is_left_in_peace() -> None:
    tried: list[str] = []

    async def prepare(sentence: str) -> None:
        tried.append(sentence)
        raise NotReady("the voice has gone")

    await rehearse(("Hello.", "Okay."), prepare, lambda: False)
    assert tried == ["Hello."]
