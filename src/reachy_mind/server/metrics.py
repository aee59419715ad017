"""`Metrics`: the Prometheus metrics at `/metrics`; docs/metrics.md describes each.

Counters follow the event stream and the requests; gauges are read when `/metrics` is requested.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
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
from reachy_mind.access.connections import OpenConnections
from reachy_mind.access.rejections import Rejections
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.events import Event, Missed, MotionRestarted, ToolCalled, TurnEnded, TurnStarted
from reachy_mind.mind import Mind
from reachy_mind.models.worker import statuses

disable_created_metrics()  # type: ignore[no-untyped-call]
TURN_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
REQUEST_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
LINK_STATES = ("none", "connecting", "connected", "lost", "refused", "closed")
MICROPHONE_STATES = ("off", "opening", "open", "lost")
CAMERA_STATES = ("on", "off", "dark", "frozen", "lost")
LATENESS_CACHE_S = 5.0
"""The motion process is not asked more often."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"})


class Metrics:
    """Use as an async context manager while the mind runs; `middleware` counts the requests of an ASGI app."""

    def __init__(self, mind: Mind, rejections: Rejections) -> None:
        self._mind, self._rejections = mind, rejections
        self.connections: OpenConnections | None = None
        self._started: dict[str, TurnStarted] = {}
        self._tool_time_s: dict[str, float] = {}
        """Of the current turn, by conversation."""
        self._lateness_ms: dict[str, float] = {}
        self._lateness_at = -LATENESS_CACHE_S
        self._lateness_lock = asyncio.Lock()
        self._lost_s = 0.0
        """What the microphone had lost when it was last asked; it counts anew when it is opened."""
        self._listening: asyncio.Task[None] | None = None
        self.registry = CollectorRegistry()
        self._create_counters()
        self._create_gauges()
        ProcessCollector(registry=self.registry)

    def _create_counters(self) -> None:
        to = self.registry
        self._requests = Counter(
            "reachy_mind_requests", "Answered HTTP requests", ("method", "route", "status"), registry=to
        )
        self._request_s = Histogram(
            "reachy_mind_request_seconds",
            "Time to the end of an answer",
            ("route",),
            buckets=REQUEST_BUCKETS_S,
            registry=to,
        )
        self._turns = Counter("reachy_mind_turns", "Ended turns", ("brain", "spoken", "outcome"), registry=to)
        self._turn_s = Histogram(
            "reachy_mind_turn_seconds", "Turn latency by stage", ("brain", "stage"), buckets=TURN_BUCKETS_S, registry=to
        )
        self._tools = Counter("reachy_mind_tool_calls", "Ended tool calls", ("tool", "status"), registry=to)
        self._tool_s = Summary("reachy_mind_tool_seconds", "Time a tool took", ("tool",), registry=to)
        self._restarts = Counter("reachy_mind_motion_restarts", "Deaths of the motion process", registry=to)
        self._lost = Counter("reachy_mind_microphone_lost_seconds", "Sound that the microphone lost", registry=to)
        self._missed = Counter("reachy_mind_events_missed", "Events that these metrics missed", registry=to)

    def _create_gauges(self) -> None:
        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"reachy_mind_{name}", about, labels, registry=self.registry)

        gauge("info", "Which version runs", "version").labels(__version__).set(1)
        self._ready = gauge("ready", "Whether the mind is ready or at work")
        self._lateness = gauge("motion_lateness_seconds", "Lateness of the last ticks of the 100 Hz loop", "quantile")
        self._ticks = gauge("motion_ticks", "Ticks of the 100 Hz loop since its start")
        self._skipped = gauge("motion_skipped_ticks", "Ticks skipped because they were late")
        self._link = gauge("robot_link", "1 for the state the connection to the robot is in", "state")
        self._microphone = gauge("microphone", "1 for the state the microphone is in", "state")
        self._camera = gauge("camera", "1 for the state the camera is in", "state")
        self._memory = gauge("model_memory_bytes", "Memory of each running model process", "model")
        self._free = gauge("disk_free_bytes", "Space that is left on the disk of the data folder")
        self._sockets = gauge("sockets", "Open WebSockets")
        self._tasks = gauge("asyncio_tasks", "Tasks of the event loop")
        self._rejected = gauge("refused_requests", "Requests that were refused")
        self._pending = gauge("waiting_confirmations", "Confirmations that wait for a person")

    async def __aenter__(self) -> None:
        subscription = self._mind.bus.subscribe(TurnStarted, TurnEnded, ToolCalled, MotionRestarted, size=2048)

        async def listen() -> None:
            with subscription:
                async for event in subscription:
                    self._count(event)

        self._listening = asyncio.create_task(listen(), name="metrics")

    async def __aexit__(self, *_: object) -> None:
        assert self._listening is not None
        await cancel_and_wait(self._listening)

    def _count(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._started[event.turn_id] = event
                self._tool_time_s[event.conversation] = 0.0
            case ToolCalled():
                tool = event.tool if event.tool in self._tool_names() else "unknown"
                self._tools.labels(tool, event.status).inc()
                self._tool_s.labels(tool).observe(event.duration_ms / 1000)
                if event.conversation in self._tool_time_s:
                    self._tool_time_s[event.conversation] += event.duration_ms / 1000
            case TurnEnded():
                self._count_turn(event)
            case MotionRestarted():
                self._restarts.inc()
            case Missed():
                self._missed.inc(event.count)
                self._started.clear()
                self._tool_time_s.clear()

    def _count_turn(self, event: TurnEnded) -> None:
        started = self._started.pop(event.turn_id, None)
        tool_time_s = self._tool_time_s.pop(event.conversation, 0.0)
        spoken = "yes" if started is not None and started.spoken else "no"
        outcome = event.error["code"].lower() if event.error else "done"
        self._turns.labels(event.brain, spoken, outcome).inc()
        self._turn_s.labels(event.brain, "first").observe(event.latency_ms / 1000)
        self._turn_s.labels(event.brain, "tools").observe(tool_time_s)
        if started is not None:
            self._turn_s.labels(event.brain, "whole").observe(max(0.0, event.at - started.at))

    def _tool_names(self) -> set[str]:
        return {tool.qualified for tool in self._mind.toolbox.registry}

    def middleware(self, app: Any) -> Any:
        """Wrap an ASGI app and count its requests by route; all requests without a route are one label, "other"."""

        async def wrapped(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            started, status = time.monotonic(), 500

            async def watch_status(message: Any) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, watch_status)
            finally:
                route = getattr(scope.get("route"), "path", "other")
                known = route != "other" and scope["method"] in METHODS  # anything may be sent as a method
                method = scope["method"] if known else "other"
                self._requests.labels(method, route, str(status)).inc()
                self._request_s.labels(route).observe(time.monotonic() - started)

        return wrapped

    async def text(self) -> bytes:
        """All metrics in the Prometheus text format."""
        await self._read_gauges()
        return generate_latest(self.registry)

    async def _read_gauges(self) -> None:
        mind = self._mind
        self._ready.set(mind.state in ("ready", "processing"))
        _set_state(self._link, LINK_STATES, mind.motion.status if mind.motion is not None else "none")
        _set_state(self._microphone, MICROPHONE_STATES, mind.speech.described()["microphone"])
        _set_state(self._camera, CAMERA_STATES, mind.sight.described()["camera"])
        self._count_lost(mind.speech.talking.lost_s if mind.speech.talking is not None else 0.0)
        with contextlib.suppress(OSError):  # the disk is gone: `readyz` says so
            self._free.set((await asyncio.to_thread(shutil.disk_usage, mind.configuration.home.folder)).free)
        lateness = await self._read_lateness()
        for name, quantile in (("p50_ms", "0.5"), ("p99_ms", "0.99"), ("max_ms", "1")):
            if name in lateness:
                self._lateness.labels(quantile).set(lateness[name] / 1000)
        self._ticks.set(lateness.get("ticks", 0.0))
        self._skipped.set(lateness.get("skipped", 0.0))
        self._memory.clear()
        for worker in statuses():
            if worker.rss is not None:
                self._memory.labels(worker.name).set(worker.rss)
        self._sockets.set(self.connections.count if self.connections is not None else 0)
        self._tasks.set(len(asyncio.all_tasks()))
        self._rejected.set(self._rejections.count)
        self._pending.set(len(mind.confirmations.pending))

    def _count_lost(self, lost_s: float) -> None:
        self._lost.inc(lost_s - self._lost_s if lost_s >= self._lost_s else lost_s)
        self._lost_s = lost_s

    async def _read_lateness(self) -> dict[str, float]:
        async with self._lateness_lock:
            if self._mind.motion is None or self._mind.motion.status != "connected":
                return {}
            if time.monotonic() - self._lateness_at > LATENESS_CACHE_S:
                with contextlib.suppress(MindError):  # it is restarting: the last figures are served
                    self._lateness_ms = await self._mind.motion.lateness()
                    self._lateness_at = time.monotonic()
            return self._lateness_ms


def router(metrics: Metrics) -> APIRouter:
    routes = APIRouter()
    responses: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Metrics for Prometheus"}
    }

    @routes.get("/metrics", response_class=Response, responses=responses)
    async def figures() -> Response:
        """Metrics for Prometheus: docs/metrics.md."""
        return Response(await metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return routes


def _set_state(gauge: Gauge, states: tuple[str, ...], now: str) -> None:
    for state in states:
        gauge.labels(state).set(state == now)
