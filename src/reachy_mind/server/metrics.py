"""`Metrics`: figures for Prometheus, at `/metrics`; docs/metrics.md tells what each is.

What happens is counted from the event stream and from requests; how things stand is looked up when somebody asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from fastapi import APIRouter, Response
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    Summary,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from reachy_mind import __version__
from reachy_mind.ending import ended
from reachy_mind.errors import MindError
from reachy_mind.events import Event, Missed, MotionRestarted, ToolCalled, TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.models.worker import statuses
from reachy_mind.server.refusals import Refusals
from reachy_mind.server.sockets import Sockets

disable_created_metrics()  # type: ignore[no-untyped-call]
TURN_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUEST_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
LINK = ("none", "connecting", "connected", "lost", "refused", "closed")
MICROPHONE = ("off", "opening", "open", "lost")
CAMERA = ("on", "off", "dark", "frozen", "lost")
FRESH_S = 5.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})
"""The motion process is not asked more often."""


class Metrics:
    """Use as an async context manager while the mind runs. `counted` wraps the ASGI app whose requests count."""

    def __init__(self, mind: Mind, refusals: Refusals) -> None:
        self._mind, self._refusals = mind, refusals
        self.sockets: Sockets | None = None
        self._started: dict[str, TurnStarted] = {}
        self._acting: dict[str, float] = {}
        self._late: dict[str, float] = {}
        self._late_at = -FRESH_S
        self._asking = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None
        self.registry = CollectorRegistry()
        self._name_counters()
        self._name_gauges()
        ProcessCollector(registry=self.registry)

    def _name_counters(self) -> None:
        to = self.registry
        self._requests = Counter(
            "reachy_mind_requests", "Answered HTTP requests", ("method", "route", "status"), registry=to
        )
        self._request_s = Histogram(
            "reachy_mind_request_seconds", "Time to the end of an answer", ("route",), buckets=REQUEST_S, registry=to
        )
        self._turns = Counter("reachy_mind_turns", "Ended turns", ("brain", "spoken", "outcome"), registry=to)
        self._turn_s = Histogram(
            "reachy_mind_turn_seconds", "Turn latency by stage", ("brain", "stage"), buckets=TURN_S, registry=to
        )
        self._tools = Counter("reachy_mind_tool_calls", "Ended tool calls", ("tool", "status"), registry=to)
        self._tool_s = Summary("reachy_mind_tool_seconds", "Time a tool took", ("tool",), registry=to)
        self._restarts = Counter("reachy_mind_motion_restarts", "Deaths of the motion process", registry=to)
        self._missed = Counter("reachy_mind_events_missed", "Events that these figures lack", registry=to)

    def _name_gauges(self) -> None:
        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"reachy_mind_{name}", about, labels, registry=self.registry)

        gauge("info", "Which version runs", "version").labels(__version__).set(1)
        self._ready = gauge("ready", "Whether the mind is ready or at work")
        self._lateness = gauge("motion_lateness_seconds", "Lateness of the last ticks of the 100 Hz loop", "quantile")
        self._ticks = gauge("motion_ticks", "Ticks of the 100 Hz loop since its start")
        self._skipped = gauge("motion_skipped_ticks", "Ticks it skipped, being late")
        self._link = gauge("robot_link", "1 for the state the connection to the robot is in", "state")
        self._microphone = gauge("microphone", "1 for the state the microphone is in", "state")
        self._camera = gauge("camera", "1 for the state the camera is in", "state")
        self._memory = gauge("model_memory_bytes", "Memory of each running model process", "model")
        self._open = gauge("sockets", "Open WebSockets")
        self._turned_away = gauge("refused_requests", "Requests of strangers that were refused")
        self._waiting = gauge("waiting_confirmations", "Questions that wait for a person")

    async def __aenter__(self) -> None:
        subscription = self._mind.bus.subscribe(TurnStarted, TurnEnded, ToolCalled, MotionRestarted, size=2048)

        async def listen() -> None:
            with subscription:
                async for event in subscription:
                    self._notice(event)

        self._listening = asyncio.create_task(listen(), name="metrics")

    async def __aexit__(self, *_: object) -> None:
        assert self._listening is not None
        await ended(self._listening)

    def _notice(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._started[event.turn_id] = event
                self._acting[event.conversation] = 0.0
            case ToolCalled():
                tool = event.tool if event.tool in self._names() else "unknown"
                self._tools.labels(tool, event.status).inc()
                self._tool_s.labels(tool).observe(event.duration_ms / 1000)
                if event.conversation in self._acting:
                    self._acting[event.conversation] += event.duration_ms / 1000
            case TurnEnded():
                self._turn(event)
            case MotionRestarted():
                self._restarts.inc()
            case Missed():
                self._missed.inc(event.count)
                self._started.clear()
                self._acting.clear()

    def _turn(self, event: TurnEnded) -> None:
        started = self._started.pop(event.turn_id, None)
        acted = self._acting.pop(event.conversation, 0.0)
        spoken = "yes" if started is not None and started.spoken else "no"
        outcome = event.error["code"].lower() if event.error else "done"
        self._turns.labels(event.brain, spoken, outcome).inc()
        self._turn_s.labels(event.brain, "first").observe(event.latency_ms / 1000)
        self._turn_s.labels(event.brain, "tools").observe(acted)
        if started is not None:
            self._turn_s.labels(event.brain, "whole").observe(max(0.0, event.at - started.at))

    def _names(self) -> set[str]:
        return {tool.qualified for tool in self._mind.toolbox.registry}

    def counted(self, app: Any) -> Any:
        """The app, its requests counted by route: what no route was found for is one line, whatever was asked for."""

        async def count(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, status = time.monotonic(), 500

            async def answer(message: Any) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, answer)
            finally:
                route = getattr(scope.get("route"), "path", "other")
                known = route != "other" and scope["method"] in METHODS  # strangers make up any word
                method = scope["method"] if known else "other"
                self._requests.labels(method, route, str(status)).inc()
                self._request_s.labels(route).observe(time.monotonic() - began)

        return count

    async def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        await self._look()
        return generate_latest(self.registry)

    async def _look(self) -> None:
        mind = self._mind
        self._ready.set(mind.state in ("ready", "processing"))
        _state(self._link, LINK, mind.motion.status if mind.motion is not None else "none")
        _state(self._microphone, MICROPHONE, mind.speech.described()["microphone"])
        _state(self._camera, CAMERA, mind.sight.described()["camera"])
        late = await self._punctuality()
        for name, quantile in (("p50_ms", "0.5"), ("p99_ms", "0.99"), ("max_ms", "1")):
            if name in late:
                self._lateness.labels(quantile).set(late[name] / 1000)
        self._ticks.set(late.get("ticks", 0.0))
        self._skipped.set(late.get("skipped", 0.0))
        self._memory.clear()
        for worker in statuses():
            if worker.rss is not None:
                self._memory.labels(worker.name).set(worker.rss)
        self._open.set(self.sockets.count if self.sockets is not None else 0)
        self._turned_away.set(self._refusals.count)
        self._waiting.set(len(mind.confirmations.pending))

    async def _punctuality(self) -> dict[str, float]:
        async with self._asking:
            if self._mind.motion is None or self._mind.motion.status != "connected":
                return {}
            if time.monotonic() - self._late_at > FRESH_S:
                with contextlib.suppress(MindError):  # it is starting again: what was known is told
                    self._late = await self._mind.motion.lateness()
                    self._late_at = time.monotonic()
            return self._late


def router(metrics: Metrics) -> APIRouter:
    routes = APIRouter()
    told: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Figures for Prometheus"}
    }

    @routes.get("/metrics", response_class=Response, responses=told)
    async def figures() -> Response:
        """Figures for Prometheus: docs/metrics.md."""
        return Response(await metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return routes


def _state(gauge: Gauge, states: tuple[str, ...], now: str) -> None:
    for state in states:
        gauge.labels(state).set(state == now)
