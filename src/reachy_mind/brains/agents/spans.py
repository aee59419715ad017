"""`Spans`: the SDK's trace as our events, in place of its exporter: nothing leaves the machine unless asked for."""

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

from reachy_mind.brains.agents.work import current
from reachy_mind.events import ThoughtTraced

Told = tuple[str, str, dict[str, Any]]
"""Step, name, and more about it."""


class Spans(TracingProcessor):
    """Publishes what ends, for the turn it belongs to. The SDK's own steps are left out; what is in them moves up."""

    def __init__(self) -> None:
        self._above: dict[str, dict[str, str]] = {}
        """By trace: what is above a step that is left out."""

    def on_trace_start(self, trace: Trace) -> None:
        pass

    def on_trace_end(self, trace: Trace) -> None:
        self._above.pop(trace.trace_id, None)

    def on_span_start(self, span: Span[Any]) -> None:
        if told(span.span_data) is None:
            self._above.setdefault(span.trace_id, {})[span.span_id] = span.parent_id or ""

    def on_span_end(self, span: Span[Any]) -> None:
        work, found = current.get(None), told(span.span_data)
        if work is None or found is None:
            return
        step, name, about = found
        parent, above = span.parent_id or "", self._above.get(span.trace_id, {})
        while parent in above:
            parent = above[parent]
        work.turn.publish(
            ThoughtTraced(
                at=_time(span.ended_at),
                turn_id=work.turn.id,
                conversation=work.turn.conversation,
                step=step,
                name=name or work.model,
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


def told(data: Any) -> Told | None:
    """What there is to tell of a span; calls of tools are told by the gate."""
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
    """From now on the SDK's traces come to us; to OpenAI only if that is wanted, with a key that is for OpenAI."""
    processors: list[TracingProcessor] = [Spans()]
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
