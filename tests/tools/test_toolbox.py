"""The gate: what gets past it, what does not, and what is written down about it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.events import Announced, ConfirmationAsked, ToolCalled, ToolStarted
from reachy_mind.tools.context import Caller, Context
from reachy_mind.tools.definition import tool
from tests.tools.bench import done, toolbox
from tests.waiting import until


async def test_a_call_is_checked_run_and_written_down(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        with box.parts.bus.subscribe(ToolCalled) as events:
            outcome = await box.call("nod", {"times": 3})
            event = await events.get()
        assert (outcome.status, outcome.data, outcome.tier) == ("ok", {"nodded": 3}, 1)
        assert isinstance(event, ToolCalled) and event.tool == "robot.nod" and event.status == "ok"
        rows, total = await box.audit.query()
        assert total == 1 and rows[0]["tool"] == "robot.nod" and json.loads(rows[0]["arguments"]) == {"times": 3}
        assert done == ["nod 3 normal"]


@pytest.mark.parametrize(
    "name", ["nod", "robot.nod", "mcp__robot__nod", "say_yes", "robot.say_yes", "mcp__robot__say_yes"]
)
async def test_every_name_of_a_tool_is_the_same_tool(tmp_path: Path, name: str) -> None:
    async with toolbox(tmp_path) as box:
        assert (await box.call(name)).data == {"nodded": 2}


async def test_an_alias_translates_its_parameters(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        assert (await box.call("say_yes", {"count": 4, "dummy": True})).data == {"nodded": 4}


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("nodd", {}, "UNKNOWN_TOOL"),
        ("home.nod", {}, "UNKNOWN_TOOL"),
        ("", {}, "UNKNOWN_TOOL"),
        ("nod", {"times": 9}, "INVALID_PARAMETER"),
        ("nod", {"times": "x"}, "INVALID_PARAMETER"),
        ("nod", {"times": float("nan")}, "INVALID_PARAMETER"),
        ("nod", {"confirmed": True}, "INVALID_PARAMETER"),
        ("nod", [1], "INVALID_PARAMETER"),
    ],
)
async def test_what_makes_no_sense_is_an_error_and_is_written_down(
    tmp_path: Path, name: str, args: Any, code: str
) -> None:
    async with toolbox(tmp_path) as box:
        outcome = await box.call(name, args)
        assert outcome.status == "error" and outcome.error is not None and outcome.error["code"] == code
        assert done == [] and (await box.audit.query())[1] == 1


@pytest.mark.parametrize("name", ["transfer", "bank.transfer", "mcp__bank__transfer"])
async def test_forbidden_is_never_run(tmp_path: Path, name: str) -> None:
    async with toolbox(tmp_path) as box:
        with box.confirmations.channel("test"):
            outcome = await box.call(name)
        assert outcome.status == "denied" and outcome.error is not None
        assert outcome.error["code"] == "PERMISSION_DENIED" and outcome.tier == 4 and done == []


@pytest.mark.parametrize("name", ["unlock", "home.unlock", "mcp__home__unlock", "open_door"])
async def test_without_a_channel_nothing_is_confirmed(tmp_path: Path, name: str) -> None:
    async with toolbox(tmp_path) as box:
        outcome = await box.call(name)
        assert outcome.status == "denied" and outcome.error is not None
        assert outcome.error["code"] == "NOT_CONFIRMED" and done == []


@pytest.mark.parametrize("approved", [True, False])
async def test_a_person_decides(tmp_path: Path, approved: bool) -> None:
    async with toolbox(tmp_path) as box:
        with box.confirmations.channel("page"), box.parts.bus.subscribe(ConfirmationAsked) as asked:
            call = asyncio.create_task(box.call("unlock", {"door": "back"}))
            question = await asked.get()
            assert isinstance(question, ConfirmationAsked) and question.arguments == {"door": "back"} and done == []
            box.confirmations.answer(question.confirmation_id, approved=approved, by="Ada")
            outcome = await call
        assert outcome.status == ("ok" if approved else "denied")
        assert done == (["unlock back"] if approved else [])
        rows, _ = await box.audit.query()
        assert rows[0]["confirmed_by"] == ("Ada" if approved else None)


async def test_nobody_answering_is_no(tmp_path: Path) -> None:
    async with toolbox(tmp_path, timeout_s=0.05) as box:
        with box.confirmations.channel("page"):
            assert (await box.call("unlock")).status == "denied"
        assert done == [] and box.confirmations.pending == []


async def test_the_last_channel_closing_is_no(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        with box.confirmations.channel("page"):
            call = asyncio.create_task(box.call("unlock"))
            await until(lambda: box.confirmations.pending)
        assert (await call).status == "denied" and done == []


async def test_tier_two_is_noticed(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        with box.parts.bus.subscribe(ToolStarted) as events:
            assert (await box.call("light", {"on": True})).status == "ok"
            event = await events.get()
        assert isinstance(event, ToolStarted) and event.notice


async def test_rules_raise_and_lower_but_never_touch_stop(tmp_path: Path) -> None:
    rules = """rules:
    - {pattern: robot.nod, tier: 4}
    - {pattern: open_door, tier: autonomous}
    - {pattern: '*', tier: forbidden}
    """
    async with toolbox(tmp_path, rules) as box:
        assert (await box.call("nod")).status == "denied"
        assert (await box.call("unlock")).status == "ok"  # by its hidden name
        assert (await box.call("light", {"on": True})).status == "denied"
        assert (await box.call("stop")).status == "ok"
        assert (await box.call("mcp__robot__stop")).status == "ok"
        assert done == ["unlock front", "stop", "stop"]


@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("hang", "error", "TIMEOUT"),
        ("deaf", "error", "TIMEOUT"),
        ("raise", "error", "TOOL_FAILED"),
        ("exit", "error", "TOOL_FAILED"),
        ("cancel", "cancelled", "CANCELLED"),
    ],
)
async def test_a_tool_that_misbehaves_hurts_nobody_else(tmp_path: Path, how: str, status: str, code: str) -> None:
    async with toolbox(tmp_path) as box:
        outcome = await box.call("misbehave", {"how": how})
        assert outcome.status == status and outcome.error is not None and outcome.error["code"] == code
        assert (await box.call("nod")).status == "ok"


async def test_a_large_answer_is_cut(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        outcome = await box.call("misbehave", {"how": "large"})
        assert outcome.status == "ok" and len(json.dumps(outcome.data)) < 70_000
        assert "100000000 characters" in outcome.data["text"]


@pytest.mark.parametrize("how", ["odd", "surrogate"])
async def test_an_odd_answer_becomes_plain_values(tmp_path: Path, how: str) -> None:
    async with toolbox(tmp_path) as box:
        outcome = await box.call("misbehave", {"how": how})
        assert outcome.status == "ok"
        json.dumps(outcome.data, allow_nan=False).encode("utf-8")


@pytest.mark.process
async def test_a_tool_that_forks_does_not_make_a_second_mind(tmp_path: Path) -> None:
    import os

    async with toolbox(tmp_path) as box:
        child = (await box.call("misbehave", {"how": "fork"})).data["child"]
        assert child > 0
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert (await box.call("nod")).status == "ok"
        assert (await box.audit.query())[1] == 2


async def test_tools_that_call_themselves_come_to_an_end(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        outcome = await box.call("misbehave", {"how": "recursive"})
        assert "deep" in json.dumps(outcome.as_dict())


async def test_a_tool_calls_others_through_the_same_gate(tmp_path: Path) -> None:
    from reachy_mind.tools.definition import tool
    from tests.tools.bench import BENCH

    @tool(group="test", tier="autonomous")
    async def sly(ctx: Context) -> dict[str, Any]:
        """Try to get at the bank."""
        return {"bank": (await ctx.call("bank.transfer")).status, "door": (await ctx.call("home.unlock")).status}

    async with toolbox(tmp_path, tools=(*BENCH, sly)) as box:
        assert (await box.call("sly")).data == {"bank": "denied", "door": "denied"}
        assert done == []


async def test_the_same_call_id_is_done_once(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        first, second = await asyncio.gather(*(box.call("nod", call_id="a") for _ in range(2)))
        assert first == second and done == ["nod 2 normal"]
        again = await box.call("nod", {"times": 3}, call_id="a")
        assert again.status == "error" and done == ["nod 2 normal"]


async def test_a_call_id_from_before_a_restart_is_the_same_call(tmp_path: Path) -> None:
    caller = Caller("person", "rest")
    async with toolbox(tmp_path) as box:
        first = await box.call_once("nod", {}, caller=caller, call_id="a")
        refused = await box.call_once("nod", {"times": 99}, caller=caller, call_id="refused")
        assert refused.status == "error" and done == ["nod 2 normal"]
        await box.audit.record_decision("cut", "robot.nod", 1, caller, "{}", "")
    done.clear()
    async with toolbox(tmp_path) as box:
        await box.audit.recover()
        again = await box.call_once("nod", {}, caller=caller, call_id="a")
        assert (again.status, again.data, again.call_id) == ("ok", first.data, "a")
        assert (await box.call_once("nod", {"times": 99}, caller=caller, call_id="refused")).error == refused.error
        cut = await box.call_once("nod", {}, caller=caller, call_id="cut")
        assert cut.error is not None and cut.error["code"] == "INTERRUPTED"
        other = await box.call_once("hold", {}, caller=caller, call_id="a")
        assert other.error is not None and other.error["code"] == "INVALID_PARAMETER"
        assert done == []
        await box.audit.erase("")
        assert (await box.call_once("nod", {}, caller=caller, call_id="a")).status == "ok" and done == []


async def test_a_newer_command_takes_the_body(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        old = asyncio.create_task(box.call("hold", caller=Caller(turn="1")))
        await until(lambda: "hold" in done)
        assert (await box.call("nod", caller=Caller(turn="2"))).status == "ok"
        outcome = await old
        assert outcome.status == "cancelled" and "held" not in done


async def test_steps_of_one_turn_wait_for_one_another(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        caller = Caller(kind="brain", turn="1")
        first = asyncio.create_task(box.call("hold", {"seconds": 0.05}, caller=caller))
        await until(lambda: "hold" in done)
        assert (await box.call("nod", caller=caller)).status == "ok"
        assert (await first).status == "ok" and done == ["hold", "held", "nod 2 normal"]


async def test_a_program_waits_for_a_person(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        person = asyncio.create_task(box.call("hold", {"seconds": 0.05}, caller=Caller(turn="1")))
        await until(lambda: "hold" in done)
        assert (await box.call("nod", caller=Caller(kind="program", turn="x"))).status == "ok"
        assert (await person).status == "ok" and done[-1].startswith("nod")


async def test_a_stop_does_not_wait_for_the_body(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        held = asyncio.create_task(box.call("hold", caller=Caller(turn="1")))
        await until(lambda: "hold" in done)
        waiting = asyncio.create_task(box.call("nod", caller=Caller(turn="1")))
        program = asyncio.create_task(box.call("nod", caller=Caller(kind="program")))
        await asyncio.sleep(0)
        assert (await box.call("stop")).status == "ok"
        assert (await held).status == "cancelled"
        assert {(await call).error["code"] for call in (waiting, program)} == {"CANCELLED"}  # type: ignore[index]
        assert done == ["hold", "stop"]


async def test_a_call_is_cut_short_by_its_id(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        held = asyncio.create_task(box.call("hold", call_id="a"))
        await until(lambda: "hold" in done)
        assert box.cancel("a") and not box.cancel("b")
        assert (await held).status == "cancelled" and "held" not in done
        assert (await box.audit.query(status="cancelled"))[1] == 1


async def test_a_caller_who_leaves_takes_the_call_along(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        for call_id in (None, "a"):
            held = asyncio.create_task(box.call("hold", call_id=call_id))
            await until(lambda: done[-1:] == ["hold"])
            held.cancel()
            with pytest.raises(asyncio.CancelledError):
                await held
            done.append("left")
        await until(lambda: not box._running)
        assert "held" not in done


async def test_a_thousand_calls_at_once(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        calls = [box.call("light", {"on": True}) for _ in range(900)]
        calls += [box.call("transfer") for _ in range(50)] + [
            box.call("nod", caller=Caller(turn="t")) for _ in range(50)
        ]
        outcomes = await asyncio.gather(*calls)
        assert sorted({outcome.status for outcome in outcomes}) == ["denied", "ok"]
        assert sum(outcome.status == "denied" for outcome in outcomes) == 50
        assert (await box.audit.query())[1] == 1000 and await box.audit.verify() is None
        assert len(done) == 950


async def test_in_the_background(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        with box.parts.bus.subscribe(Announced) as announced:
            outcome = await box.call("slow", {"background": True}, caller=Caller(conversation="c"))
            assert outcome.status == "started"
            event = await announced.get()
        assert isinstance(event, Announced) and (event.text, event.conversation) == ("slow is done", "c")
        tasks = box.parts.tasks
        assert tasks is not None
        task = tasks.get(outcome.data["task_id"])
        assert (task.state, task.progress, task.message) == ("done", 1.0, "step 3")


async def test_a_task_is_cancelled_and_there_are_not_too_many(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        ids = []
        for _ in range(3):
            outcome = await box.call("slow", {"background": True, "forever": True})
            ids.append(outcome.data["task_id"])
        refused = await box.call("slow", {"background": True})
        assert refused.status == "error" and refused.error is not None and refused.error["code"] == "BUSY"
        assert box.parts.tasks is not None
        assert (await box.parts.tasks.cancel(ids[0])).state == "cancelled"
        assert (await box.call("slow", {"background": True})).status == "started"


async def test_permission_counts_for_the_background_too(tmp_path: Path) -> None:
    async with toolbox(tmp_path, "rules:\n- {pattern: test.slow, tier: forbidden}\n") as box:
        assert (await box.call("slow", {"background": True})).status == "denied"
        assert box.parts.tasks is not None and box.parts.tasks.all() == []


async def test_what_was_under_way_at_a_crash_is_known_afterwards(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        with box.confirmations.channel("page"):
            calls = [asyncio.create_task(box.call("hold", {"seconds": 30})), asyncio.create_task(box.call("unlock"))]
            await until(lambda: box.confirmations.pending and "hold" in done)
            await box.call("slow", {"background": True, "forever": True})
            copy = tmp_path / "crash"
            copy.mkdir()
            for part in ("mind.db", "mind.db-wal", "mind.db-shm"):  # as a killed process leaves them
                (copy / part).write_bytes((tmp_path / part).read_bytes())
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
    async with toolbox(copy) as box:
        interrupted = await box.audit.recover()
        assert {row["tool"]: row["step"] for row in interrupted} == {"robot.hold": "decided", "home.unlock": "asked"}
        assert await box.audit.recover() == [] and await box.audit.verify() is None
        assert box.parts.tasks is not None
        assert [task.state for task in box.parts.tasks.all()] == ["interrupted"]


async def test_the_chain_shows_a_change_and_survives_forgetting(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        for number in range(1, 4):
            await box.call("nod", {"times": number}, caller=Caller(person="Ada"))
        assert await box.audit.erase("Ada") == 3
        rows, _ = await box.audit.query()
        assert all(row["arguments"] is None for row in rows) and await box.audit.verify() is None
        assert box.parts.database is not None
        await box.parts.database.execute("UPDATE audit SET status = 'denied' WHERE seq = 2")
        assert await box.audit.verify() == 2


async def test_old_entries_are_let_go(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        await box.call("nod")
        await box.call("nod")
        assert box.parts.database is not None
        await box.parts.database.execute("UPDATE audit SET at = 0 WHERE seq <= 2")
        assert await box.audit.prune(7) == 2
        assert (await box.audit.query())[1] == 1


async def test_no_audit_no_action(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        assert box.parts.database is not None
        await box.parts.database.execute("DROP TABLE audit")
        outcome = await box.call("nod")
        assert outcome.status == "error" and done == []
        assert (await box.call("stop")).status == "ok" and done == ["stop"]


async def test_a_tool_can_call_one_with_a_parameter_called_name(tmp_path: Path) -> None:
    @tool(group="test", tier="autonomous")
    async def greet(ctx: Context, name: str) -> dict[str, Any]:
        """Greet somebody."""
        return {"message": f"Hello, {name}."}

    @tool(group="test", tier="autonomous")
    async def usher(ctx: Context) -> dict[str, Any]:
        """Have somebody greeted."""
        return (await ctx.call("test.greet", name="Ada")).as_dict()

    async with toolbox(tmp_path, tools=(greet, usher)) as box:
        outcome = await box.call("usher")
        assert outcome.status == "ok" and outcome.data["data"] == {"message": "Hello, Ada."}


async def test_a_rule_that_came_while_a_call_waited_for_the_body_counts(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        holding = asyncio.create_task(box.call("hold", caller=Caller("person")))
        await until(lambda: "hold" in done)
        with box.parts.bus.subscribe(ToolStarted) as started:
            waiting = asyncio.create_task(box.call("nod", caller=Caller("program")))
            await started.get()
        assert box.permissions.file is not None
        box.permissions.file.write_text("rules: [{pattern: robot.nod, tier: forbidden}]")
        box.permissions.reload()
        holding.cancel()
        assert (await waiting).status == "denied" and "nod 2 normal" not in done


@pytest.mark.parametrize(
    ("scopes", "status"), [(None, "ok"), ({"control"}, "ok"), ({"mcp"}, "ok"), ({"talk", "read"}, "denied")]
)
async def test_a_tool_needs_the_scope_of_its_caller(tmp_path: Path, scopes: set[str] | None, status: str) -> None:
    caller = Caller("brain", scopes=None if scopes is None else frozenset(scopes))
    async with toolbox(tmp_path) as box:
        outcome = await box.call("nod", caller=caller)
        assert outcome.status == status
        assert status == "ok" or (outcome.error and "needs the scope control" in outcome.error["message"])
        assert (await box.call("stop", caller=caller)).status == "ok"
