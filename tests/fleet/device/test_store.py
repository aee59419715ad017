"""A device's store: one process at a time, clear errors, and a damaged file never costs more than what it damaged."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.bench.fleet_fault_rig import small_disk, unavailable
from reachy_mind.errors import AlreadyRunning
from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.inbox import Inbox
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, new_frame
from reachy_mind.storage.database import DatabaseError

MOUNT = shutil.which("mount") or "mount"
pytestmark = pytest.mark.process  # a small file system is mounted by a program


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with little room."""
    if reason := unavailable(frozenset({"small disk"})):
        pytest.skip(reason)
    folder = tmp_path / "disk"
    with small_disk(folder):
        yield folder


async def filled(file: Path, events: int = 40) -> tuple[str, list[str]]:
    """A store with events, an emergency and a command that wait: its epoch and the ids of the events."""
    async with DeviceStore(file) as store:
        outbox = Outbox(store)
        alarm = await outbox.accept("emergency.pressed", prio=0)
        ids = [(await outbox.accept("button.pressed", {"n": n, "text": "x" * 200})).id for n in range(events)]
        inbox = Inbox(store, outbox, HubClock())
        await inbox.follow("hub")
        await inbox.keep([new_frame("speak", {"text": "hello"}, seq=1)], epoch="hub")
        return store.epoch, [alarm.id, *ids]


async def waiting(store: DeviceStore) -> list[str]:
    """The ids of the events, emergencies first."""
    outbox, epoch = Outbox(store), ""
    while epoch != store.epoch:  # damage is found, and a new epoch begins
        epoch = store.epoch
        lanes = [await outbox.after(lane, 0, 10_000, epoch=epoch) for lane in (EMERGENCY, USUAL)]
    return [event.id for events in lanes for event in events]


def kept_files(file: Path) -> list[Path]:
    """Those that were put aside."""
    return [each for each in file.parent.glob(f"{file.name}.*-*") if not each.name.endswith(("-wal", "-shm"))]


async def test_its_file_is_for_its_user_alone_and_for_one_process(file: Path) -> None:
    async with DeviceStore(file):
        assert (mode(file), mode(file.parent)) == (0o600, 0o700)
        with pytest.raises(AlreadyRunning, match="another process") as refused:
            await DeviceStore(file).__aenter__()
        assert refused.value.hint
    async with DeviceStore(file):
        pass


async def test_a_file_of_garbage_is_put_aside_and_a_new_store_begins(file: Path) -> None:
    epoch, _ = await filled(file)
    garbage = random.Random(1).randbytes(8192)
    write(file, garbage)
    async with DeviceStore(file) as store:
        assert store.epoch != epoch and await waiting(store) == []
        await Outbox(store).accept("button.pressed")
    (kept,) = kept_files(file)
    assert read(kept) == garbage
    async with DeviceStore(file) as store:
        assert len(await waiting(store)) == 1 and kept_files(file) == [kept]


async def test_what_a_damaged_page_does_not_hold_is_rescued_with_its_ids(file: Path) -> None:
    epoch, ids = await filled(file)
    page = 4096
    content = bytearray(read(file))
    middle = max(range(0, len(content), page), key=lambda start: content[start : start + page].count(b'{"n": 2'))
    content[middle : middle + page] = b"\x55" * page
    write(file, content)
    async with DeviceStore(file) as store:
        rescued = await waiting(store)
        commands = await store.read(lambda db: db.execute("SELECT body FROM inbox").fetchall())
    assert store.epoch != epoch
    assert set(rescued) < set(ids) and len(rescued) > len(ids) // 2
    assert rescued == [each for each in ids if each in rescued], "in their order"
    assert [row["body"] for row in commands] == ['{"text": "hello"}']
    assert kept_files(file)


