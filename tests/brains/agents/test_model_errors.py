"""Every failure of a model server ends with a sentence that can be said, and the next turn is answered."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains.brain import Said, Turn
from tests.brains.agents.thinking import OFFERED, Gate, team, think
from tests.fakes.minds import free_port
from tests.fakes.openai_chat import Fault, ModelServer, say, use


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize(
    ("kind", "said", "hint"),
    [
        ("busy", "too busy", "Rate limit"),
        ("broken", "has failed", "500"),
        ("refused", "refused my key", "openai.api_key"),
        ("no model", "is not there", "openai.model"),
        ("cut", "can't reach", "openai.url"),
        ("malformed", "made no sense", "ask again"),
        ("nonsense", "made no sense", "ask again"),
        ("redirects", "has moved", "openai.url"),
    ],
)
async def test_a_fault_is_told_and_the_next_turn_answered(kind: Any, said: str, hint: str, api: str) -> None:
    with ModelServer([use("get_time"), Fault(kind), say("Here I am.")]) as server:
        async with team(server, api=api, retries=0) as brain:
            gate = Gate()
            found = await think(brain, "what time is it?", gate)
            assert found.failed is not None and gate.asked == [("get_time", {})]
            assert said in found.failed.message and hint in found.failed.hint
            assert found.failed.message.endswith(".") and "127.0.0.1" not in found.failed.message
            if kind in ("cut", "malformed"):
                assert found.reply.startswith("Well,")
            assert (await think(brain, "hello?")).reply == "Here I am."


@pytest.mark.parametrize("kind", ["hangs", "slow"])
async def test_a_server_that_falls_silent_is_not_waited_for(kind: Any) -> None:
    with ModelServer([Fault(kind), say("Here I am.")]) as server:
        async with team(server, retries=0, first_token_s=0.5) as brain:
            found = await think(brain, "hello")
            assert found.failed is not None and "too long" in found.failed.message
            assert await asyncio.to_thread(server.gone.wait, 20)  # the request has ended too
        async with team(server) as brain:
            assert (await think(brain, "hello?")).reply == "Here I am."


async def test_a_busy_server_is_asked_again_when_it_says() -> None:
    with ModelServer([Fault("busy", after=0.01), Fault("broken"), say("Now I can.")]) as server:
        async with team(server, retries=2) as brain:
            assert (await think(brain, "hello")).reply == "Now I can."
    assert len(server.asked) == 3


async def test_nobody_at_the_address() -> None:
    async with team(f"http://127.0.0.1:{free_port()}/v1", retries=0) as brain:
        found = await think(brain, "hello")
    assert found.failed is not None and "can't reach" in found.failed.message


async def test_a_turn_that_is_cut_short_ends_the_request() -> None:
    with ModelServer([Fault("hangs"), say("Yes?")]) as server:
        async with team(server) as brain:
            turn = asyncio.create_task(_first(brain.think(Turn("hm", Gate(), OFFERED))))
            await asyncio.to_thread(server.arrived.wait)
            turn.cancel()
            await asyncio.wait([turn])
            assert await asyncio.to_thread(server.gone.wait, 10)
            assert (await think(brain, "hello?")).reply == "Yes?"


async def test_who_stops_listening_ends_the_request() -> None:
    with ModelServer([Fault("slow")]) as server:
        async with team(server) as brain:
            thoughts = brain.think(Turn("hm", Gate(), OFFERED))
            assert isinstance(await anext(thoughts), Said)
            await thoughts.aclose()
            assert await asyncio.to_thread(server.gone.wait, 10)


async def _first(thoughts: Any) -> Any:
    return await anext(thoughts)


async def test_a_turn_has_a_budget_of_tokens() -> None:
    with ModelServer(lambda _: use("get_time")) as server:
        async with team(server, tokens_per_turn=5000) as brain:
            found = await think(brain, "what time is it?", Gate({"get_time": {"time": "x" * 4000}}))
    assert found.failed is not None and "one go" in found.failed.message and len(server.asked) < 5


@pytest.mark.parametrize("counts", [True, False])
async def test_a_day_has_a_budget_of_money_that_a_restart_does_not_renew(home: Path, counts: bool) -> None:
    prices = {"usd_per_million_in": 100.0, "usd_per_million_out": 0.0, "usd_per_day": 1.0}
    answer = say("Dear me.", tokens=(9900, 10) if counts else None)
    with ModelServer(lambda _: answer) as server:
        async with team(server, **prices) as brain:
            assert (await think(brain, "hello")).done.cost_usd > (0.9 if counts else 0.1)
        kept = json.loads((home / "spending.json").read_text())
        assert kept["day"] == datetime.now(UTC).date().isoformat()
        if not counts:
            _spend(home, kept | {"usd": 0.95})
        async with team(server, **prices) as brain:
            found = await think(brain, "hello again")
            assert found.failed is not None and "budget" in found.failed.message and len(server.asked) == 1
        _spend(home, kept | {"day": "2020-01-01"})
        async with team(server, **prices) as brain:
            assert (await think(brain, "good morning")).reply == "Dear me."
        (home / "spending.json").write_text("{")
        async with team(server, **prices) as brain:
            assert (await think(brain, "hello")).failed is not None  # a limit that is not known is not passed


def _spend(home: Path, told: dict[str, Any]) -> None:
    (home / "spending.json").write_text(json.dumps(told))
