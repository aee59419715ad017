"""Runs in virtual time: nothing of their world is left behind, however they end."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import psutil
import pytest

from reachy_mind.mind import Mind
from reachy_mind.workshop.trial import folder
from tests.server.served import calling
from tests.waiting import until
from tests.workshop.rest_runs import run

pytestmark = pytest.mark.process


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none", memory=False, thinks=False).session() as awake:
        yield awake


def left(pids: Iterable[int]) -> list[Path]:
    """The folders of trials in these processes."""
    places = {Path("/dev/shm"), Path(tempfile.gettempdir())}  # noqa: S108
    return [found for place in places for pid in pids for found in place.glob(f"{folder.PREFIX}{pid}-*")]


def children() -> list[int]:
    return [child.pid for child in psutil.Process().children(recursive=True)]


async def test_a_cancelled_trial_leaves_no_folder_and_no_process(mind: Mind) -> None:
    before = set(children())  # of modules that ran in this process earlier
    async with calling(mind) as http:
        busy = "def f():\n    while True:\n        pass\n"
        running = asyncio.create_task(run(http, busy, virtual_time=True, timeout_s=60, call_id="cancelled"))
        await until(lambda: [place for place in left(children()) if any(place.iterdir())])
        pids = children()
        assert mind.toolbox.cancel("cancelled")
        assert (await running)["status"] == "killed", "it was run"
        await until(lambda: not left(pids))
        await until(lambda: not set(children()) - before)


async def test_a_wrong_time_to_sleep_until_is_an_error_of_the_code(mind: Mind) -> None:
    code = (
        "import json, os, struct, time\n"
        "def f():\n"
        "    for until in (10**400, float('nan'), 'x', None):\n"
        "        call = {'type': 'call', 'id': 0, 'method': 'clock.sleep', 'args': {'until': until, 'waiter': 1}}\n"
        "        text = json.dumps(call).encode()\n"
        "        os.write(3, struct.pack('>II', len(text), 0) + text)\n"
        "    time.sleep(3)\n"
        "    return 'awake'\n"
    )
    async with calling(mind) as http:
        report = await run(http, code, virtual_time=True, timeout_s=30)
    assert report["status"] == "ok" and report["result"] == "awake", report
