"""What was acknowledged is on disk: a machine that loses its power at any moment finds it there."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

WRITER = """
import asyncio, os, sys
from pathlib import Path
from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.timers import Timers
from reachy_mind.events import Bus

async def main():
    async with Database(Path(sys.argv[1])) as database:
        memories, audit, timers = Memories(database), Audit(database), Timers(database, Bus(), announce=False)
        for number in range(3):
            await memories.store(Fact(f"fact {number}"), person="ada")
            os.write(1, b"memory")
            await timers.add("reminder", 4e9, f"reminder {number}")
            os.write(1, b"timer")
            await audit.record_end("robot.nod", Caller(), Outcome("ok", {}, call_id=f"call {number}"), "{}", "{}")
            os.write(1, b"audit")

asyncio.run(main())
"""
CALL = re.compile(r"(\w+)\((\d+)(?:<([^>]*)>)?(?:, (.*))?\) += (-?\d+)")


UNLINK = re.compile(r'unlink\("(.*)"\) += 0')


class Disk:
    """The files as a power cut leaves them: only what was synced, at each moment something was acknowledged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: dict[str, bytearray] = {}
        self._deleted: set[str] = set()
        """Names that are gone, but come back unless the folder is synced, too."""
        self.synced: dict[str, bytes] = {}
        self.acknowledged: list[tuple[str, dict[str, bytes]]] = []

    def replay(self, line: str) -> None:
        """One line of strace."""
        if (deleted := UNLINK.match(line)) is not None:
            self._deleted.add(Path(bytes.fromhex(deleted[1].replace("\\x", "")).decode()).name)
            return
        found = CALL.search(line)
        if found is None or int(found[5]) < 0:
            return
        call, handle, rest = found[1], found[2], found[4] or ""
        path = bytes.fromhex((found[3] or "").replace("\\x", "")).decode()
        if call == "write" and handle == "1":
            text = _bytes(rest).decode().strip()
            self.acknowledged.append((text, dict(self.synced)))
        elif call in ("fsync", "fdatasync") and Path(path) == self._folder:
            for name in self._deleted:
                self._written.pop(name, None)
                self.synced.pop(name, None)
            self._deleted.clear()
        elif Path(path).parent == self._folder:
            name = Path(path).name
            data = self._written.setdefault(name, bytearray())
            if call == "pwrite64":
                content, offset = _bytes(rest), int(rest.rsplit(",", 1)[1])
                data.extend(bytes(max(0, offset + len(content) - len(data))))
                data[offset : offset + len(content)] = content
            elif call == "ftruncate":
                size = int(rest)
                del data[size:]
                data.extend(bytes(size - len(data)))
            elif call in ("fsync", "fdatasync"):
                self.synced[name] = bytes(data)


def _whole_lines(trace: Path) -> Iterator[str]:
    """The lines of strace, those put together that another thread's call has split."""
    begun: dict[str, str] = {}
    for line in trace.read_text().splitlines():
        thread, call = line.split(maxsplit=1)
        if call.endswith("<unfinished ...>"):
            begun[thread] = call.removesuffix("<unfinished ...>").rstrip()
        elif (resumed := re.match(r"<\.\.\. \w+ resumed>(.*)", call)) is not None:
            yield begun.pop(thread) + resumed[1]
        else:
            yield call


def _bytes(rest: str) -> bytes:
    """The data of a call, which strace writes as "\\x00\\x01"."""
    quoted = rest[rest.index('"') + 1 : rest.rindex('"')]
    return bytes.fromhex(quoted.replace("\\x", ""))


@pytest.mark.process
def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    file, trace = tmp_path / "disk" / "mind.db", tmp_path / "trace"
    calls = "trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink"
    command = [strace, "-f", "-y", "-xx", "-s", "200000", "-e", calls, "-e", "signal=none", "-o", str(trace)]
    run = subprocess.run(
        [*command, sys.executable, "-c", WRITER, str(file)], check=False, capture_output=True, text=True, env=os.environ
    )
    if "ptrace" in run.stderr:
        pytest.skip("this machine does not let tests trace")
    assert run.returncode == 0, run.stderr
    disk = Disk(file.parent)
    for line in _whole_lines(trace):
        disk.replay(line)
    assert len(disk.acknowledged) == 9
    for number, (text, files) in enumerate(disk.acknowledged):
        after = tmp_path / f"after-{number}"
        after.mkdir()
        for name, content in files.items():
            if not name.endswith("-shm"):
                (after / name).write_bytes(content)
        with sqlite3.connect(after / "mind.db") as db:
            counts = [
                db.execute(sql).fetchone()[0]
                for sql in (
                    "SELECT count(*) FROM memories",
                    "SELECT count(*) FROM timers",
                    "SELECT count(*) FROM audit WHERE step = 'ended'",
                )
            ]
        db.close()
        expected = [number // 3 + (1 if kind <= number % 3 else 0) for kind in range(3)]
        assert counts == expected, f"after {text}"


async def test_every_acknowledged_write_is_synced(tmp_path: Path) -> None:
    from reachy_mind.storage.database import Database

    async with Database(tmp_path / "mind.db") as database:
        sql = "INSERT INTO conversations (id, created_at, updated_at) VALUES (?, 0, 0)"
        await database.execute(sql, ("quick",), durable=False)
        assert await database.write(lambda db: db.execute("PRAGMA synchronous").fetchone()[0]) == 2, "FULL"
