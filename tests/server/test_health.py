"""Readiness: what does not work is named, and told when it changes."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.config.configuration import load
from reachy_mind.events import WorkerChanged
from reachy_mind.mind import Mind
from reachy_mind.models.worker import Worker
from tests.server.served import calling


async def test_a_model_process_that_hangs_is_named_until_it_is_back(home: Path) -> None:
    flags = {"robot.address": "none", "mind.brain": "reflex"}
    async with Mind(load(flags=flags)).session() as mind, calling(mind) as http:
        worker = Worker("ears test", "nothing:here")
        with mind.bus.subscribe(WorkerChanged) as changes:
            worker._tell("hung", "it gave no sign of life")
            assert (await http.get("http://127.0.0.1/readyz")).json()["trouble"] == {
                "ears test": "it gave no sign of life"
            }
            assert (await http.get("voice")).json()["trouble"] == "ears test: it gave no sign of life"
            worker._tell("ready")
            assert (await http.get("http://127.0.0.1/readyz")).json()["trouble"] == {}
            told = [await changes.get() for _ in range(2)]
        assert [change.state for change in told if isinstance(change, WorkerChanged)] == ["hung", "ready"]
