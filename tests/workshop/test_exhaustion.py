"""Code that takes memory, files, and descriptors of the machine in ways that no plain limit counts."""

from __future__ import annotations

import asyncio
import os
import resource
from pathlib import Path

import pytest

from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import descriptors, job, run

pytestmark = [pytest.mark.process, pytest.mark.asyncio(loop_scope="module")]

without_namespaces = pytest.mark.parametrize("sandbox", ["landlock"], indirect=True)
"""Where the files of code are on the machine's disk, and the host has to count them."""


def read(file: str) -> str:
    return Path(file).read_text()


async def test_threads_have_one_table_of_descriptors(sandbox: Sandbox) -> None:
    """Otherwise each thread could fill the buffers of as many sockets as the limit allows: gigabytes in all."""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of these calls are those of x86-64")
    code = """
import ctypes, os, threading
libc = ctypes.CDLL(None, use_errno=True)
THREAD = 0x10000 | 0x800 | 0x100
def f():
    threads = [threading.Thread(target=os.getpid) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return {
        "unshared": libc.syscall(436, 60, 60, 2),
        "clone": libc.syscall(56, THREAD, 0, 0, 0, 0),
        "closed": [os.closerange(10, 20), libc.syscall(436, 60, 60, 0)],
    }
"""
    outcome = await run(sandbox, code)
    assert outcome.result == {"unshared": -1, "clone": -1, "closed": [None, 0]}, outcome


async def test_locks_of_files_take_no_memory_of_the_kernel(sandbox: Sandbox) -> None:
    code = """
import fcntl, time
def f():
    with open("locked", "w") as file:
        for place in range(0, 2000, 2): fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
        print("locked")
        time.sleep(20)
"""
    worker = await sandbox.worker()
    try:
        await worker.send(job(code))
        async with asyncio.timeout(20):
            message = await worker.receive()
        assert message == {"type": "log", "text": "locked\n"}
        assert str(worker.pid) not in read("/proc/locks").split()
    finally:
        await worker.end()


async def test_a_database_works_with_and_without_a_write_ahead_log(sandbox: Sandbox) -> None:
    code = """
import sqlite3
def f(journal):
    first = sqlite3.connect("notes of a day.db", isolation_level=None)
    first.execute(f"pragma journal_mode={journal}")
    first.execute("create table note (text)")
    first.execute("insert into note values ('kept')")
    second = sqlite3.connect("notes of a day.db", isolation_level=None, timeout=0.05)
    first.execute("begin immediate")
    try:
        second.execute("insert into note values ('at the same time')")
    except sqlite3.OperationalError as error:
        return [str(error), *second.execute("select text from note")]
"""
    for journal in ("wal", "delete"):
        outcome = await run(sandbox, code, journal=journal)
        assert outcome.result == ["database is locked", ["kept"]], outcome


async def test_a_crash_starts_no_program_outside(sandbox: Sandbox) -> None:
    """A limit of 0 does not keep the kernel from starting a collector of crashes; a limit of 1 does."""
    worker = await sandbox.worker()
    try:
        limits = read(f"/proc/{worker.pid}/limits").splitlines()
        (core,) = (line.split()[4:6] for line in limits if line.startswith("Max core file size"))
        assert core == (["1", "1"] if resource.getrlimit(resource.RLIMIT_CORE)[1] else ["0", "0"])
    finally:
        await worker.end()


FILLING = {
    "removed but mapped": """
import mmap, os
kept = []
def f():
    for n in range(20):
        file = os.open(f"f{n}", os.O_CREAT | os.O_RDWR)
        os.write(file, bytes(8 << 20))
        kept.append(mmap.mmap(file, 4096))
        os.unlink(f"f{n}")
        for number in range(4, 64):
            try: os.close(number)
            except OSError: pass
    while True: pass
""",
    "the first thread ended": """
import ctypes, os, platform, threading, time
def _fill():
    time.sleep(0.2)
    for n in range(20):
        file = os.open(f"f{n}", os.O_CREAT | os.O_RDWR)
        os.unlink(f"f{n}")
        os.write(file, bytes(8 << 20))
    while True: pass
def f():
    threading.Thread(target=_fill).start()
    ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)
""",
    "names that change": """
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
def _swap(n):
    while True: libc.renameat2(-100, b"a%d" % n, -100, b"b%d" % n, 2)
def f():
    for n in range(2):
        os.mkdir(f"a{n}")
        open(f"b{n}", "w").close()
        threading.Thread(target=_swap, args=(n,), daemon=True).start()
    time.sleep(1.5)
    for n in range(20):
        with open(f"f{n}", "wb") as file: file.write(bytes(8 << 20))
    time.sleep(60)
""",
    "space taken at once": """
import ctypes, os
def f():
    libc = ctypes.CDLL(None, use_errno=True)
    for n in range(8):
        file = os.open(f"f{n}", os.O_CREAT | os.O_RDWR)
        if libc.fallocate(file, 0, ctypes.c_long(0), ctypes.c_long(8 << 20)): raise OSError(ctypes.get_errno(), "no")
""",
}


@without_namespaces
@pytest.mark.parametrize("name", FILLING)
async def test_a_disk_is_not_filled_behind_the_watch(sandbox: Sandbox, name: str) -> None:
    outcome = await run(sandbox, FILLING[name])
    assert outcome.raised == "OSError" or (outcome.ended is not None and outcome.ended.code == "BUDGET_EXCEEDED"), name


@without_namespaces
async def test_many_folders_take_no_descriptors_of_the_host(sandbox: Sandbox) -> None:
    code = """
import os, time
def f():
    for n in range(300): os.mkdir(f"d{n}")
    time.sleep(1)
    for n in range(8):
        with open(f"f{n}", "wb") as file: file.write(bytes(8 << 20))
    time.sleep(60)
"""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors() + 60, before[1]))
    try:
        outcome = await run(sandbox, code)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert outcome.ended is not None and "more than 32 MB" in outcome.ended.message, outcome
