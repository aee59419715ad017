"""Hostile tools against the sandbox: none gets out, the host answers all the time, and nothing is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from tests import waiting
from tests.fakes.processes import Daemon
from tests.workshop.attack_range import PROFILES, Attack, Range, Verdict, attacks, litter, shared_files
from tests.workshop.canaries import Canaries
from tests.workshop.honest_tools import HONEST
from tests.workshop.workshop_host import WorkshopHost, workshop_host

CATEGORIES = {"pyjail", "dos", "network", "robot", "file_read", "file_write", "proc", "lib_leak", "signal", "symlink"}
CATEGORIES |= {"ctypes", "process", "thread", "disk", "env", "fork", "result", "fd", "limits", "rpc"}
QUICK_S = 5.0
"""Attacks with a longer limit are left to the sweep."""
ALWAYS = {
    "full": CATEGORIES,
    "namespaces": {"pyjail", "file_read", "file_write", "proc", "symlink", "ctypes", "signal"},
    "landlock": {"pyjail", "file_read", "file_write", "proc", "symlink", "network", "signal", "lib_leak", "env"},
}
"""Which categories run in each profile in every test run: those that its missing layer would let through."""
SPARED_DESCRIPTORS = 12

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]


class Course:
    """The range, the host behind it and what was there before."""

    def __init__(self, host: WorkshopHost, shooting: Range) -> None:
        self.host, self.range = host, shooting
        self.before = shared_files()

    async def attack(self, attack: Attack, isolation: str) -> Verdict:
        """One attack; afterwards an honest tool runs as before."""
        verdict = await self.range.attack(attack, isolation)
        after = await self.host.run(HONEST / "rainbow.py", {"steps": 3}, isolation=isolation)
        assert after["status"] == "ok", f"after {attack.name} nothing runs any more: {after['error']}"
        if "motion" in attack.allow:
            await self.host.awake()
        return verdict


@contextlib.contextmanager
def planted() -> Iterator[Canaries]:
    """In a working directory that every user may look into."""
    folder, before = Path(tempfile.mkdtemp(prefix="range-")), Path.cwd()
    folder.chmod(0o755)
    os.chdir(folder)
    canaries = Canaries(folder / "data")
    try:
        yield canaries
    finally:
        os.chdir(before)
        canaries.close()
        shutil.rmtree(folder)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def course(daemon: Daemon) -> AsyncIterator[Course]:
    """The secrets are planted before the mind starts, so that what it inherits is there to be found."""
    with planted() as canaries:
        async with workshop_host(daemon) as host:
            canaries.watch(host.folder)
            await host.remember("the range's note")
            for isolation in await host.profiles():
                await host.run(HONEST / "rainbow.py", {"steps": 3}, isolation=isolation)
            yield Course(host, Range(host.run, canaries, host))


def quick(isolation: str) -> list[Attack]:
    """The part that always runs: what ends by itself or is stopped soon."""
    found = [attack for attack in attacks() if attack.path.parent.name in ALWAYS[isolation]]
    return [attack for attack in found if attack.timeout <= QUICK_S and not attack.killed and not attack.virtual]


async def test_the_corpus_is_large_and_of_every_kind() -> None:
    found = attacks()
    assert len(found) >= 130
    assert {attack.path.parent.name for attack in found} == CATEGORIES
    for attack in found:
        compile(attack.path.read_text(), attack.name, "exec")


@pytest.mark.parametrize("isolation", PROFILES)
@pytest.mark.timeout(600)
async def test_none_gets_out(course: Course, isolation: str) -> None:
    await sweep(course, isolation, quick(isolation))


@pytest.mark.sweep
@pytest.mark.parametrize("isolation", PROFILES)
@pytest.mark.timeout(1800)
async def test_none_of_all_gets_out(course: Course, isolation: str) -> None:
    await sweep(course, isolation, attacks())


async def sweep(course: Course, isolation: str, chosen: list[Attack]) -> None:
    if isolation not in await course.host.profiles():
        pytest.skip(f"this machine has no {isolation} isolation")
    descriptors = psutil.Process().num_fds()
    verdicts = [await course.attack(attack, isolation) for attack in chosen]
    assert not [verdict for verdict in verdicts if verdict.escapes], "got out"
    assert not [verdict for verdict in verdicts if verdict.mistake], "attacked nothing"
    assert not [verdict for verdict in verdicts if verdict.status == "refused"], "was not run"
    assert psutil.Process().num_fds() <= descriptors + SPARED_DESCRIPTORS
    assert not litter(course.before)


async def test_the_range_sees_what_gets_out(course: Course) -> None:
    """Without this, a range that notices nothing would pass."""
    canaries, nonce = course.range.canaries, "seen"
    os.close(os.open(canaries.markers(nonce)["tmp"], os.O_CREAT | os.O_WRONLY))
    os.kill(canaries.victim.process.pid, signal.SIGUSR1)
    canaries.keepsake.write_text("changed")
    with socket.create_connection(("127.0.0.1", canaries.listeners.tcp)) as link:
        link.sendall(b"hello")
        secret = link.recv(400).decode()[-31:]
    touched: set[str] = set()

    def all_seen() -> bool:
        touched.update(canaries.touched(nonce))
        return len(touched) == 4

    await waiting.until(all_seen)
    report = {"output": f"{secret}\nEVIDENCE of it", "calls": [{"name": "nod", "status": "ok"}]}
    told = course.range.judged(Attack(Path("x/y.py"), forbid=("n*",)), report)
    assert told == ["the report has the secret of the network", "EVIDENCE of it", "called nod"]


NEIGHBOUR = """
import pathlib, time
from reachy_mind import tools

async def neighbour(word: str, ready: str) -> dict:
    for path in ("note.txt", "/tmp/note.txt"):
        pathlib.Path(path).write_text(word)
    await tools.call("store_memory", content=ready)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        time.sleep(0.05)
    return {"word": pathlib.Path("note.txt").read_text()}
"""


@pytest.mark.parametrize("isolation", PROFILES)
async def test_runs_neither_see_nor_end_each_other(course: Course, isolation: str, tmp_path: Path) -> None:
    """One beside an honest run, and one after it, for what it left."""
    if isolation not in await course.host.profiles():
        pytest.skip(f"this machine has no {isolation} isolation")
    file, word = tmp_path / "neighbour.py", "NEIGHBOUR-0123456789abcdef"
    file.write_text(NEIGHBOUR)
    attack = next(one for one in attacks() if one.name == "process/neighbours")
    targets = {"targets": course.range.canaries.targets("neighbours")}
    args = {"word": word, "ready": f"a neighbour is ready in {isolation}"}
    running = course.host.run(file, args, allow="memory", timeout=30, isolation=isolation)
    honest = asyncio.create_task(running)
    await waiting.until(lambda: course.host.has_note(args["ready"]))
    beside = await course.host.run(attack.path, targets, timeout=attack.timeout, isolation=isolation)
    report = await honest
    after = await course.host.run(attack.path, targets, timeout=attack.timeout, isolation=isolation)
    assert report["status"] == "ok", report
    assert report["result"] == {"word": word}
    for seen in (beside, after):
        assert "EVIDENCE" not in seen["output"], seen
        assert "PRIMITIVE" in seen["output"], seen
