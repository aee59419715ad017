"""Shared fixtures: a data folder of its own for every test, the real robot description, a real simulated robot."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import httpx
import pytest

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.config.configuration import ALIASES, load
from reachy_mind.models.robot_description import DESCRIPTION
from reachy_mind.models.store import Store
from reachy_mind.motion.client import Motion
from reachy_mind.system import portability
from tests import waiting
from tests.fakes.processes import Daemon

pytest_plugins = ["tests.child_processes"]

MODELS = load(environ={k: v for k, v in os.environ.items() if not k.startswith("REACHY_MIND_ROBOT")}).models_folder


os.environ["REACHY_MIND_MIND__BRAIN"] = "reflex"  # not a language model that happens to be here
os.umask(0o022)  # files that a group may write are refused

SLOWEST = ("tools", "cli", "speech", "server", "motion", "test_mind.py", "faults", "sim", "eyes", "conformance")
"""Folders whose tests wait for robots and people: begun first, so that no worker is left with them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent

    def late(item: pytest.Item) -> int:
        room = item.path.relative_to(here).parts[0]
        return SLOWEST.index(room) if room in SLOWEST else len(SLOWEST)

    items.sort(key=late)


@pytest.fixture(scope="session")
def description() -> Path:
    """The vendor's robot description; pulled once if `make setup` did not."""
    store = Store(MODELS)
    if store.status(DESCRIPTION).state != "ready":
        asyncio.run(store.pull(DESCRIPTION))
    return store.path(DESCRIPTION)


@pytest.fixture(scope="session")
def compiled() -> Path:
    return MODELS / "compiled"


@pytest.fixture(scope="session")
def kinematics(description: Path) -> Kinematics:
    return Kinematics(description / "kinematics_data.json")


@pytest.fixture(scope="session", autouse=True)
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder for what lives longer than a test: a mind of a module never writes into the developer's own."""
    folder = tmp_path_factory.mktemp("shared") / "home"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("REACHY_MIND_HOME", str(folder))
        environment.setenv("REACHY_MIND_MODELS__FOLDER", str(MODELS))
        yield folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder for this test alone; models come from the real one, and no key of the developer's leaks in, nor a
    language model that happens to be there."""
    for name in list(os.environ):
        if name != portability.VARIABLE and (name.startswith("REACHY_MIND_") or name in ALIASES):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    monkeypatch.setenv("REACHY_MIND_HOME", str(folder))
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(MODELS))
    monkeypatch.setenv("REACHY_MIND_MIND__BRAIN", "reflex")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture(scope="session", autouse=True)
def quiet_logs() -> None:
    log.configure("error")


@pytest.fixture(scope="module")
def daemon(description: Path, compiled: Path) -> Iterator[Daemon]:
    """A simulator process for the tests of one module."""
    with Daemon(description, compiled) as running:
        yield running


@pytest.fixture
def robot(daemon: Daemon) -> Address:
    """The simulated robot, asleep and as freshly started."""
    httpx.post(f"{daemon.url}/sim/v1/reset").raise_for_status()
    httpx.put(f"{daemon.url}/sim/v1/app-lock", json={"holder_name": None}).raise_for_status()
    return daemon.address


@pytest.fixture
async def motion(robot: Address, description: Path) -> AsyncIterator[Motion]:
    """The motion process, connected to a robot that sleeps; it holds still when it has nothing to do."""
    async with Motion(robot, description, idle=False, log_level="error") as connected:
        await connected.wait_connected(10)
        yield connected


@pytest.fixture
def until() -> Callable[[Callable[[], object]], Awaitable[None]]:
    """Wait for something another task or process does, with a deadline."""
    return waiting.until
