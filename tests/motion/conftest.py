"""One motion process and one robot, shared by the tests of a module that need an awake robot."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.motion.client import Motion
from tests.fakes.processes import Daemon


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def connected(daemon: Daemon, description: Path) -> AsyncIterator[Motion]:
    """The motion process, one for the tests of a module."""
    async with Motion(daemon.address, description, idle=False, log_level="error") as line:
        await line.wait_connected(10)
        yield line


@pytest_asyncio.fixture(loop_scope="module")
async def at_rest(connected: Motion) -> Motion:
    """Awake, straight ahead, and with nothing to do, whatever the test before did."""
    connected.idle(on=False)
    connected.posture("none")
    connected.speech([], time.monotonic())
    await connected.stop()
    await connected.wake()
    if away := connected.state.command.distance(AWAKE):
        await connected.goto(AWAKE, 0.3 + 0.6 * away)
    await connected.wait_for(lambda state: state.added == Pose(), timeout=5)
    return connected
