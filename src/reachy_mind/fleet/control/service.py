"""`ControlService`: a node of the control plane as a process runs it: store, bus, hub, tasks and server."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn
from filelock import FileLock, Timeout

from reachy_mind import log
from reachy_mind.access.timeouts import MAX_HEADER_BYTES
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.config.fleet_settings import FleetSettings
from reachy_mind.errors import AlreadyRunning, ConfigError, NotReady
from reachy_mind.fleet.control import (
    activity_advance,
    audit,
    binding,
    built_in_personas,
    local_operator,
    open_files,
    operators,
    retention,
    tenants,
)
from reachy_mind.fleet.control.advertisement import advertised
from reachy_mind.fleet.control.app import ControlApp
from reachy_mind.fleet.control.binding import Binding
from reachy_mind.fleet.control.bus import LocalBus, NodeBus
from reachy_mind.fleet.control.connection_protocols import FleetHttpProtocol, FleetSocketProtocol
from reachy_mind.fleet.control.escalation import Escalation
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.local_operator import LocalOperator, fleet_folder
from reachy_mind.fleet.control.metrics import MeasuredStore
from reachy_mind.fleet.control.nats_bus import NatsBus
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.rollout_waves import advance_forever
from reachy_mind.fleet.control.store.postgres import PostgresStore
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import FleetStore, Sql
from reachy_mind.fleet.control.voice_routing import VoiceRouting
from reachy_mind.fleet.protocol.limits import MAX_BINARY_BYTES, PING_INTERVAL_S, PING_TIMEOUT_S, ConnectionLimits
from reachy_mind.fleet.protocol.source_messages import MAX_SOURCE_BYTES
from reachy_mind.fleet.voice.pool import VoicePool
from reachy_mind.fleet.voice.worker_setup import WorkerSetup
from reachy_mind.storage.database import DatabaseError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder
from reachy_mind.storage.home import Home

BACKLOG: Final = 4096
"""Connections that wait to be accepted: after a restart all devices come at once."""
RETENTION_INTERVAL_S: Final = 3600.0
GRACEFUL_S: Final = 5

_log = log.get(__name__)


class ControlServer(uvicorn.Server):
    """uvicorn without signal handlers: the command decides when to shut down."""

    def __init__(self, app: ControlApp, bound: Binding, settings: FleetSettings) -> None:
        context = bound.context
        super().__init__(
            uvicorn.Config(
                app,
                http=FleetHttpProtocol,
                ws=FleetSocketProtocol,
                h11_max_incomplete_event_size=MAX_HEADER_BYTES,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=settings.behind_proxy,
                forwarded_allow_ips=list(settings.proxies),
                ssl_context_factory=(lambda _config, _default: context) if context is not None else None,
                backlog=BACKLOG,
                timeout_graceful_shutdown=GRACEFUL_S,
                ws_max_size=MAX_SOURCE_BYTES if settings.source_devices else MAX_BINARY_BYTES,
                ws_ping_interval=PING_INTERVAL_S,
                ws_ping_timeout=PING_TIMEOUT_S,
                ws_per_message_deflate=False,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True)
class ControlService:
    """A node that serves."""

    plane: ControlPlane
    app: ControlApp
    binding: Binding
    local: LocalOperator
    store: str
    """In words, without a password."""
    bus: str
    room: int
    """How many connections the limit on open files leaves."""
    serving: asyncio.Task[None]


@contextlib.asynccontextmanager
async def running(configuration: Configuration) -> AsyncIterator[ControlService]:
    """Serve until the context ends; then the devices are closed, and running requests may finish.

    Raises AlreadyRunning, PortTaken, ConfigError, DatabaseError.
    """
    settings, home = configuration.settings.fleet, configuration.home
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(_owned(home))
        bound = binding.choose(settings, home)
        listener = bound.listen()
        stack.callback(listener.close)
        room = open_files.raise_limit()
        store, store_text = _store(settings, home)
        measured = await stack.enter_async_context(MeasuredStore(store))
        bus, bus_text = _bus(settings)
        await stack.enter_async_context(bus)
        node = settings.node or _node_name(bound.port)
        hub = await stack.enter_async_context(DeviceHub(measured, bus, node, _limits(settings)))
        if settings.voice_sessions != 0:
            hub.voice = await _voice(configuration, measured, stack)
        plane = ControlPlane(measured, bus, hub, bound.public_url, settings.webhook_hosts)
        local = await _local_operator(measured, home, bound, node)
        await _store_personas(measured)
        await stack.enter_async_context(Escalation(plane))
        stack.push_async_callback(cancel_and_wait, _task("fleet rollouts", advance_forever(plane)))
        stack.push_async_callback(cancel_and_wait, _task("fleet activities", activity_advance.advance_forever(plane)))
        stack.push_async_callback(cancel_and_wait, _task("fleet retention", _remove_old(measured)))
        token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else ""
        app = await stack.enter_async_context(
            ControlApp(
                plane,
                names=settings.names,
                metrics_token=token,
                source_devices=settings.source_devices,
                authority=Path(bound.authority) if bound.authority else None,
            )
        )
        server = ControlServer(app, bound, settings)
        serving = _task("fleet server", server.serve(sockets=[listener]))
        try:
            await _started(server, serving)
            if settings.advertise:
                await stack.enter_async_context(advertised(bound, node))
            yield ControlService(plane, app, bound, local, store_text, bus_text, room, serving)
        finally:
            try:
                await app.drain()
            finally:
                server.should_exit = True
                await serving


async def _started(server: ControlServer, serving: asyncio.Task[None]) -> None:
    """Wait until the server accepts connections. Raises what kept it from that."""
    while not server.started:
        done, _ = await asyncio.wait([serving], timeout=0.01)
        if done:
            serving.result()
            raise NotReady("the server ended by itself", hint="see the log")


@contextlib.contextmanager
def _owned(home: Home) -> Iterator[None]:
    """Raises AlreadyRunning when a control plane of this data folder runs, ConfigError."""
    folder = fleet_folder(home)
    lock = FileLock(folder / "node.lock", mode=0o600)
    try:
        make_folder(folder)
        lock.acquire(blocking=False)
    except Timeout:
        raise AlreadyRunning(
            "a control plane of this data folder is already running",
            hint="stop it with Ctrl-C where it runs; another node needs a REACHY_MIND_HOME of its own",
        ) from None
    except OSError as error:
        fault = classify(error, folder)
        raise ConfigError(f"{folder} can't be written: {fault.cause}", hint=fault.hint) from error
    try:
        yield
    finally:
        lock.release()


def _store(settings: FleetSettings, home: Home) -> tuple[FleetStore, str]:
    """The store, and what it is in words. Raises ConfigError, MissingExtra."""
    if settings.store is None:
        file = fleet_folder(home) / "fleet.db"
        return SqliteStore(file), str(file)
    url = settings.store.get_secret_value()
    if not url.startswith(("postgresql://", "postgres://")):
        raise ConfigError("fleet.store is no address of a database", hint="postgresql://USER:PASSWORD@HOST/DATABASE")
    return PostgresStore(url), f"PostgreSQL at {_place(url)}"


def _bus(settings: FleetSettings) -> tuple[NodeBus, str]:
    if settings.nats is None:
        if settings.store is not None:
            _log.warning("without --nats other nodes learn of changes some seconds later")
        return LocalBus(), "this process"
    url = settings.nats.get_secret_value()
    if not url.startswith(("nats://", "tls://")):
        raise ConfigError("fleet.nats is no address of a NATS server", hint="nats://HOST:4222")
    return NatsBus(url), f"NATS at {', '.join(_place(part) for part in url.split(','))}"


def _place(url: str) -> str:
    """Host, port and path of an address: no user, no password."""
    parts = urlsplit(url.strip())
    return f"{parts.netloc.rpartition('@')[2]}{parts.path}"


def _node_name(port: int) -> str:
    return f"{re.sub(r'[^A-Za-z0-9_-]', '-', socket.gethostname())[:48] or 'node'}-{port}"


async def _local_operator(store: FleetStore, home: Home, bound: Binding, node: str) -> LocalOperator:
    """The key of this machine's own commands, made at the first start."""
    known = local_operator.read(home)
    name = f"{operators.LOCAL}{node}"[:64]

    def ensure(sql: Sql) -> str:
        tenant = tenants.home(sql)
        before = known.key if known is not None else ""
        key = operators.ensure_local(sql, tenant.id, name, before)
        if key != before:
            made = operators.get(sql, tenant.id, name)
            audit.record(sql, made.operator, "operator.added", f"{name}, platform", address="")
        return key

    local = LocalOperator(bound.local_url, await store.write(ensure), bound.authority)
    if local != known:
        local_operator.write(home, local)
    return local


