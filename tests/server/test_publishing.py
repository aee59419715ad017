"""A trained policy becomes a tool over REST. The policy is fitted without PyTorch; its trial is real."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from reachy_mind.access.tokens import Tokens
from reachy_mind.events import ToolCalled
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.mind import Mind
from tests.fakes.trained_runs import left_on_disk, looking
from tests.server.served import calling, serving

pytestmark = pytest.mark.process


@pytest.fixture
async def patient(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(mind) as http:
        http.timeout = httpx.Timeout(120)
        yield http


async def publish(http: httpx.AsyncClient, run: str, **wanted: str) -> httpx.Response:
    return await http.post(f"training/runs/{run}/publish", json=wanted)


@pytest.mark.slow
async def test_a_run_becomes_a_version_that_a_person_decides_about(mind: Mind, patient: httpx.AsyncClient) -> None:
    left_on_disk(mind.configuration.home.training_folder / "good", policy=looking())
    before: dict[str, Any] = (await patient.get("training/runs/good")).json()
    assert before["publishable"] and before["skills"] == []
    with mind.bus.subscribe(ToolCalled) as events:
        made = await publish(patient, "good")
        called = await asyncio.wait_for(events.get(), 10)
    told: dict[str, Any] = made.json()
    assert made.status_code == 200, told
    assert (told["name"], told["version"], told["state"]) == ("practised_look_at", 1, "tested")
    assert "you decide whether I may use it" in told["message"]
    assert called.tool == "learning.publish_training"  # type: ignore[attr-defined]
    assert not any(tool["name"] == "practised_look_at" for tool in (await patient.get("tools")).json()["tools"])
    (listed,) = (await patient.get("workshop/tools")).json()["tools"]
    assert (listed["name"], listed["waiting"]) == ("practised_look_at", 1)
    whole = (await patient.get("training/runs/good")).json()
    assert whole["skills"] == [{"name": "practised_look_at", "version": 1, "state": "tested"}]


async def test_what_can_not_be_a_tool_says_why(mind: Mind, patient: httpx.AsyncClient) -> None:
    runs = mind.configuration.home.training_folder
    left_on_disk(runs / "begun")
    left_on_disk(runs / "blank", policy=Policy(looking().layers, looking().mean, looking().scale, {"task": "look_at"}))
    assert (await publish(patient, "none")).status_code == 404
    assert not (await patient.get("training/runs/begun")).json()["publishable"]
    begun = await publish(patient, "begun")
    assert begun.status_code >= 400 and "policy.npz" in begun.json()["error"]["message"]
    blank = await publish(patient, "blank")
    assert "what it was trained on" in blank.json()["error"]["message"]
    taken = await publish(patient, "blank", tool="Robot Nod")
    assert taken.status_code == 422
    assert (await patient.get("workshop/tools")).json()["tools"] == []


async def test_only_who_may_make_tools_publishes(mind: Mind) -> None:
    left_on_disk(mind.configuration.home.training_folder / "good", policy=looking())
    _, token = Tokens(mind.configuration.home).new("student", ("read", "control"))
    async with serving(mind) as place:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=f"http://{place}/api/v1", headers=headers, trust_env=False) as http:
            assert (await publish(http, "good")).status_code == 403