async def test_damage_that_is_met_while_it_is_open_costs_what_it_damaged(file: Path) -> None:
    """One event's text is no JSON any more: SQLite does not notice."""
    _, ids = await filled(file)
    spoil(file, "UPDATE outbox SET body = '{\"n\":' WHERE lane = 1 AND seq = 3")
    async with DeviceStore(file) as store:
        rescued = await waiting(store)
        new = await Outbox(store).accept("button.pressed")
        assert await waiting(store) == [*rescued, new.id]
    assert rescued == [each for each in ids if each != ids[3]]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE outbox SET id = 'a b' WHERE lane = 1 AND seq = 3",
        "UPDATE outbox SET type = CAST(x'ff' AS TEXT) WHERE lane = 1 AND seq = 3",
        "UPDATE outbox SET ts = 'noon' WHERE lane = 1 AND seq = 3",
        "UPDATE outbox SET prio = 9 WHERE lane = 1 AND seq = 3",
    ],
)
async def test_an_event_that_makes_no_sense_does_not_hold_back_the_others(file: Path, damage: str) -> None:
    _, ids = await filled(file)
    spoil(file, damage)
    async with DeviceStore(file) as store:
        assert await waiting(store) == [each for each in ids if each != ids[3]]


@pytest.mark.parametrize("damage", ["DELETE FROM numbering", "DELETE FROM up_lane", "DELETE FROM down_lane"])
async def test_missing_numbers_are_damage_and_no_event_is_lost(file: Path, damage: str) -> None:
    _, ids = await filled(file)
    spoil(file, damage)
    async with DeviceStore(file) as store:
        await store.position()
        assert await waiting(store) == ids
        assert (await Outbox(store).totals()).events == len(ids)


async def test_a_store_of_a_newer_program_is_left_alone(file: Path) -> None:
    _, ids = await filled(file)
    spoil(file, "PRAGMA user_version = 99")
    before = read(file)
    with pytest.raises(DatabaseError, match="newer version") as refused:
        await DeviceStore(file).__aenter__()
    assert "update" in refused.value.hint
    assert read(file) == before and kept_files(file) == []
    spoil(file, "PRAGMA user_version = 1")
    async with DeviceStore(file) as store:
        assert await waiting(store) == ids


async def test_a_folder_that_is_a_file_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "device").write_text("")
    with pytest.raises(DatabaseError) as refused:
        await DeviceStore(tmp_path / "device" / "device.db").__aenter__()
    assert "can't be opened" in refused.value.message and refused.value.hint


async def test_a_read_only_disk_is_an_error_that_says_so(disk: Path) -> None:
    file = disk / "device" / "device.db"
    _, ids = await filled(file)
    remount(disk, "ro")
    with pytest.raises(DatabaseError, match="read-only") as refused:
        await DeviceStore(file).__aenter__()
    assert "writable" in refused.value.hint and kept_files(file) == []
    remount(disk, "rw")
    async with DeviceStore(file) as store:
        assert await waiting(store) == ids


async def test_a_full_disk_refuses_events_until_there_is_room_and_keeps_the_others(disk: Path) -> None:
    file = disk / "device" / "device.db"
    _, ids = await filled(file)
    async with DeviceStore(file) as store:
        ballast = disk / "ballast"
        fill(ballast)
        outbox, refusal = Outbox(store), None
        for _ in range(2000):  # what is allocated already takes some
            try:
                ids.append((await outbox.accept("button.pressed", {"text": "x" * 4000})).id)
            except DatabaseError as error:
                refusal = error
                break
        assert refusal is not None and "full" in refusal.message and "space" in refusal.hint
        assert await waiting(store) == ids
        ballast.unlink()
        ids.append((await outbox.accept("button.pressed")).id)
        assert await waiting(store) == ids
    assert kept_files(file) == [], "a full disk is no damage"


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def read(file: Path) -> bytes:
    return file.read_bytes()


def write(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def spoil(file: Path, sql: str) -> None:
    """Change the file behind the program's back."""
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(sql)
        db.commit()


def remount(folder: Path, mode: str) -> None:
    subprocess.run([MOUNT, "-o", f"remount,{mode}", str(folder)], check=True, capture_output=True)


def fill(file: Path) -> None:
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(64 << 10))
