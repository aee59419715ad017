"""A control group for each worker, on machines that let us make one."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.workshop.cgroup import PREFIX, ControlGroups
from reachy_mind.workshop.isolation import IsolationProfile
from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import run

pytestmark = pytest.mark.process


def groups_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cgroup").read_text()


def all_groups() -> set[str]:
    return {path.name for path in Path("/sys/fs/cgroup").rglob(f"{PREFIX}*")}


async def test_a_worker_has_a_group_of_its_own_until_it_ends(profiles: dict[str, IsolationProfile]) -> None:
    profile = next(profile for profile in profiles.values() if profile.available)
    if "cgroup" not in profile.layers:
        assert ControlGroups.found() is None and profile.missing["cgroup"]
        pytest.skip(profile.missing["cgroup"])
    async with Sandbox(profile, ready=0) as sandbox:
        worker = await sandbox.worker()
        groups = groups_of(worker.pid)
        await worker.end()
        assert PREFIX in groups and "cgroup" in worker.layers
        assert (await run(sandbox, "def f(): return sum(bytearray(300_000_000))")).result == 0
        names = {part for part in groups.split("/") if part.startswith(PREFIX)}
    assert names and not names & all_groups()
