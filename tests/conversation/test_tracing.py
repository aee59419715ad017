"""Traces: a turn of any brain as spans, with no words in them."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from reachy_mind.config.configuration import load
from reachy_mind.conversation.tracing import Tracing, exporter
from reachy_mind.errors import MissingExtra
from reachy_mind.events import Bus, ThoughtTraced, ToolCalled, TurnEnded, TurnStarted

TURN = "0f3c9d1e5a7b4c2d8e6f1a2b3c4d5e6f"


def _called(at: float, **about: Any) -> ToolCalled:
    usual = {"tool": "robot.nod", "arguments": {"secret": "words"}, "status": "ok", "tier": 1, "channel": "brain:x"}
    return ToolCalled(**usual | {"at": at, "call_id": "1", "duration_ms": 100.0, "caller": "brain"} | about)


def _step(step: str, name: str, within: tuple[str, str], began: float, at: float, **about: Any) -> ThoughtTraced:
    span, parent = within
    when = {"began_at": began, "at": at}
    whose = {"turn_id": TURN, "conversation": "c", "span_id": span, "parent_id": parent}
    return ThoughtTraced(step=step, name=name, **whose, **when, **about)


async def test_a_turn_is_one_trace() -> None:
    bus, spans = Bus(), InMemorySpanExporter()
    async with Tracing(bus, spans):
        bus.publish(TurnStarted(at=10, turn_id=TURN, conversation="c", text="secret words"))
        bus.publish(_step("chat", "gemma3", ("2", "1"), 10.1, 10.4, about={"input_tokens": 7, "output_tokens": 3}))
        bus.publish(_called(10.6, conversation="c"))
        bus.publish(_step("agent", "RobotControlAgent", ("1", ""), 10.1, 10.9))
        bus.publish(
            TurnEnded(at=11, turn_id=TURN, conversation="c", reply="secret words", brain="agents", latency_ms=1)
        )
        denied = {"code": "PERMISSION_DENIED", "message": "secret words", "hint": ""}
        bus.publish(_called(12, caller="person", conversation="c", status="denied", error=denied))
    found = {span.name: span for span in spans.get_finished_spans() if span.parent}
    roots = [span for span in spans.get_finished_spans() if span.parent is None]
    [turn] = [span for span in roots if span.name.endswith("turn")]
    assert f"{turn.context.trace_id:032x}" == TURN, "POST /chat gives this id as trace_id"
    turn, alone = roots
    agent, chat, tool = (
        found[f"{kind}"] for kind in ("invoke_agent RobotControlAgent", "chat gemma3", "execute_tool robot.nod")
    )
    assert [span.parent.span_id for span in (agent, chat, tool) if span.parent] == [
        turn.context.span_id,
        agent.context.span_id,
        agent.context.span_id,
    ]
    assert dict(chat.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gemma3",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
    }
    assert (turn.name, turn.start_time, turn.end_time) == ("invoke_workflow turn", 10 * 10**9, 11 * 10**9)
    assert (alone.attributes or {})["error.type"] == "PERMISSION_DENIED"
    assert "secret" not in "".join(span.to_json() for span in spans.get_finished_spans())


def test_nothing_is_sent_unless_that_is_wanted() -> None:
    assert exporter(load()) is None
    wanted = load(flags={"tracing.endpoint": "http://127.0.0.1:9"})
    if importlib.util.find_spec("opentelemetry.exporter") is None:
        with pytest.raises(MissingExtra, match="tracing"):
            exporter(wanted)
    else:
        assert exporter(wanted) is not None