async def _store_personas(store: FleetStore) -> None:
    """Every tenant has the personalities that buttons ask for."""
    await asyncio.to_thread(built_in_personas.bundles)
    after, some = "", True
    while some:
        found = await store.read(lambda sql, after=after: tenants.listed(sql, after=after))  # type: ignore[misc]
        for tenant in found:
            await store.write(lambda sql, tenant=tenant: built_in_personas.ensure(sql, tenant.id))  # type: ignore[misc]
        some = bool(found)
        after = found[-1].name if found else ""


async def _voice(configuration: Configuration, store: FleetStore, stack: contextlib.AsyncExitStack) -> VoiceRouting:
    """The voice sessions of the node; nothing is loaded before the first one."""
    settings = configuration.settings.fleet
    setup = WorkerSetup.of(configuration, settings.voice_brain, settings.voice_idle_s)
    pool = await stack.enter_async_context(VoicePool(setup, settings.voice_sessions))
    return await stack.enter_async_context(VoiceRouting(store, pool, settings.voice_tenant_percent))


def _limits(settings: FleetSettings) -> ConnectionLimits:
    return ConnectionLimits(rate_per_s=settings.rate_per_s, burst=settings.burst)


async def _remove_old(store: FleetStore) -> None:
    """Forget what is old, every hour."""
    while True:
        try:
            await store.write(retention.remove_old)
        except DatabaseError as error:
            _log.warning("what is old can't be removed; trying again", reason=error.message)
        await asyncio.sleep(RETENTION_INTERVAL_S)


def _task(name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    return asyncio.create_task(work, name=name)
