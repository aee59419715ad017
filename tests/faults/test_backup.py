"""Backup and restore with processes that are killed: what was acknowledged before a backup comes back from it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.backup import back_up
from reachy_mind.storage.backup_reading import check_backup
from reachy_mind.storage.database import Database, read_migrations
from reachy_mind.storage.home import Home
from reachy_mind.storage.home_replacement import is_interrupted
from reachy_mind.storage.restore import restore
from reachy_mind.tools.audit_verification import verify_file

pytestmark = pytest.mark.process
SCHEMAS = {"mind.db": len(read_migrations())}
WRITER = """
import asyncio, os, sys
from pathlib import Path
from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.storage.database import Database, read_migrations
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome

async def main():
    async with Database(Path(sys.argv[1])) as database:
        memories, audit = Memories(database), Audit(database)
        for number in range(int(sys.argv[2]), 1_000_000):
            await memories.store(Fact(f"fact {number}"), person="ada")
            await audit.record_end("robot.nod", Caller(), Outcome("ok", {}, call_id=f"call {number}"), "{}", "{}")
            os.write(1, f"{number}\\n".encode())

asyncio.run(main())
"""
RESTORER = """
import os, signal, sys
from pathlib import Path
from reachy_mind.storage.home import Home
from reachy_mind.storage.restore import restore

steps, rename = 0, Path.rename

def killed(self, target):
    global steps
    steps += 1
    if steps > int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)

Path.rename = killed
restore(Home(Path(sys.argv[1])), Path(sys.argv[2]), {}, over=True)
"""


class Writer:
    """A process that writes memories and the audit, and says what is on disk."""

    def __init__(self, home: Home, first: int) -> None:
        argv = [sys.executable, "-c", WRITER, str(home.database_file), str(first)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE)
        self.acknowledged = first - 1
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.acknowledged = int(line)

    def wait_for(self, number: int) -> None:
        deadline = time.monotonic() + 60
        while self.acknowledged < number:
            assert time.monotonic() < deadline and self.process.poll() is None, f"only {self.acknowledged} were written"
            time.sleep(0.005)

    def kill(self) -> int:
        """The last number that it acknowledged."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        return self.acknowledged


@contextlib.contextmanager
def writing(home: Home, first: int = 0) -> Iterator[Writer]:
    home.folder.mkdir(exist_ok=True)
    writer = Writer(home, first)
    try:
        yield writer
    finally:
        writer.kill()


def facts(home: Home) -> set[str]:
    async def read() -> set[str]:
        async with Database(home.database_file) as database:
            return {row["content"] for row in await database.rows("SELECT content FROM memories")}

    return asyncio.run(read())


def restored(archive: Path, folder: Path, last: int) -> None:
    """Everything up to `last` is in the archive, and its audit is proven."""
    home = Home(folder)
    restore(home, archive, SCHEMAS)
    assert {f"fact {number}" for number in range(last + 1)} <= facts(home)
    found = verify_file(home.database_file)
    assert found.ok and found.rows >= last + 1, found


def test_what_was_acknowledged_before_a_backup_is_in_it(tmp_path: Path) -> None:
    home, first = Home(tmp_path / "data"), 0
    for number in range(3):
        with writing(home, first) as writer:
            writer.wait_for(first + 20)
            before = writer.acknowledged
            back_up(home, tmp_path / f"live{number}.tar.gz")
            writer.wait_for(before + 5)  # it was not held up
            last = writer.kill()
        restored(tmp_path / f"live{number}.tar.gz", tmp_path / f"live{number}", before)
        back_up(home, tmp_path / f"dead{number}.tar.gz")  # of what the killed process left
        restored(tmp_path / f"dead{number}.tar.gz", tmp_path / f"dead{number}", last)
        first = last + 1


def kill_when(process: subprocess.Popen[bytes], begun: Path, pattern: str) -> None:
    """SIGKILL as soon as there is such a file with something in it."""
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in begun.glob(pattern)):
        assert time.monotonic() < deadline and process.poll() is None, "it ended too early"
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_killed_backup_leaves_no_archive_and_the_next_removes_its_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = Home(tmp_path / "data")
    with writing(data) as writer:
        writer.wait_for(5)
        last = writer.kill()
    (data.folder / "datasets").mkdir()
    (data.folder / "datasets" / "large").write_bytes(os.urandom(40 << 20))
    monkeypatch.setenv("REACHY_MIND_HOME", str(data.folder))
    target = tmp_path / "saved" / "one.tar.gz"
    argv = [sys.executable, "-m", "reachy_mind", "backup", str(target)]
    process = subprocess.Popen(argv)
    kill_when(process, target.parent, ".reachy-mind-backup-*/archive")
    assert not target.exists() and len(list(target.parent.iterdir())) == 1
    back_up(data, target)
    assert [path.name for path in target.parent.iterdir()] == ["one.tar.gz"]
    restored(target, tmp_path / "new", last)


def test_a_killed_restore_leaves_the_old_or_the_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, archive = Home(tmp_path / "data"), tmp_path / "one.tar.gz"
    with writing(data) as writer:
        writer.wait_for(5)
        last = writer.kill()
    (data.folder / "photos").mkdir()
    (data.folder / "photos" / "one.jpg").write_bytes(os.urandom(30 << 20))
    back_up(data, archive)
    (data.folder / "photos" / "newer.jpg").write_text("newer")
    before = facts(data)
    never = "1000"
    process = subprocess.Popen([sys.executable, "-c", RESTORER, str(data.folder), str(archive), never])
    kill_when(process, data.folder, ".restore/home/photos/*")
    assert facts(data) == before and (data.folder / "photos" / "newer.jpg").exists()
    with pytest.raises(InvalidParameter, match="has content"):
        restore(data, archive, SCHEMAS)
    assert not (data.folder / ".restore").exists()
    for steps in (1, 3):
        done = subprocess.run([sys.executable, "-c", RESTORER, str(data.folder), str(archive), str(steps)], check=False)
        assert done.returncode == -signal.SIGKILL and is_interrupted(data.folder)
        monkeypatch.setenv("REACHY_MIND_HOME", str(data.folder))
        load()  # as every command begins
        assert not is_interrupted(data.folder) and not (data.folder / "photos" / "newer.jpg").exists()
        assert {f"fact {number}" for number in range(last + 1)} <= facts(data) and verify_file(data.database_file).ok
    assert check_backup(archive, SCHEMAS).header.schemas == SCHEMAS
