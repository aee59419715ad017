"""`FleetMetrics`: the metrics of a node for Prometheus; docs/metrics.md describes each.

The hub counts in plain numbers (`HubCounters`), which are read when the metrics are asked for. No label is the id of a
device or tenant.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from prometheus_client import CollectorRegistry, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from reachy_mind import __version__, log
from reachy_mind.fleet.control.hub import NODE_TIMEOUT_MS, DeviceHub
from reachy_mind.fleet.control.hub_counters import STORE_BUCKETS_S
from reachy_mind.fleet.control.store.store import FleetStore, Operation, Result, Sql
from reachy_mind.fleet.control.voice_routing import FIRST_SOUND_BUCKETS_S, VoiceRouting
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.storage.database import DatabaseError

CACHE_S: Final = 5.0
"""The store is not counted more often."""
ACKNOWLEDGED_WITHIN_MS: Final = 24 * 3600 * 1000

_log = log.get(__name__)


class MeasuredStore:
    """A store that notes how long its writes take."""

    def __init__(self, store: FleetStore) -> None:
        self._store = store
        self.write_s = Histogram(
            "reachy_fleet_store_write_seconds",
            "Time of a transaction, with its wait",
            buckets=STORE_BUCKETS_S,
            registry=None,
        )

    async def __aenter__(self) -> Self:
        await self._store.__aenter__()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self._store.__aexit__(*about)

    async def write(self, operation: Operation[Result]) -> Result:
        began = time.monotonic()
        try:
            return await self._store.write(operation)
        finally:
            self.write_s.observe(time.monotonic() - began)

    async def read(self, operation: Operation[Result]) -> Result:
        return await self._store.read(operation)

    async def check_writable(self) -> None:
        await self._store.check_writable()


@dataclass(frozen=True)
class StoreFigures:
    """What the store counts, of all nodes and tenants. Ages are in seconds, 0 when there is nothing."""

    devices: int
    online: int
    waiting: int
    waiting_s: float
    """Age of the oldest command whose device is online: since it was sent, or since that device came."""
    unsynced: int
    emergencies: int
    emergency_s: float
    """Age of the oldest emergency that nobody has acknowledged."""
    acknowledged_ms: Sequence[int]
    """The times until somebody acknowledged the emergencies of the last day, sorted."""


class FleetMetrics:
    """Reads the figures of a node and its store."""

    def __init__(self, hub: DeviceHub, store: FleetStore) -> None:
        self._store = store
        self._counted_at = -CACHE_S
        self.registry = CollectorRegistry()
        self.registry.register(_HubCollector(hub))
        if isinstance(store, MeasuredStore):
            self.registry.register(store.write_s)

        def gauge(name: str, about: str, *labels: str) -> Gauge:
            return Gauge(f"reachy_fleet_{name}", about, labels, registry=self.registry)

        gauge("info", "Which version runs", "version").labels(__version__).set(1)
        self._store_up = gauge("store_up", "Whether the store could be read")
        self._devices = gauge("devices", "Devices that are not revoked")
        self._online = gauge("online_devices", "Devices that are connected to any node")
        self._waiting = gauge("commands_waiting", "Commands that their devices do not have yet")
        self._waiting_s = gauge("command_waiting_seconds", "Age of the oldest one whose device is online")
        self._unsynced = gauge("twins_out_of_sync", "Devices that do not have their desired state")
        self._open = gauge("emergencies_open", "Emergencies that nobody has acknowledged")
        self._open_s = gauge("emergency_open_seconds", "Age of the oldest one of them")
        self._acknowledged = gauge(
            "emergency_acknowledged_seconds",
            "Time until somebody acknowledged the emergencies of the last day",
            "quantile",
        )
        ProcessCollector(registry=self.registry)

    async def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        if time.monotonic() - self._counted_at > CACHE_S:
            self._counted_at = time.monotonic()
            try:
                self._set(await self._store.read(_count))
            except DatabaseError as error:
                _log.warning("the store can't be counted", reason=error.message)
                self._store_up.set(0)
            else:
                self._store_up.set(1)
        return generate_latest(self.registry)

    def _set(self, found: StoreFigures) -> None:
        for metric, value in (
            (self._devices, found.devices),
            (self._online, found.online),
            (self._waiting, found.waiting),
            (self._waiting_s, found.waiting_s),
            (self._unsynced, found.unsynced),
            (self._open, found.emergencies),
            (self._open_s, found.emergency_s),
        ):
            metric.set(value)
        self._acknowledged.clear()
        times = found.acknowledged_ms
        for quantile in (0.5, 0.95, 1.0) if times else ():
            took_ms = times[min(len(times) - 1, int(quantile * len(times)))]
            self._acknowledged.labels(f"{quantile:g}").set(took_ms / 1000)


class _HubCollector(Collector):
    def __init__(self, hub: DeviceHub) -> None:
        self._hub = hub

    def collect(self) -> Iterator[Metric]:
        counters = self._hub.counters
        yield GaugeMetricFamily("reachy_fleet_connected_devices", "Devices at this node", value=len(self._hub))
        for name, about, value in (
            ("connections_opened", "Connections since the start", counters.opened),
            ("connections_closed", "Connections that have ended", counters.closed),
            ("repetitions", "Events that came again and were not stored again", counters.repetitions),
            ("audio_frames", "Pieces of sound", counters.audio_frames),
            ("emergencies_held_back", "Times that a flood of emergencies waited", counters.emergencies_held_back),
        ):
            yield CounterMetricFamily(f"reachy_fleet_{name}", about, value=value)
        yield _counter("frames", "Frames by direction and type", ("direction", "type"), counters.frames.items())
        closes = (((code,), count) for code, count in counters.closes.items())
        yield _counter("closes", "Connections that this node closed", ("code",), closes)
        rejected = (((reason,), count) for reason, count in counters.rejected.items())
        yield _counter("rejected", "Connections that were refused", ("reason",), rejected)
        stored = (((prio,), count) for prio, count in counters.stored_by_priority.items())
        yield _counter("events_stored", "Events that were stored", ("priority",), stored)
        buckets, total = [], 0
        for bound in (*STORE_BUCKETS_S, float("inf")):
            total += counters.stored[bound]
            buckets.append(("+Inf" if bound == float("inf") else f"{bound:g}", float(total)))
        yield HistogramMetricFamily(
            "reachy_fleet_ack_seconds",
            "Time from the arrival of an event until it was stored and could be acknowledged",
            buckets=buckets,
            sum_value=counters.stored_s,
        )
        if self._hub.voice is not None:
            yield from _voice(self._hub.voice)


def _voice(voice: VoiceRouting) -> Iterator[Metric]:
    counters, pool = voice.counters, voice.pool
    yield GaugeMetricFamily("reachy_fleet_voice_sessions", "Open voice sessions", value=len(pool))
    yield GaugeMetricFamily("reachy_fleet_voice_sessions_limit", "Most of them at the same time", value=pool.limit)
    yield GaugeMetricFamily("reachy_fleet_voice_workers", "Their processes", value=len(pool.pids))
    for name, about, value in (
        ("voice_opened", "Voice sessions since the start", counters.opened),
        ("voice_ended", "Voice sessions that have ended", counters.ended),
        ("voice_worker_deaths", "Voice workers that died", pool.counters.deaths),
    ):
        yield CounterMetricFamily(f"reachy_fleet_{name}", about, value=value)
    refused = (((reason,), count) for reason, count in pool.counters.refused.items())
    yield _counter("voice_refused", "Voice sessions that were refused", ("reason",), refused)
    buckets, total = [], 0
    for bound in (*FIRST_SOUND_BUCKETS_S, float("inf")):
        total += counters.first_sound[bound]
        buckets.append(("+Inf" if bound == float("inf") else f"{bound:g}", float(total)))
    yield HistogramMetricFamily(
        "reachy_fleet_voice_first_sound_seconds",
        "From the end of a person's voice to the first sound of the answer, at this node",
        buckets=buckets,
        sum_value=counters.first_sound_s,
    )


def _counter(name: str, about: str, labels: tuple[str, ...], values: Iterable[tuple[Any, int]]) -> Metric:
    family = CounterMetricFamily(f"reachy_fleet_{name}", about, labels=labels)
    for label_values, count in list(values):
        family.add_metric([str(value) for value in label_values], count)
    return family


def _count(sql: Sql) -> StoreFigures:
    now = now_ms()

    def one(query: str, *values: object) -> int:
        row = sql.row(query, *values)
        return int(row["n"] or 0) if row is not None else 0

    def age_s(since_ms: int) -> float:
        return max(0, now - since_ms) / 1000 if since_ms else 0.0

    rows = sql.rows(
        "SELECT acked_at - received_at AS took FROM emergency WHERE acked_at > ? ORDER BY 1",
        now - ACKNOWLEDGED_WITHIN_MS,
    )
    return StoreFigures(
        devices=one("SELECT count(*) AS n FROM device WHERE revoked_at IS NULL"),
        online=one(
            "SELECT count(*) AS n FROM connection JOIN node ON node.id = connection.node"
            " WHERE connection.closed_at IS NULL AND node.seen_at > ?",
            now - NODE_TIMEOUT_MS,
        ),
        waiting=one("SELECT count(*) AS n FROM downlink WHERE acked_at IS NULL"),
        waiting_s=age_s(
            one(
                "SELECT min(CASE WHEN connection.connected_at > downlink.ts THEN connection.connected_at"
                " ELSE downlink.ts END) AS n FROM downlink JOIN connection ON connection.device = downlink.device"
                " JOIN node ON node.id = connection.node WHERE downlink.acked_at IS NULL"
                " AND connection.closed_at IS NULL AND node.seen_at > ?",
                now - NODE_TIMEOUT_MS,
            )
        ),
        unsynced=one("SELECT count(*) AS n FROM twin WHERE version > coalesce(reported_version, 0)"),
        emergencies=one("SELECT count(*) AS n FROM emergency WHERE state = 'open'"),
        emergency_s=age_s(one("SELECT min(received_at) AS n FROM emergency WHERE state = 'open'")),
        acknowledged_ms=[int(row["took"]) for row in rows],
    )
