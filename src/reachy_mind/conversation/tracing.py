"""`Tracing`: turns, agents, model calls and tools as OpenTelemetry spans, made from bus events.

One trace a turn, for every brain, with every tool call. Spans contain no words of people and no arguments. Their names
follow OpenTelemetry's conventions for generative AI, which are not final: they are used here only.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from reachy_mind import __version__, log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MissingExtra
from reachy_mind.events import Bus, ThoughtTraced, ToolCalled, TurnEnded, TurnStarted

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span

OPERATION = "gen_ai.operation.name"
CONVERSATION = "gen_ai.conversation.id"
AGENT = "gen_ai.agent.name"
MODEL = "gen_ai.request.model"
TOKENS_IN, TOKENS_OUT = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
TOOL, CALL = "gen_ai.tool.name", "gen_ai.tool.call.id"
ERROR = "error.type"
WORKFLOW, INVOKE, CHAT, EXECUTE = "invoke_workflow", "invoke_agent", "chat", "execute_tool"

STANDARD = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
TIMEOUT_S = 3.0
MOST_STEPS = 500
MOST_TURNS = 100
UNREAD = 2000

_log = log.get(__name__)


@dataclass(frozen=True)
class TraceStep:
    """A span to be exported: its time, its parent (`within`) and its attributes (`about`)."""

    name: str
    began: float
    ended: float
    about: dict[str, Any]
    error: str = ""
    id: str = ""
    within: str = ""


@dataclass
class _Turn:
    began: float
    conversation: str
    steps: list[TraceStep] = field(default_factory=list)


def exporter(configuration: Configuration) -> SpanExporter | None:
    """Where spans go, by `tracing.endpoint` or OpenTelemetry's own variables; None: nowhere.

    Raises MissingExtra when they are wanted, and what sends them is not installed.
    """
    endpoint = configuration.settings.tracing.endpoint
    if endpoint is None and not any(os.environ.get(name) for name in STANDARD):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    except ImportError:
        if endpoint is None:  # the variables may be meant for others
            _log.warning("no traces are sent: the extra 'tracing' is not installed")
            return None
        raise MissingExtra("tracing.endpoint", "tracing") from None
    where = f"{endpoint.rstrip('/')}/v1/traces" if endpoint else None
    made: SpanExporter = OTLPSpanExporter(endpoint=where, timeout=TIMEOUT_S)
    return made


async def open_tracing(configuration: Configuration, bus: Bus, stack: contextlib.AsyncExitStack) -> None:
    """Send spans until `stack` closes, if they are wanted. Raises as `exporter` does."""
    if (spans := exporter(configuration)) is not None:
        await stack.enter_async_context(Tracing(bus, spans))


class Tracing:
    """Use as `async with Tracing(bus, exporter)`: it follows the events for as long as it is open."""

    def __init__(self, bus: Bus, to: SpanExporter) -> None:
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        named = Resource.create({"service.name": "reachy-mind", "service.version": __version__})
        self._trace_ids = _turn_ids()
        self._provider = TracerProvider(resource=named, shutdown_on_exit=False, id_generator=self._trace_ids)
        self._provider.add_span_processor(BatchSpanProcessor(to))
        self._tracer = self._provider.get_tracer("reachy_mind")
        self._events = bus.subscribe(TurnStarted, ThoughtTraced, ToolCalled, TurnEnded, size=UNREAD)
        self._turns: dict[str, _Turn] = {}

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._follow(), name="tracing")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._events.close()  # what is queued is still read
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await asyncio.wait([self._task])
        except TimeoutError:
            await cancel_and_wait(self._task)
        await asyncio.to_thread(self._provider.shutdown)

    async def _follow(self) -> None:
        async for event in self._events:
            match event:
                case TurnStarted():
                    while len(self._turns) >= MOST_TURNS:
                        self._turns.pop(next(iter(self._turns)))
                    self._turns[event.turn_id] = _Turn(event.at, event.conversation)
                case ThoughtTraced() if event.turn_id in self._turns:
                    self._note(self._turns[event.turn_id], thought(event))
                case ToolCalled():
                    self._tool(event)
                case TurnEnded() if event.turn_id in self._turns:
                    self._export(self._turns.pop(event.turn_id), event)

    def _tool(self, event: ToolCalled) -> None:
        """Within the turn of its conversation; by itself when a person called it."""
        for turn in self._turns.values():
            if event.caller == "brain" and turn.conversation == event.conversation:
                self._note(turn, call(event))
                return
        self._span(call(event), None)

    def _note(self, turn: _Turn, step: TraceStep) -> None:
        if len(turn.steps) < MOST_STEPS:
            turn.steps.append(step)

    def _export(self, turn: _Turn, event: TurnEnded) -> None:
        """All of a turn, what is outside before what is within it."""
        error = event.error["code"] if event.error else ""
        self._trace_ids.next_trace_id = event.turn_id
        about = {OPERATION: WORKFLOW, CONVERSATION: turn.conversation, "reachy_mind.brain": event.brain}
        spans = {"": self._span(TraceStep(f"{WORKFLOW} turn", turn.began, event.at, about, error), None)}
        for step in _outside_first(turn.steps):
            made = self._span(step, spans[step.within])
            if step.id:
                spans[step.id] = made

    def _span(self, step: TraceStep, parent: Span | None) -> Span:
        from opentelemetry.trace import StatusCode, set_span_in_context  # noqa: PLC0415

        context = set_span_in_context(parent) if parent is not None else None
        about = step.about | ({ERROR: step.error} if step.error else {})
        span = self._tracer.start_span(step.name, context, attributes=about, start_time=_ns(step.began))
        if step.error:
            span.set_status(StatusCode.ERROR)
        span.end(_ns(step.ended))
        return span


def _turn_ids() -> Any:
    """A generator of ids that gives a turn's trace the turn's own id: `trace_id` in the answer of `POST /chat`."""
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator  # noqa: PLC0415

    class TurnIds(RandomIdGenerator):
        next_trace_id = ""

        def generate_trace_id(self) -> int:
            turn, self.next_trace_id = self.next_trace_id, ""
            try:
                return int(turn, 16) or super().generate_trace_id()
            except ValueError:
                return int(super().generate_trace_id())

    return TurnIds()


def thought(event: ThoughtTraced) -> TraceStep:
    """A step of a brain."""
    names: dict[str, tuple[str, dict[str, Any]]] = {
        "agent": (INVOKE, {OPERATION: INVOKE, AGENT: event.name}),
        "chat": (CHAT, {OPERATION: CHAT, MODEL: event.name}),
    }
    name, about = names.get(event.step, (event.step, {f"reachy_mind.{event.step}": event.name}))
    for key, value in ((TOKENS_IN, event.about.get("input_tokens")), (TOKENS_OUT, event.about.get("output_tokens"))):
        about |= {key: value} if value else {}
    return TraceStep(
        f"{name} {event.name}", event.began_at, event.at, about, event.error, event.span_id, event.parent_id
    )


def call(event: ToolCalled) -> TraceStep:
    """A tool call, by any caller."""
    about = {OPERATION: EXECUTE, TOOL: event.tool, CALL: event.call_id, "reachy_mind.tool.status": event.status}
    error = event.error["code"] if event.error else ""
    return TraceStep(f"{EXECUTE} {event.tool}", event.at - event.duration_ms / 1000, event.at, about, error)


def _outside_first(steps: list[TraceStep]) -> Iterator[TraceStep]:
    """Steps in the order they began, each within one that was there before; a tool within the agent that called it."""
    agents = [step for step in steps if step.about.get(OPERATION) == INVOKE]
    known = {""}
    for step in sorted(steps, key=lambda step: (step.began, -step.ended)):
        within = step.within
        if step.about.get(OPERATION) == EXECUTE:
            within = next((agent.id for agent in reversed(agents) if agent.began <= step.began <= agent.ended), "")
        yield replace(step, within=within if within in known else "")
        known.add(step.id)


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
