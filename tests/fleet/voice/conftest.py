"""A node with voice sessions on loopback, and devices with links to it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from reachy_mind.config.configuration import Configuration, load
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.voice_routing import VoiceRouting
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.handshake import Desired
from reachy_mind.fleet.voice.pool import VoicePool
from reachy_mind.fleet.voice.worker_setup import WorkerSetup
from reachy_mind.models.store import Store
from reachy_mind.speech import moonshine
from reachy_mind.speech.transcriber import HostedTranscriber
from tests.conftest import MODELS
from tests.fleet.hub_server import TENANT, HubServer, hub_server
from tests.waiting import until


class NothingToApply:
    """A device without a state."""

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:  # noqa: ARG002
        return {}


@dataclass
class VoiceNode:
    server: HubServer
    pool: VoicePool
    routing: VoiceRouting
    folder: Path
    known: dict[str, Device] = field(default_factory=dict)

    async def device(self, name: str, tenant: str = TENANT) -> Device:
        """The one of this name; it is made when there is none."""
        if name not in self.known:
            self.known[name] = await self.server.device(name, tenant)
        return self.known[name]

    async def quiet(self) -> None:
        """Wait until no session is left of what was before."""
        await until(lambda: len(self.pool) == 0)

    @contextlib.asynccontextmanager
    async def link(self, device: Device) -> AsyncIterator[DeviceLink]:
        """A connected link."""
        url = f"http://127.0.0.1:{self.server.port}"
        identity = DeviceIdentity(url, device.id, self.server.tokens[device.id])
        async with (
            DeviceStore(self.folder / device.name / "device.db") as store,
            DeviceLink(store, identity, NothingToApply()) as link,
        ):
            await until(lambda: link.state == "connected")
            yield link


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    return load(environ={"REACHY_MIND_HOME": str(tmp_path / "home")}, folder=tmp_path)


@contextlib.asynccontextmanager
async def voice_node(
    store: SqliteStore, folder: Path, setup: WorkerSetup, limit: int, tenant_percent: int = 50
) -> AsyncIterator[VoiceNode]:
    async with (
        VoicePool(setup, limit, workers=1) as pool,
        VoiceRouting(store, pool, tenant_percent) as routing,
        hub_server(store) as server,
    ):
        server.hub.voice = routing
        yield VoiceNode(server, pool, routing, folder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def node(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[VoiceNode]:
    """It holds three sessions, in one process for all tests of a module; of two tenants each may have two."""
    folder = tmp_path_factory.mktemp("node")
    setup = WorkerSetup.of(
        load(environ={"REACHY_MIND_HOME": str(folder / "home")}, folder=folder), "reflex", idle_s=30.0
    )
    async with SqliteStore(folder / "fleet.db") as store, voice_node(store, folder, setup, limit=3) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ears() -> AsyncIterator[HostedTranscriber]:
    made = moonshine.transcriber(Store(MODELS), "tiny")
    yield made
    await made.aclose()
