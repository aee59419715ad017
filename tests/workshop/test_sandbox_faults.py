"""Whatever is killed in mid-call, nothing is left and the next call works."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from reachy_mind.workshop import isolation
from reachy_mind.workshop.isolation import IsolationProfile
from reachy_mind.workshop.run_budget import WorkerEnded
from reachy_mind.workshop.sandbox import Sandbox
from reachy_mind.workshop.work_folder import PREFIX
from tests.waiting import until, until_sync
from tests.workshop.jobs import descriptors, gone, job, run

pytestmark = [pytest.mark.process, pytest.mark.asyncio(loop_scope="module")]

ENDLESS = "def f():\n    print('running')\n    while True: pass\n"
HOST = """
import asyncio, sys
from reachy_mind.workshop import isolation
from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import job
async def main():
    async with Sandbox(isolation.choose(sys.argv[1], isolation.detect())) as sandbox:
        worker = await sandbox.worker()
        code = ["def f():", "    print('running')", "    open('/tmp/left', 'w').write('x')", "    while True: pass"]
        await worker.send(job("\\n".join(code)))
        await worker.receive()
        print(worker.pid, flush=True)
        await worker.receive()
asyncio.run(main())
"""


def is_zombie(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(scope="module", autouse=True)
def temp_folder() -> Iterator[Path]:
    """A temp folder that this module has for itself, and that every user can enter."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        Path(name).chmod(0o755)
        tempfile.tempdir = name
        yield Path(name)
        tempfile.tempdir = before


def folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


async def test_a_killed_worker(sandbox: Sandbox) -> None:
    worker = await sandbox.worker()
    try:
        await worker.send(job(ENDLESS))
        assert (await worker.receive())["text"] == "running\n"
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(WorkerEnded, match="killed"):
            await worker.receive()
    finally:
        await worker.end()
    assert gone(worker.pid)
    assert (await run(sandbox, "def f(): return 1")).result == 1


@pytest.mark.parametrize("which", ["first", "last"])
async def test_a_killed_zygote(sandbox: Sandbox, which: str) -> None:
    """With namespaces, the zygote is two processes: one that waits, and the first of its own process table."""
    worker = await sandbox.worker()
    try:
        await worker.send(job(ENDLESS))
        await worker.receive()
        parents = [parent.pid for parent in psutil.Process(worker.pid).parents()]
        ours = parents[: parents.index(os.getpid())]
        os.kill(ours[-1] if which == "first" else ours[0], signal.SIGKILL)
        with pytest.raises(WorkerEnded, match="sandbox ended"):
            await worker.receive()
    finally:
        await worker.end()
    await until(lambda: all(gone(pid) or is_zombie(pid) for pid in [worker.pid, *ours]))
    assert (await run(sandbox, "def f(): return 1")).result == 1
    await until(lambda: all(gone(pid) for pid in [worker.pid, *ours]))


@pytest.mark.parametrize("name", isolation.NAMES)
async def test_a_killed_host(name: str, profiles: dict[str, IsolationProfile]) -> None:
    if not profiles[name].available:
        pytest.skip(profiles[name].reason)
    before = folders()
    host = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", HOST, name],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "TMPDIR": tempfile.gettempdir()},
    )
    assert host.stdout is not None
    worker = int(host.stdout.readline())
    family = [process.pid for process in psutil.Process(host.pid).children(recursive=True)]
    assert worker in family and len(family) >= 2
    host.kill()
    host.wait()
    host.stdout.close()
    until_sync(lambda: all(gone(pid) for pid in family))
    left = folders() - before
    assert len(left) <= (name == "landlock")  # another program that starts now may have removed it
    async with Sandbox(profiles[name]):
        assert not folders() & left, "the next start removes what a killed program left"


async def test_many_runs_leave_nothing(profiles: dict[str, IsolationProfile]) -> None:
    """Honest, failing, crashing, endless and killed ones, one after the other and together."""
    kinds = [
        "def f():\n    open('/tmp/x', 'w').write('x')\n    return 1\n",
        "def f(): 1 / 0\n",
        "import os\ndef f(): os._exit(3)\n",
        "import ctypes\ndef f(): ctypes.string_at(0)\n",
        "import threading, time\ndef f():\n    threading.Thread(target=time.sleep, args=(9,)).start()\n    return 2\n",
    ]
    folders_before, children_before = folders(), children()
    available = [profile for profile in profiles.values() if profile.available]
    for profile in available:
        async with Sandbox(profile, ready=2) as sandbox:
            await run(sandbox, kinds[0])
            await until(lambda: len(sandbox._pool) == 2)
            open_before = descriptors()
            for index in range(200 // len(available) // 2):
                code = kinds[index % len(kinds)]
                await asyncio.gather(run(sandbox, code), run(sandbox, ENDLESS, wall_s=0.02))
            await until(lambda: len(sandbox._pool) == 2)
            assert descriptors() <= open_before
            assert len(children() - children_before) <= 4
        assert folders() == folders_before
        assert children() == children_before


async def test_asking_for_a_worker_can_be_cancelled(profiles: dict[str, IsolationProfile]) -> None:
    before, family = descriptors(), children()
    async with Sandbox(isolation.choose("auto", tuple(profiles.values())), ready=0) as sandbox:
        opened = descriptors()
        for delay in (0.0, 0.001, 0.005, 0.01, 0.02):
            asking = asyncio.ensure_future(sandbox.worker())
            await asyncio.sleep(delay)
            asking.cancel()
            (answer,) = await asyncio.gather(asking, return_exceptions=True)
            if not isinstance(answer, BaseException):
                await answer.end()
        await until(lambda: descriptors() == opened)
        assert (await run(sandbox, "def f(): return 1")).result == 1
    assert descriptors() == before and children() == family
