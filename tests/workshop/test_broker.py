"""The broker without a robot: what code asks for is allowed, counted and recorded by the host."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.events import ConfirmationAsked
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import Tool, ToolError, tool
from reachy_mind.tools.toolbox import Denied, Toolbox
from reachy_mind.workshop.artifacts import Artifacts
from reachy_mind.workshop.broker import Broker, CallsExhausted
from reachy_mind.workshop.capabilities import Capabilities
from reachy_mind.workshop.http_broker import HttpBroker
from reachy_mind.workshop.run_budget import RunBudget
from tests.tools.bench import BENCH, done, toolbox
from tests.waiting import until


@contextlib.asynccontextmanager
async def bench(tmp_path: Path, rules: str = "", tools: tuple[Tool, ...] = BENCH) -> AsyncIterator[Toolbox]:
    async with toolbox(tmp_path, rules, tools=tools) as box:
        for alias in ALIASES:
            box.registry._aliases.setdefault(alias.name, alias)
        yield box


async def running(box: Toolbox, body: Callable[[Broker], Any], allow: str, folder: Path, **budget: Any) -> Any:
    """A run within a call of the gate: `body` is what its code does. Returns or raises what it does."""
    ended: list[Any] = []
    failed: list[BaseException] = []

    @tool(group="test", tier="autonomous", timeout_s=20)
    async def run(ctx: Context) -> dict[str, Any]:
        """Run something."""
        capabilities = Capabilities.parse(allow)
        files, http = Artifacts(folder / "artifacts", "run"), HttpBroker(capabilities)
        broker = Broker(ctx, capabilities, RunBudget(**budget), registry=box.registry, files=files, http=http)
        try:
            ended.append(await body(broker))
        except BaseException as error:
            failed.append(error)
            raise
        finally:
            await broker.close()
        return {}

    box.registry.add(run, replace=True)
    await box.call("run")
    if failed:
        raise failed[0]
    return ended[0]


async def failure(work: Any) -> str:
    with pytest.raises(MindError) as caught:
        await work
    return caught.value.code


async def test_a_tool_is_called_through_the_gate_and_recorded(tmp_path: Path) -> None:
    async def body(broker: Broker) -> Any:
        value = await broker.call("tools.call", {"name": "nod", "args": {"times": 3}})
        assert [one.as_dict() for one in broker.record] == [{"name": "nod", "args": {"times": 3}, "status": "ok"}]
        return value

    async with bench(tmp_path) as box:
        assert await running(box, body, "motion", tmp_path) == {"nodded": 3} and done == ["nod 3 normal"]
        assert "robot.nod" in [row["tool"] for row in (await box.audit.query())[0]]


async def test_without_the_capability_nothing_happens(tmp_path: Path) -> None:
    async def body(broker: Broker) -> None:
        for method, args in (
            ("tools.call", {"name": "nod"}),
            ("tools.call", {"name": "robot.nod"}),
            ("tools.call", {"name": "say_yes"}),
            ("robot.goto_target", {"body_yaw": 0.1}),
            ("robot.wake_up", {}),
            ("media.get_frame", {}),
            ("media.start_recording", {}),
            ("media.push_audio_sample", {"data": np.zeros(10, "f4")}),
        ):
            assert await failure(broker.call(method, args)) == "PERMISSION_DENIED", method
        assert {one.status for one in broker.record} == {"denied"} and broker.refused == len(broker.record)

    async with bench(tmp_path) as box:
        await running(box, body, "light,http,memory", tmp_path)
        assert done == []


async def test_no_method_is_reached_by_another_name(tmp_path: Path) -> None:
    async def body(broker: Broker) -> None:
        for method in ("_methods", "robot.__class__", "close", "tools.call.__globals__", "robot.motion", "", "record"):
            assert await failure(broker.call(method, {})) == "PERMISSION_DENIED", method
        for odd in (None, 5, ["tools.call"], {"a": 1}):
            assert await failure(broker.call(odd, {})) == "PERMISSION_DENIED"
        for args in (None, [], "x", 5):
            assert await failure(broker.call("tools.call", args)) == "INVALID_PARAMETER"
        for args in ({"name": 5}, {"name": "nod", "args": [1]}, {"name": "nod", "args": {"background": True}, "x": 1}):
            assert await failure(broker.call("tools.call", args)) == "INVALID_PARAMETER"
        assert await failure(broker.call("tools.call", {"name": "no_such_tool"})) == "UNKNOWN_TOOL"

    async with bench(tmp_path) as box:
        await running(box, body, "motion", tmp_path)
        assert done == []


async def test_code_can_not_confirm_for_a_person(tmp_path: Path) -> None:
    allow = "tools:unlock"

    async def alone(broker: Broker) -> None:
        for args in ({}, {"confirmed": True}, {"door": "front", "confirm": "yes"}):
            code = await failure(broker.call("tools.call", {"name": "unlock", "args": args}))
            assert code == ("NOT_CONFIRMED" if not args else "INVALID_PARAMETER")

    async def asked(broker: Broker) -> Any:
        return await broker.call("tools.call", {"name": "unlock"})

    async with bench(tmp_path) as box:
        await running(box, alone, allow, tmp_path)
        assert done == []
        with box.confirmations.channel("test"), box.parts.bus.subscribe(ConfirmationAsked) as questions:
            work = asyncio.create_task(running(box, asked, allow, tmp_path))
            question = await questions.get()
            assert isinstance(question, ConfirmationAsked) and question.tool == "home.unlock"
            box.confirmations.answer(question.confirmation_id, approved=True, by="test")
            assert await work == {"unlocked": "front"}


async def test_rules_of_the_owner_count(tmp_path: Path) -> None:
    async def body(broker: Broker) -> None:
        assert await failure(broker.call("tools.call", {"name": "nod"})) == "PERMISSION_DENIED"
        assert broker.record[-1].status == "denied"

    async with bench(tmp_path, "rules: [{pattern: robot.nod, tier: forbidden}]") as box:
        await running(box, body, "motion", tmp_path)
        assert done == []


async def test_too_many_calls_end_the_run(tmp_path: Path) -> None:
    async def many(broker: Broker) -> None:
        for _ in range(5):
            await broker.call("tools.call", {"name": "nod"})
        with pytest.raises(CallsExhausted):
            await broker.call("tools.call", {"name": "nod"})

    async def refused(broker: Broker) -> None:
        for _ in range(3):
            with pytest.raises(Denied):
                await broker.call("robot.goto_sleep", {})
        with pytest.raises(CallsExhausted):
            await broker.call("tools.call", {"name": "nod"})

    async with bench(tmp_path) as box:
        await running(box, many, "motion", tmp_path, calls=5)
        assert len(done) == 5
        await running(box, refused, "tools:nod", tmp_path, refused=3)


async def test_a_flood_of_calls_is_slowed_down_and_bounded(tmp_path: Path) -> None:
    async def body(broker: Broker) -> float:
        began = asyncio.get_running_loop().time()
        for _ in range(30):
            await broker.call("tools.call", {"name": "nod"})
        return asyncio.get_running_loop().time() - began

    async def waiting(broker: Broker) -> None:
        calls = [asyncio.ensure_future(broker.call("tools.call", {"name": "hold"})) for _ in range(80)]
        await until(lambda: any(call.done() for call in calls))
        ended = [call for call in calls if call.done()]
        assert {type(call.exception()).__name__ for call in ended} == {"TooMany"}
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async with bench(tmp_path) as box:
        assert await running(box, body, "motion", tmp_path, calls_per_s=10) >= 0.9  # 20 at once, 10 in a second
        await running(box, waiting, "tools:hold", tmp_path)


async def test_after_the_end_nothing_is_answered(tmp_path: Path) -> None:
    async def body(broker: Broker) -> None:
        await broker.close()
        for method, args in (("tools.call", {"name": "nod"}), ("artifact.keep", {"name": "x", "data": b""})):
            with pytest.raises(CallsExhausted):
                await broker.call(method, args)

    async with bench(tmp_path) as box:
        await running(box, body, "motion", tmp_path)
        assert done == []


async def test_files_leave_by_the_broker_alone(tmp_path: Path) -> None:
    async def body(broker: Broker) -> str:
        for args in ({"name": "a", "data": "text"}, {"name": 5, "data": b""}, {"name": "a", "data": b"", "mode": 7}):
            with pytest.raises(InvalidParameter):
                await broker.call("artifact.keep", args)
        return str(await broker.call("artifact.keep", {"name": "../../note.txt", "data": bytearray(b"hello")}))

    async with bench(tmp_path) as box:
        kept = await running(box, body, "", tmp_path)
    assert kept == str(tmp_path / "artifacts" / "run" / "note.txt")
    assert (tmp_path / "artifacts" / "run" / "note.txt").read_bytes() == b"hello"


async def test_the_record_is_short_and_plain(tmp_path: Path) -> None:
    async def body(broker: Broker) -> dict[str, Any]:
        large = {
            "a": "x" * 10_000,
            "b": list(range(1000)),
            "c": math.nan,
            "d": np.zeros((4, 4)),
            "e": b"123",
            "f": 10**99,
            "g": "\ud800",
        }
        with contextlib.suppress(MindError):
            await broker.call("tools.call", {"name": "nod", "args": large})
        return broker.record[-1].args

    async with bench(tmp_path) as box:
        shown = await running(box, body, "motion", tmp_path)
        assert len(shown["a"]) < 300 and len(shown["b"]) <= 20 and shown["c"] is None
        assert shown["g"] == "?", "what can't be encoded is not in a report"
        assert (shown["d"], shown["e"], shown["f"]) == ("array 4x4", "3 bytes", "a large number")


async def test_without_a_robot_it_is_told_so(tmp_path: Path) -> None:
    async def body(broker: Broker) -> None:
        for method in ("robot.get_current_head_pose", "robot.wake_up", "robot.cancel_move"):
            assert await failure(broker.call(method, {})) == "NOT_READY", method
        assert await failure(broker.call("robot.goto_target", {"body_yaw": 0.1})) == "NOT_READY"
        assert await broker.call("media.get_frame", {}) is None

    async with bench(tmp_path) as box:
        await running(box, body, "motion,camera", tmp_path)


async def test_a_light_is_set_and_told(tmp_path: Path) -> None:
    async def body(broker: Broker) -> Any:
        await broker.call("tools.call", {"name": "set_led", "args": {"r": 255, "g": 0, "b": 0, "mode": "flash"}})
        with pytest.raises(ToolError):
            await broker.call("tools.call", {"name": "set_light", "args": {"color": "no such colour"}})
        return await broker.call("tools.call", {"name": "set_light", "args": {"color": "teal", "brightness": 50}})

    lights = tuple(one for one in TOOLS if one.name == "set_light")
    async with bench(tmp_path, tools=lights) as box:
        told = await running(box, body, "light", tmp_path)
        assert (told["color"], told["brightness"], told["effect"]) == ("#008080", 0.5, "solid")
        assert box.parts.extra["light"].color == "#008080"
