"""What tests may start, and what they may leave behind (a pytest plugin, loaded by conftest.py).

A test that starts a process has the mark `process`: by a fixture in `FIXTURES`, or by `pytestmark` in its module. Any
other test that starts one fails, in every run, so that `make test-quick`, which leaves out what is marked, stays quick
by itself. It leaves out the marks `simulator` (a simulated world in the test's own process) and `slow`, too.

When the last test of a module has ended, nothing that the module started may be alive. What is alive is ended, and
that test fails, with the name of the test that started it.
"""

from __future__ import annotations

import _posixsubprocess
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

FIXTURES = {
    "daemon": "process",
    "body": "process",
    "browser": "process",
    "clips": "process",
    "ears": "process",
    "ears_of_each_size": "process",
    "compiled": "simulator",
}
"""Fixtures of the conftest files, and the mark of the tests that use them."""
NOT_QUICK = ("process", "simulator", "slow")
"""What `make test-quick` leaves out."""
FORK_EXEC = "tests.fork_exec"
STARTING = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", FORK_EXEC}
"""Audit events of Python, and our own for `multiprocessing`, which has none."""
LOOKUPS = {"uname", "ldconfig", "gcc", "cc", "ld", "objdump", "fc-list"}
"""Programs that Python's own `platform` and `ctypes.util`, and matplotlib, ask once, whoever comes first."""
ENDING_S = 5.0
"""A process that was told to end may take this long before it counts as left behind."""

_fork_exec = _posixsubprocess.fork_exec


class Guard:
    """Watches the test that runs."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.allowed = True
        self.started: list[str] = []
        self.busy = False
        """Whether a test that may start processes has run since the last look for survivors."""
        self.seen: dict[psutil.Process, str] = {}

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Refuse the start of a process, wherever in Python it begins."""
        if event not in STARTING or self.allowed or os.getpid() != self.pid:
            return
        argv = arguments[1] if len(arguments) > 1 else ()
        if argv and Path(os.fsdecode(argv[0])).name in LOOKUPS:
            return
        self.started.append(f"{event} {argv}")
        pytest.fail(f"a test without the mark `process` starts one ({self.started[-1]}); see tests/child_processes.py")

    def fork_exec(self, *arguments: Any) -> int:
        self.audit(FORK_EXEC, (None, arguments[0]))
        return _fork_exec(*arguments)

    def note(self, test: str) -> None:
        """Remember during which test each living child appeared."""
        for child in psutil.Process().children(recursive=True):
            self.seen.setdefault(child, test)

    def survivors(self) -> list[str]:
        """End what is still alive, and describe it."""
        if not self.busy:
            return []
        self.busy = False
        children = [child for child in psutil.Process().children(recursive=True) if not _lasts(child)]
        _, alive = psutil.wait_procs(children, timeout=ENDING_S)
        told = []
        for child in alive:
            try:
                if child.status() == psutil.STATUS_ZOMBIE:
                    continue
                told.append(f"{' '.join(child.cmdline())} (process {child.pid}, during {self.seen.get(child, '?')})")
                child.kill()
            except psutil.NoSuchProcess:
                continue
        psutil.wait_procs(alive, timeout=ENDING_S)
        return told


def _lasts(child: psutil.Process) -> bool:
    """Whether it is Python's own tracker of shared memory, which lives as long as the process that began to use it."""
    try:
        return "resource_tracker" in " ".join(child.cmdline())
    except psutil.NoSuchProcess:
        return False


GUARD = Guard()


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(GUARD.audit)
    _posixsubprocess.fork_exec = GUARD.fork_exec
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # A shell starts what is in the background with SIGINT ignored, and children inherit that. A handler of ours
        # that does nothing keeps it ignored here and leaves children the default, as at a terminal.
        signal.signal(signal.SIGINT, lambda *_: None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        names = item.fixturenames if isinstance(item, pytest.Function) else []
        for mark in {FIXTURES[name] for name in names if name in FIXTURES}:
            item.add_marker(mark)
        if item.get_closest_marker("skipif"):  # needs a program or a model that not every machine has
            item.add_marker("process")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    GUARD.allowed = any(item.get_closest_marker(mark) for mark in NOT_QUICK)
    GUARD.busy = GUARD.busy or GUARD.allowed
    GUARD.started.clear()
    try:
        return (yield)
    finally:
        GUARD.allowed = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    if GUARD.allowed:
        GUARD.note(item.nodeid)
    yield
    if GUARD.started:  # where the code under test caught the failure
        pytest.fail(f"a test without the mark `process` started one: {GUARD.started}")
    if (nextitem is None or nextitem.path != item.path) and (left := GUARD.survivors()):
        pytest.fail("left alive, and ended now:\n  " + "\n  ".join(left))


def pytest_sessionfinish() -> None:
    """Also after an interruption."""
    GUARD.survivors()
