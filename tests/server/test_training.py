"""Training over REST, on a mind without a robot. What trains needs torch (`make test-extras`)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from reachy_mind.access.tokens import Tokens
from reachy_mind.events import ConfirmationAsked, FeedbackGiven, ToolCalled, TrainingChanged
from reachy_mind.learning.training.curve import CurvePoint, LearningCurve
from reachy_mind.learning.training.plan import PLAN_FILE, TrainingPlan
from reachy_mind.learning.training.progress import ProgressFile, TrainingProgress
from reachy_mind.mind import Mind
from tests.server.served import calling, serving, socket
from tests.waiting import until

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch (make test-extras)")
SHORT: dict[str, Any] = {"task": "look_at", "algorithm": "ppo", "episodes": 60}
LONG: dict[str, Any] = {"task": "look_at", "algorithm": "ppo", "episodes": 100_000}


@pytest.fixture
def runs(mind: Mind) -> Path:
    return mind.configuration.home.training_folder


def begun(folder: Path, progress: TrainingProgress | None = None, plan: TrainingPlan | None = None) -> None:
    """A run as a training left it: two evaluations."""
    folder.mkdir(parents=True)
    (folder / PLAN_FILE).write_text((plan or TrainingPlan(algorithm="ppo", episodes=60)).model_dump_json())
    curve = LearningCurve(folder / "curve.jsonl")
    for episode, success in ((50, 0.5), (60, 0.75)):
        curve.append(CurvePoint(episode, success, 1.5, 0.01, float(episode)))
    if progress is not None:
        (folder / "progress.json").write_text(json.dumps(progress.as_dict()))


async def status(http: httpx.AsyncClient) -> dict[str, Any]:
    told: dict[str, Any] = (await http.get("training/status")).json()
    return told


async def test_without_a_run_the_status_says_so(http: httpx.AsyncClient) -> None:
    told = await status(http)
    assert (told["name"], told["state"], told["episode"], told["curve"], told["runs"]) == (None, "none", 0, [], [])
    assert told["success_rate"] is None and told["best_checkpoint"] is None
    assert (await http.post("training/stop")).json()["stopped"] is None
    assert (await http.get("training/runs/none")).status_code == 404
    assert (await http.delete("training/runs/none")).status_code == 404


async def test_runs_are_listed_the_latest_first(http: httpx.AsyncClient, runs: Path) -> None:
    begun(runs / "older", TrainingProgress("done", 60, 60))
    os.utime(runs / "older" / "progress.json", (1, 1))
    begun(runs / "newer", TrainingProgress("failed", 55, 60, reason="the disk is full"))
    (runs / "not-a-run").mkdir()
    told = await status(http)
    assert told["name"] == "newer" and [run["name"] for run in told["runs"]] == ["newer", "older"]
    assert (told["state"], told["reason"]) == ("failed", "the disk is full")
    assert (told["success_rate"], told["avg_reward"], told["violations"]) == (0.75, 1.5, 0.01)
    assert told["curve"] == [[50, 0.5], [60, 0.75]]
    whole = (await http.get("training/runs/older")).json()
    assert whole["plan"]["algorithm"] == "ppo" and whole["points"][1]["reward"] == 1.5
    listed = (await http.get("training/runs", params={"limit": 1})).json()
    assert listed["total"] == 2 and len(listed["runs"]) == 1


async def test_without_torch_nothing_is_started_and_the_error_names_the_extra(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    options = (await http.get("training/options")).json()
    assert options["available"] is False and "learning" in options["reason"]
    assert {"look_at"} <= {task["name"] for task in options["tasks"]}
    answer = await http.post("training/start", json=SHORT)
    assert answer.status_code == 503 and answer.json()["error"]["code"] == "MISSING_EXTRA"
    assert "pip install 'reachy-mind[learning]'" in answer.json()["error"]["hint"]
    assert (await status(http))["runs"] == []


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"algorithm": "magic"}, "algorithm"),
        ({"name": "../elsewhere"}, "name"),
        ({"episodes": 0}, "episodes"),
        ({"workers": 3}, "workers"),
    ],
)
async def test_a_start_that_makes_no_sense_is_refused(
    http: httpx.AsyncClient, wanted: dict[str, Any], told: str
) -> None:
    answer = await http.post("training/start", json=wanted)
    assert answer.status_code == 422 and told in answer.json()["error"]["message"]


async def test_a_run_is_deleted_only_when_a_person_says_yes(mind: Mind, http: httpx.AsyncClient, runs: Path) -> None:
    begun(runs / "old", TrainingProgress("done", 60, 60))
    assert (await http.delete("training/runs/old")).json()["error"]["code"] == "NOT_CONFIRMED"
    assert (runs / "old").exists()

    with mind.bus.subscribe(ConfirmationAsked) as questions, mind.confirmations.channel("page"):
        asking = asyncio.create_task(http.delete("training/runs/old"))
        asked = await questions.get()
        assert isinstance(asked, ConfirmationAsked) and asked.tool == "learning.remove_training"
        mind.confirmations.answer(asked.confirmation_id, approved=True, by="Ada")
        assert (await asking).json()["name"] == "old"
    assert not (runs / "old").exists()


async def test_feedback_on_an_episode_goes_to_the_training(mind: Mind, http: httpx.AsyncClient, runs: Path) -> None:
    begun(runs / "with-me", plan=TrainingPlan(human=True))
    with ProgressFile(runs / "with-me").held(300) as progress:
        progress.shows("It is to look at: 5 degrees to the left.")
        progress.waits("with-me:12", 13)
        told = await status(http)
        assert told["scene"] == "It is to look at: 5 degrees to the left.", "who does not know the goal can't judge"
        assert (told["state"], told["episode_id"], told["episode"]) == ("waiting", "with-me:12", 60)
        with mind.bus.subscribe(FeedbackGiven) as events:
            for given, reward in (({"rating": 0.3}, 0.3), ({"button": "great"}, 1.0), ({"text": "8 out of 10"}, None)):
                answer = await http.post("feedback", json=given | {"episode_id": "with-me:12", "person": "Ada"})
                said = answer.json()
                assert said["status"] == "received" and reward in (None, said["reward"]), said
                assert said["feedback"]["about"]["turn"] == "with-me:12" and said["feedback"]["lessons"] == []
                assert (await events.get()).turn_id == "with-me:12"  # type: ignore[attr-defined]
        refused = await http.post("feedback", json={"button": "stop", "episode_id": "with-me:12"})
        assert refused.json()["error"]["code"] == "NOT_READY", (
            "this process is no child of the mind, and it has no robot"
        )
    lines = [json.loads(line) for line in (runs / "with-me" / "feedback.jsonl").read_text().splitlines()]
    assert [line["episode"] for line in lines] == [12] * 4
    assert (
        [line["reward"] for line in lines][:2] == [0.3, 1.0] and 0 < lines[2]["reward"] < 1 and lines[3]["reward"] == -1
    )
    assert not any(line["text"] for line in lines), "what people said is in the database alone, where it can be erased"
    late = await http.post("feedback", json={"button": "good", "episode_id": "with-me:12"})
    assert late.json()["error"]["code"] == "NOT_READY", "nobody would learn from it"
    nobody = await http.post("feedback", json={"button": "good", "episode_id": "nobody:1"})
    assert nobody.status_code == 422 and "nobody" in nobody.json()["error"]["message"]


async def test_live_feedback_on_a_training_by_id_and_by_time(mind: Mind, runs: Path) -> None:
    begun(runs / "live", plan=TrainingPlan(human=True))
    async with serving(mind) as place, socket(place, "live_feedback") as line:
        with ProgressFile(runs / "live").held(300) as progress:
            progress.waits("live:3", 4)
            await line.send({"type": "good", "episode_id": "live:3"})
            assert (await line.until("feedback"))["reward"] == 0.5
            await line.send({"type": "rating", "value": -0.25, "about": "training"})
            assert (await line.until("feedback"))["feedback"]["about"]["turn"] == "live:3"
        await line.send({"type": "good", "about": "training"})
        assert (await line.until("error"))["error"]["code"] == "NOT_READY"
    lines = [json.loads(each) for each in (runs / "live" / "feedback.jsonl").read_text().splitlines()]
    assert [(each["episode"], each["reward"]) for each in lines] == [(3, 0.5), (None, -0.25)]


async def test_who_may_only_read_starts_no_training(mind: Mind, runs: Path) -> None:
    _, token = Tokens(mind.configuration.home).new("viewer", ("read",))
    async with serving(mind) as place:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=f"http://{place}/api/v1", headers=headers, trust_env=False) as viewer:
            assert (await viewer.get("training/status")).status_code == 200
            assert (await viewer.post("training/start", json=SHORT)).status_code == 403
            assert (await viewer.post("training/stop")).status_code == 403


# With torch: real training processes


@pytest.fixture
async def patient(mind: Mind) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(mind) as http:
        http.timeout = httpx.Timeout(120)
        yield http


async def ended(http: httpx.AsyncClient) -> dict[str, Any]:
    await until(lambda: over(http), within=90)
    return await status(http)


async def over(http: httpx.AsyncClient) -> bool:
    return (await status(http))["state"] not in ("starting", "running", "waiting")


def pid_of(folder: Path) -> int:
    return int(json.loads((folder / "progress.json").read_text())["pid"])


@needs_torch
@pytest.mark.process
@pytest.mark.slow
async def test_a_run_is_trained_killed_and_goes_on(mind: Mind, patient: httpx.AsyncClient, runs: Path) -> None:
    started = (await patient.post("training/start", json=LONG)).json()
    assert started["name"] == "look-at" and started["state"] in ("starting", "running"), started
    second = await patient.post("training/start", json=SHORT)
    assert second.status_code == 409 and "look-at is being trained" in second.json()["error"]["message"]

    async def evaluated() -> bool:
        return bool((await status(patient))["curve"])

    await until(evaluated, within=90)
    process = psutil.Process(pid_of(runs / "look-at"))
    assert process.nice() > 0 and os.getpgid(process.pid) != os.getpgid(0)
    process.send_signal(signal.SIGKILL)
    told = await ended(patient)
    assert told["state"] == "interrupted" and "killed" in told["reason"]
    reached = told["episode"]
    before = told["curve"]

    other = await patient.post("training/start", json={"name": "look-at", "algorithm": "sac"})
    assert other.status_code == 422 and "begun with algorithm ppo" in other.json()["error"]["message"]
    assert (await patient.post("training/start", json={"name": "look-at"})).json()["state"] in ("starting", "running")
    await until(lambda: further(patient, reached), within=90)
    assert (await status(patient))["curve"][: len(before)] == before, "it goes on with the curve of before"
    with mind.bus.subscribe(TrainingChanged) as events:
        assert (await patient.post("training/stop")).json()["stopped"] == "look-at"
        told = await status(patient)
        assert (told["state"], told["reason"]) == ("interrupted", "")
        changes = [await events.get()]
        while changes[-1].state != "interrupted":  # type: ignore[attr-defined]
            changes.append(await events.get())
    removed = await patient.delete("training/runs/look-at")
    assert removed.json()["error"]["code"] == "NOT_CONFIRMED", "it is over, and a person would have to say yes"


async def further(http: httpx.AsyncClient, episode: int) -> bool:
    return bool((await status(http))["episode"] > episode)


@needs_torch
@pytest.mark.process
@pytest.mark.slow
async def test_a_run_ends_well_or_says_what_went_wrong(mind: Mind, patient: httpx.AsyncClient, runs: Path) -> None:
    failed = await patient.post("training/start", json=SHORT | {"algorithm": "clone", "demonstrations": "none"})
    assert failed.status_code == 404 and "none" in failed.json()["error"]["message"]
    assert (await status(patient))["runs"] == [] and not (runs / "look-at").exists(), "it never began"
    (await patient.post("training/start", json=SHORT)).raise_for_status()
    told = await ended(patient)
    assert (told["state"], told["episode"]) == ("done", 60) and told["has_policy"] and told["best_checkpoint"]
    assert told["success_rate"] > 0.5 and [episode for episode, _ in told["curve"]] == [50, 60]
    named = (await patient.post("training/start", json=SHORT | {"algorithm": "clone", "episodes": 10})).json()
    assert named["name"] == "look-at-2"
    assert "episode    10 of 10" in (await until_logged(patient))["log"]


async def until_logged(http: httpx.AsyncClient) -> dict[str, Any]:
    await ended(http)
    found: dict[str, Any] = (await http.get("training/runs/look-at-2")).json()
    return found


@needs_torch
@pytest.mark.process
@pytest.mark.slow
async def test_a_stop_that_is_said_ends_the_training_and_so_does_the_mind() -> None:
    async with Mind(robot="none").session() as mind, calling(mind) as http:
        http.timeout = httpx.Timeout(120)
        (await http.post("training/start", json=LONG | {"human": True, "algorithm": "tamer"})).raise_for_status()
        await until(lambda: awaited(http), within=90)
        episode = (await status(http))["episode_id"]
        with mind.bus.subscribe(ToolCalled) as events:
            await http.post("feedback", json={"text": "stop!", "episode_id": episode})
            called = [await events.get(), await events.get()]
        assert [event.tool for event in called] == ["robot.stop", "learning.stop_training"]  # type: ignore[attr-defined]
        assert (await status(http))["state"] == "interrupted"
        (await http.post("training/start", json=LONG)).raise_for_status()
        folder = mind.configuration.home.training_folder / "look-at-2"
        process = psutil.Process(pid_of(folder))
    assert not process.is_running() and not psutil.Process().children()
    assert json.loads((folder / "progress.json").read_text())["state"] == "interrupted"


async def awaited(http: httpx.AsyncClient) -> bool:
    return (await status(http))["state"] == "waiting"
