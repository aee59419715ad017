"""Demonstrations over REST and `WS /ws/teach`, on a mind with a simulated robot that would look around by itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from reachy_mind.learning.demonstrations.store import DemonstrationStore
from tests.fakes.minds import Run, running
from tests.server.served import socket

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with running(tmp_path_factory.mktemp("shown"), "--no-camera") as mind:
        yield mind


@pytest.fixture
def store(run: Run) -> DemonstrationStore:
    return DemonstrationStore(run.home / "datasets")


@pytest.fixture
def http(run: Run) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{run.url}/api/v1", timeout=60) as client:
        yield client


def place(run: Run) -> str:
    return run.url.removeprefix("http://")


def test_a_task_is_shown_by_calls_listed_and_done_again(http: httpx.Client) -> None:
    shown = {"task_description": "nod", "actions": [{"name": "nod", "args": {"times": 1}}], "person": "Ada"}
    kept = http.post("/demonstration", json=shown).json()
    assert kept["status"] == "stored" and kept["actions"][0]["name"] == "nod" and kept["person"] == "Ada"
    listed = http.get("/demonstrations").json()
    assert kept["demo_id"] in [one["demo_id"] for one in listed["demonstrations"]]
    one = http.get(f"/demonstrations/{kept['demo_id']}").json()
    assert max(one["axes"]["pitch"]) > 5 and len(one["times"]) == len(one["axes"]["pitch"])
    again = http.post(f"/demonstrations/{kept['demo_id']}/replay").json()
    assert again["duration_s"] == pytest.approx(kept["duration_s"], abs=0.1)


def test_the_robot_does_not_move_by_itself_while_it_is_shown_something(
    http: httpx.Client, store: DemonstrationStore
) -> None:
    kept = http.post("/demonstration", json={"task_description": "hold still", "seconds": 8, "dataset": "still"}).json()
    actions = store.get(kept["demo_id"]).actions[20:]  # after what it did before has ended
    assert np.degrees(np.ptp(actions[:, 3:], axis=0)).max() < 0.5 and np.ptp(actions[:, :3], axis=0).max() < 5e-4


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ({"seconds": 1, "dataset": "../out"}, "INVALID_PARAMETER"),
        ({"task_description": "  ", "seconds": 500}, "INVALID_PARAMETER"),
        ({}, "INVALID_PARAMETER"),
        ({"actions": [{"name": "fly"}]}, "UNKNOWN_TOOL"),
        ({"actions": [{"name": "nod", "args": {"times": 99}}]}, "INVALID_PARAMETER"),
        ({"seconds": 1, "camera": True}, "NOT_READY"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once_and_nothing_is_kept(
    http: httpx.Client, store: DemonstrationStore, wish: dict[str, Any], code: str
) -> None:
    before = len(store.listing().demonstrations)
    answer = http.post("/demonstration", json={"task_description": "x"} | wish)
    assert answer.is_client_error or answer.status_code == 503
    assert answer.json()["error"]["code"] == code and answer.json()["error"]["hint"]
    assert len(store.listing().demonstrations) == before


async def test_a_recording_over_the_socket_is_kept_cancelled_or_lost_with_its_client(
    run: Run, store: DemonstrationStore
) -> None:
    async with socket(place(run), "teach") as line:
        for wrong in ("{", '{"type": "fly"}', '{"type": "stop"}', '{"type": "start"}'):
            await line.send(wrong)
            assert (await line.until("error"))["hint"]
        await line.send({"type": "start", "task_description": "bow", "dataset": "sock", "person": "Bo"})
        await line.until("recording")
        await line.send({"type": "start", "task_description": "bow"})
        assert "already" in (await line.until("error"))["message"]
        await line.send({"type": "action", "name": "robot.move_head", "args": {"direction": "down"}})
        assert (await line.until("done"))["status"] == "ok"
        await line.send({"type": "target", "yaw": 10, "pitch": 5, "distance": 0.5})
        await line.send({"type": "stop"})
        kept = await line.until("stored")
        await line.send({"type": "start", "task_description": "bow", "dataset": "sock"})
        await line.until("recording")
        await line.send({"type": "cancel"})
        await line.until("cancelled")
        await line.send({"type": "start", "task_description": "bow", "dataset": "sock"})
        await line.until("recording")
    (one,) = await asyncio.to_thread(store.load, "sock")
    assert (one.id, one.source, one.person) == (kept["demo_id"], "tools", "Bo") and one.targets[-1, 2] == 1


async def test_a_mind_that_is_killed_in_a_recording_leaves_what_was_kept(tmp_path: Path) -> None:
    with running(tmp_path / "home", "--no-camera", "--no-idle") as run:
        store = DemonstrationStore(run.home / "datasets")
        async with httpx.AsyncClient(base_url=f"{run.url}/api/v1", timeout=60) as http:
            await http.post("/demonstration", json={"task_description": "x", "seconds": 0.5})
        async with socket(place(run), "teach") as line:
            await line.send({"type": "start", "task_description": "y"})
            await line.until("recording")
            await asyncio.to_thread(run.end, signal.SIGKILL)
    assert [one.task for one in store.load("demonstrations")] == ["x"]
    assert not list(store.folder.glob(".*.new"))
