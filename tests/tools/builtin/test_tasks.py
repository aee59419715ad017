"""Asking about background tasks, and ending them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.events import Announced, ConfirmationAsked, TaskChanged
from reachy_mind.tools.builtin.tasks import TOOLS
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.toolbox import Toolbox
from tests.tools.bench import toolbox
from tests.waiting import until

FREE = "rules:\n- {pattern: tasks.task_cancel, tier: autonomous}\n"


async def long_one(box: Toolbox) -> str:
    outcome = await box.call("background_demo", {"seconds": 600, "background": True})
    assert outcome.status == "started"
    return str(outcome.data["task_id"])


async def test_the_demo_in_the_foreground(tmp_path: Path) -> None:
    async with toolbox(tmp_path, tools=TOOLS) as box:
        outcome = await box.call("background_demo", {"seconds": 0.01})
        assert outcome.status == "ok" and outcome.data["message"] == "The demo of 0.01 seconds is done."
        assert (await box.call("task_status")).data["tasks"] == []


@pytest.mark.parametrize("args", [{"seconds": 60}, {"seconds": -1}, {"seconds": 3600, "background": True}])
async def test_the_demo_keeps_nobody_waiting_too_long(tmp_path: Path, args: dict[str, Any]) -> None:
    async with toolbox(tmp_path, tools=TOOLS) as box:
        outcome = await box.call("background_demo", args)
        assert outcome.status == "error" and outcome.error is not None
        assert outcome.error["code"] == "INVALID_PARAMETER"
        if args == {"seconds": 60}:
            assert "background" in outcome.error["hint"]


async def test_the_demo_tells_its_progress_and_its_end(tmp_path: Path) -> None:
    async with toolbox(tmp_path, tools=TOOLS) as box:
        with box.parts.bus.subscribe(TaskChanged) as changes, box.parts.bus.subscribe(Announced) as announced:
            await box.call("background_demo", {"seconds": 0.05, "background": True})
            end = await announced.get()
            changes.close()
            seen = [change async for change in changes if isinstance(change, TaskChanged)]
    assert isinstance(end, Announced) and end.text == "The demo of 0.05 seconds is done."
    shares = [change.progress for change in seen]
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(set(shares)) > 5
    assert seen[-1].state == "done" and any(change.message == "step 4 of 10" for change in seen)


async def test_what_runs_can_be_asked(tmp_path: Path) -> None:
    async with toolbox(tmp_path, tools=TOOLS) as box:
        assert (await box.call("task_status")).data["message"] == "Nothing is running in the background."
        first, second = await long_one(box), await long_one(box)
        tasks = box.parts.tasks
        assert tasks is not None
        await until(lambda: tasks.get(second).message)
        everything = (await box.call("task_status")).data
        assert [task["id"] for task in everything["tasks"]] == [second, first]
        one = (await box.call("task_status", {"task_id": first})).data
        assert one["message"].startswith(f"background demo ({first}): running, 0 %, step 1 of 10, for ")
        assert [task["id"] for task in one["tasks"]] == [first]


@pytest.mark.parametrize("name", ["task_status", "task_cancel"])
async def test_a_task_nobody_knows(tmp_path: Path, name: str) -> None:
    async with toolbox(tmp_path, FREE, tools=TOOLS) as box:
        outcome = await box.call(name, {"task_id": "nothing"})
        assert outcome.status == "error" and outcome.error is not None
        assert outcome.error["code"] == "INVALID_PARAMETER"


@pytest.mark.parametrize("approved", [True, False])
async def test_a_person_decides_whether_a_task_ends(tmp_path: Path, approved: bool) -> None:
    async with toolbox(tmp_path, tools=TOOLS) as box:
        task_id = await long_one(box)
        with box.confirmations.channel("page"), box.parts.bus.subscribe(ConfirmationAsked) as asked:
            call = asyncio.create_task(box.call("task_cancel", {"task_id": task_id}))
            question = await asked.get()
            assert isinstance(question, ConfirmationAsked)
            box.confirmations.answer(question.confirmation_id, approved=approved, by="Ada")
            outcome: Outcome = await call
        assert outcome.status == ("ok" if approved else "denied")
        assert box.parts.tasks is not None
        assert box.parts.tasks.get(task_id).state == ("cancelled" if approved else "running")


async def test_one_that_has_ended_stays_as_it_is(tmp_path: Path) -> None:
    async with toolbox(tmp_path, FREE, tools=TOOLS) as box:
        task_id = await long_one(box)
        first = await box.call("task_cancel", {"task_id": task_id})
        again = await box.call("task_cancel", {"task_id": task_id})
        assert first.data["message"].startswith(f"background demo ({task_id}): cancelled, after ")
        assert again.status == "ok" and again.data["message"].startswith("It had ended already")
