"""Models by the API: one request gets the recommended one, with its progress, and the brain notices."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.brains import selection_rule
from reachy_mind.cli import run
from reachy_mind.events import BrainChanged, Missed, ModelPullChanged
from reachy_mind.mind import Mind
from reachy_mind.models import fitness, ollama
from reachy_mind.models.machine import Machine
from tests.fakes.model_hub import ModelHub
from tests.fakes.ollama import OllamaServer
from tests.server.served import calling
from tests.waiting import until

NAME, FILE = "chat-qwen3-4b", "unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf"
GB = 1_000_000_000
DESKTOP = Machine(memory=16 * GB, free_memory=12 * GB, cores=8, on_battery=False, free_disk=100 * GB)

pytestmark = pytest.mark.process  # a pulled model is loaded at once


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    with ModelHub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.files[FILE] = b"GGUF" + hashlib.shake_256(b"model").digest(400_000)
        yield hub


@pytest.fixture
async def mind(hub: ModelHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Mind]:
    """A mind on a desktop, with reflex alone because it has no model."""
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(tmp_path / "models"))
    monkeypatch.setenv("REACHY_MIND_MIND__BRAIN", "auto")
    monkeypatch.setattr(Machine, "here", lambda _: DESKTOP)
    monkeypatch.setattr(fitness, "find_spec", lambda _: True)
    monkeypatch.setattr(ollama, "DEFAULT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr(selection_rule.decide, "__defaults__", ("http://127.0.0.1:9",))
    async with Mind(robot="none").session() as awake:
        await awake.thinking.decide()
        yield awake


@pytest.fixture
async def http(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(mind) as client:
        yield client


async def listed(http: httpx.AsyncClient, name: str = NAME) -> tuple[dict[str, Any], dict[str, Any]]:
    """The whole list, and the row of one model."""
    found = (await http.get("/models")).json()
    return found, next(row for row in found["models"] if row["name"] == name)


async def ended(http: httpx.AsyncClient, name: str = NAME) -> dict[str, Any]:
    async def done() -> bool:
        return bool((await listed(http, name))[1]["pull"]["state"] != "running")

    await until(done)
    return (await listed(http, name))[1]


async def test_one_request_gets_the_recommended_model_and_the_brain_notices(
    mind: Mind, http: httpx.AsyncClient, hub: ModelHub
) -> None:
    found, row = await listed(http)
    assert found["offered"] and found["recommended"]["name"] == NAME and found["recommended"]["licence"] == "Apache-2.0"
    assert found["ollama"] is None and found["total"] == len(found["models"])
    assert (row["state"], row["pull"], row["used"]) == ("absent", None, False)

    hub.held = True
    with mind.bus.subscribe(ModelPullChanged) as events, mind.bus.subscribe(BrainChanged) as brains:
        started = await http.post(f"/models/{NAME}/pull")
        assert started.status_code == 202 and started.json()["state"] == "running"
        assert (await http.post(f"/models/{NAME}/pull")).json()["state"] == "running", "it is the same pull"
        assert await asyncio.to_thread(hub.reached.wait, 20)
        assert (await mind.ask("hello")).text, "the conversation goes on"
        assert (await listed(http))[1]["pull"]["stage"] == "downloading"
        hub.held = False
        hub.release.set()
        assert (await ended(http))["pull"]["state"] == "ready"
        async with asyncio.timeout(20):
            noticed = await brains.get()
        assert isinstance(noticed, BrainChanged) and noticed.state == "found", "without waiting for a question"
        assert NAME in noticed.thinking, "and without a restart"
    told = [event async for event in events if not isinstance(event, Missed)]
    assert [event.state for event in told if isinstance(event, ModelPullChanged)][-1] == "ready"
    assert len(hub.downloads) == 2, "one pull, which resumed once"

    found, row = await listed(http)
    assert not found["offered"] and row["state"] == "ready" and row["used"]


async def test_a_pull_can_be_cancelled_and_resumed(http: httpx.AsyncClient, hub: ModelHub) -> None:
    assert (await http.delete(f"/models/{NAME}/pull")).json() == {"name": NAME, "cancelled": False}
    hub.held = True
    await http.post(f"/models/{NAME}/pull")

    async def partly_there() -> bool:
        return bool((await listed(http))[1]["bytes_on_disk"] >= 100_000)

    await until(partly_there)
    assert (await http.delete(f"/models/{NAME}/pull")).json() == {"name": NAME, "cancelled": True}
    found, row = await listed(http)
    assert row["pull"]["state"] == "cancelled" and row["state"] == "partial" and found["offered"]
    hub.held = False
    hub.release.set()
    await http.post(f"/models/{NAME}/pull")
    assert (await ended(http))["state"] == "ready"
    assert hub.downloads[-1].startswith("bytes=")


async def test_a_model_that_cannot_be_had_is_told_and_another_one_recommended(
    http: httpx.AsyncClient, hub: ModelHub
) -> None:
    hub.files.clear()
    await http.post(f"/models/{NAME}/pull")
    row = await ended(http)
    assert row["pull"]["state"] == "failed" and "404" in row["pull"]["error"]["message"]
    found, _ = await listed(http)
    assert found["offered"] and found["recommended"]["name"] == "chat"


async def test_run_says_in_one_line_how_to_get_one(mind: Mind, monkeypatch: pytest.MonkeyPatch) -> None:
    line = run._missing_model(mind)
    assert line == "none yet: click on the page, or: reachy-mind models pull chat-qwen3-4b (2.5 GB, Apache-2.0)"
    monkeypatch.setattr(fitness, "find_spec", lambda _: None)
    assert run._missing_model(mind).endswith("; first: pip install 'reachy-mind[agents]'")


async def test_unknown_names_are_not_found(http: httpx.AsyncClient) -> None:
    for answer in (await http.post("/models/nothing/pull"), await http.delete("/models/nothing/pull")):
        assert answer.status_code == 404 and answer.json()["error"]["code"] == "NOT_FOUND"


async def test_the_models_of_an_ollama_are_listed(http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with OllamaServer({"gemma:2b": ["completion"], "qwen3:8b": ["completion", "tools"]}) as server:
        monkeypatch.setattr(ollama, "DEFAULT_URL", server.url)
        found, _ = await listed(http)
    assert found["ollama"]["version"] == "0.14.1"
    models = {model["name"]: model for model in found["ollama"]["models"]}
    assert models["qwen3:8b"]["used"] and not models["gemma:2b"]["used"] and "tools" in models["qwen3:8b"]["abilities"]
