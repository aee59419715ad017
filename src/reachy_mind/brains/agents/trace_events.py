"""`TraceEvents`: publishes the SDK's trace spans as our events. Nothing is exported to OpenAI unless enabled."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agents import set_trace_processors, set_tracing_export_api_key
from agents.tracing import (
    AgentSpanData,
    GenerationSpanData,
    GuardrailSpanData,
    HandoffSpanData,
    ResponseSpanData,
    Span,
    Trace,
    TracingProcessor,
)

from reachy_mind.brains.agents.turn_context import current
from reachy_mind.events import ThoughtTraced

Step = tuple[str, str, dict[str, Any]]
"""Kind of step, name, details."""


class TraceEvents(TracingProcessor):
    """Publishes each finished span of a turn. The SDK's internal spans are skipped; their children move up."""

    def __init__(self) -> None:
        self._skipped: dict[str, dict[str, str]] = {}
        """Per trace: skipped span id to its parent's id."""

    def on_trace_start(self, trace: Trace) -> None:
        pass

    def on_trace_end(self, trace: Trace) -> None:
        self._skipped.pop(trace.trace_id, None)

    def on_span_start(self, span: Span[Any]) -> None:
        if describe_span(span.span_data) is None:
            self._skipped.setdefault(span.trace_id, {})[span.span_id] = span.parent_id or ""

    def on_span_end(self, span: Span[Any]) -> None:
        context, found = current.get(None), describe_span(span.span_data)
        if context is None or found is None:
            return
        step, name, about = found
        parent, skipped = span.parent_id or "", self._skipped.get(span.trace_id, {})
        while parent in skipped:
            parent = skipped[parent]
        context.turn.publish(
            ThoughtTraced(
                at=_time(span.ended_at),
                turn_id=context.turn.id,
                conversation=context.turn.conversation,
                step=step,
                name=name or context.model,
                span_id=span.span_id,
                parent_id=parent,
                began_at=_time(span.started_at),
                about=about,
                error=span.error["message"] if span.error else "",
            )
        )

    def shutdown(self) -> None:
        pass

    def force_flush(self) -> None:
        pass


def describe_span(data: Any) -> Step | None:
    """What to publish about a span; None for internal spans and for tool calls, which the gate publishes."""
    match data:
        case AgentSpanData():
            return "agent", data.name, {}
        case GenerationSpanData():
            return "chat", data.model or "", _tokens(data.usage)
        case ResponseSpanData():
            return "chat", "", _tokens(data.usage)
        case HandoffSpanData():
            return "handoff", data.to_agent or "", {"from": data.from_agent or ""}
        case GuardrailSpanData():
            return "guardrail", data.name, {"triggered": data.triggered}
        case _:
            return None


def replace_exporters(*, to_openai: bool, key: str = "") -> None:
    """Replace the SDK's trace exporters with ours. `to_openai` keeps OpenAI's too; `key` must be a key for OpenAI."""
    processors: list[TracingProcessor] = [TraceEvents()]
    if to_openai:
        from agents.tracing.processors import default_processor  # noqa: PLC0415 -- it starts a thread that uploads

        processors.append(default_processor())
        if key:
            set_tracing_export_api_key(key)
    set_trace_processors(processors)


def _tokens(usage: dict[str, Any] | None) -> dict[str, Any]:
    usage = usage or {}
    return {name: usage[name] for name in ("input_tokens", "output_tokens") if usage.get(name)}


def _time(text: str | None) -> float:
    return datetime.fromisoformat(text).timestamp() if text else 0.0
