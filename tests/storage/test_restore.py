"""A restore: everything that was saved, whole or not at all, and nothing that does not belong into a data folder."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from reachy_mind.config.configuration import load
from reachy_mind.errors import AlreadyRunning, InvalidParameter, MindError
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.memory.memories import Fact, Memories
from reachy_mind.storage import home_replacement
from reachy_mind.storage.backup import back_up
from reachy_mind.storage.backup_contents import BadBackup
from reachy_mind.storage.backup_reading import check_backup
from reachy_mind.storage.database import Database, read_migrations
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership
from reachy_mind.storage.restore import restore

SCHEMAS = {
    "mind.db": len(read_migrations()),
    "fleet/fleet.db": len(read_migrations("reachy_mind.fleet.control.store")),
    "fleet/device/device.db": len(read_migrations("reachy_mind.fleet.device")),
}
NEWER = SCHEMAS["mind.db"] + 1
FILES = {"config.yaml": 0o600, "profiles/captain/profile.md": 0o644, "photos/one.jpg": 0o600}


async def filled(folder: Path) -> Home:
    for name, mode in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
        (folder / name).chmod(mode)
    async with Database(folder / "mind.db") as database:
        await Memories(database).store(Fact("I live in Lyon"), person="ada")
    return Home(folder)


async def remembered(folder: Path) -> list[str]:
    async with Database(folder / "mind.db") as database:
        return [row["content"] for row in await database.rows("SELECT content FROM memories ORDER BY seq")]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    file = tmp_path / "saved.tar.gz"
    back_up(asyncio.run(filled(tmp_path / "data")), file)
    return file


def remade(archive: Path, change: Callable[[str, bytes], tuple[tarfile.TarInfo, bytes] | None]) -> Path:
    """The archive with its entries changed, or left out (None)."""
    target = archive.with_name("changed.tar.gz")
    with tarfile.open(archive) as old, tarfile.open(target, "w:gz") as new:
        for member in old:
            source = old.extractfile(member)
            found = change(member.name, source.read() if source is not None else b"")
            if found is not None:
                info, data = found
                info.size = len(data)
                info.type = member.type if info.type == tarfile.REGTYPE else info.type
                new.addfile(info, io.BytesIO(data))
    return target


def same(name: str, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), data


async def test_everything_comes_back_with_its_rights_and_times(tmp_path: Path, archive: Path) -> None:
    target = Home(tmp_path / "new")
    (target.folder / "models").mkdir(parents=True)
    (target.folder / "models" / "pulled").write_text("stays")
    done = restore(target, archive, SCHEMAS)
    assert done.files == 4 and done.replaced == ""
    for name, mode in FILES.items():
        saved, restored = tmp_path / "data" / name, target.folder / name
        assert restored.read_text() == name and restored.stat().st_mode & 0o777 == mode
        assert int(restored.stat().st_mtime) == int(saved.stat().st_mtime)
    assert await remembered(target.folder) == ["I live in Lyon"]
    assert (target.folder / "models" / "pulled").exists() and not (target.folder / ".restore").exists()


async def test_databases_of_the_fleet_are_copied_while_they_are_written(tmp_path: Path) -> None:
    home = Home(tmp_path / "data")
    async with (
        SqliteStore(home.folder / "fleet" / "fleet.db") as fleet,
        DeviceStore(home.folder / "fleet" / "device" / "device.db") as device,
    ):
        await fleet.write(lambda sql: sql.run("UPDATE write_check SET checks = 41"))
        epoch = device.epoch
        back_up(home, tmp_path / "fleet.tar.gz")  # what was written is still in the write-ahead logs
    restore(Home(tmp_path / "new"), tmp_path / "fleet.tar.gz", SCHEMAS)
    folder = tmp_path / "new" / "fleet"
    async with SqliteStore(folder / "fleet.db") as fleet, DeviceStore(folder / "device" / "device.db") as device:
        found = await fleet.read(lambda sql: sql.rows("SELECT checks FROM write_check"))
        assert found == [{"checks": 41}] and device.epoch == epoch


async def test_what_is_there_is_set_aside_and_only_when_told_to(tmp_path: Path, archive: Path) -> None:
    home = Home(tmp_path / "data")
    (home.folder / "config.yaml").write_text("newer")
    (home.folder / "only-here").write_text("x")
    with pytest.raises(InvalidParameter, match="has content"):
        restore(home, archive, SCHEMAS)
    assert (home.folder / "config.yaml").read_text() == "newer"
    done = restore(home, archive, SCHEMAS, over=True)
    assert (home.folder / "config.yaml").read_text() == "config.yaml" and not (home.folder / "only-here").exists()
    aside = Path(done.replaced)
    assert (aside / "config.yaml").read_text() == "newer" and await remembered(aside) == ["I live in Lyon"]
    again = restore(home, archive, SCHEMAS, over=True)  # within the same second
    assert Path(again.replaced) != aside and (aside / "only-here").exists()
    assert back_up(home, tmp_path / "later.tar.gz").left_out == ("replaced", "run")


async def test_a_folder_in_use_is_refused(tmp_path: Path, archive: Path) -> None:
    home = Home(tmp_path / "data")
    with Ownership(home), pytest.raises(AlreadyRunning):
        restore(home, archive, SCHEMAS, over=True)
    async with Database(home.database_file):
        with pytest.raises(AlreadyRunning, match="another program uses"):
            restore(home, archive, SCHEMAS, over=True)
    (home.folder / "fleet").mkdir()
    with FileLock(home.folder / "fleet" / "node.lock"), pytest.raises(AlreadyRunning, match="another program uses"):
        restore(home, archive, SCHEMAS, over=True)
    assert restore(home, archive, SCHEMAS, over=True).replaced


def test_damage_is_found_before_anything_changes(tmp_path: Path, archive: Path) -> None:
    whole = archive.read_bytes()
    inner = gzip.decompress(whole)
    at = inner.index(b"profiles/captain/profile.md", inner.index(b"backup.json") + 2000)
    broken = {
        "empty": b"",
        "text": b"this is no archive",
        "half": whole[: len(whole) // 2],
        "nearly whole": gzip.compress(inner[: inner.rindex(b"contents.json") + 600]),
        "without its end": gzip.compress(inner[: inner.rindex(b"contents.json")]),
        "a changed bit": gzip.compress(inner.replace(b"I live in Lyon", b"I live in Rome", 1)),
        "a changed block": gzip.compress(inner[:at] + bytes(600) + inner[at + 600 :]),
        "noise inside": whole[:200] + bytes(60) + whole[260:],
    }
    home = Home(tmp_path / "data")
    (home.folder / "config.yaml").write_text("newer")
    for name, content in broken.items():
        file = tmp_path / "broken.tar.gz"
        file.write_bytes(content)
        with pytest.raises(BadBackup) as refused:
            check_backup(file, SCHEMAS)
        assert refused.value.hint, name
        with pytest.raises(BadBackup):
            restore(home, file, SCHEMAS, over=True)
        assert (home.folder / "config.yaml").read_text() == "newer", name
        assert not (home.folder / ".restore").exists() and not (home.folder / "replaced").exists(), name
    with pytest.raises(InvalidParameter, match="no file"):
        check_backup(tmp_path / "nothing", SCHEMAS)


@pytest.mark.parametrize(
    "name",
    [
        "home/../../outside",
        "../outside",
        "/srv/outside",
        "home//srv/../../outside",
        "home",
        "run/mind.json",
        "home/run/x",
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, archive: Path, name: str) -> None:
    changed = remade(archive, lambda old, data: same(name if old == "home/config.yaml" else old, data))
    with pytest.raises(BadBackup, match="does not belong"):
        restore(Home(tmp_path / "deep" / "new"), changed, SCHEMAS)
    assert not list(tmp_path.rglob("outside")) and not (tmp_path / "deep" / "new" / ".restore").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, archive: Path, kind: bytes) -> None:
    def change(name: str, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        info = tarfile.TarInfo(name)
        if name == "home/photos":
            info.type, info.linkname = kind, str(tmp_path)
            return info, b""
        return info, data

    with pytest.raises(BadBackup, match="does not belong"):
        restore(Home(tmp_path / "new"), remade(archive, change), SCHEMAS)


def test_bits_that_give_rights_are_not_restored(tmp_path: Path, archive: Path) -> None:
    def change(name: str, data: bytes) -> tuple[tarfile.TarInfo, bytes]:
        info = tarfile.TarInfo(name)
        info.mode = 0o6777
        return info, data

    restore(Home(tmp_path / "new"), remade(archive, change), SCHEMAS)
    assert all(path.stat().st_mode & 0o7022 == 0 for path in (tmp_path / "new").rglob("*"))


def test_a_backup_of_a_newer_version_is_refused(tmp_path: Path, archive: Path) -> None:
    def newer(**about: object) -> Callable[[str, bytes], tuple[tarfile.TarInfo, bytes]]:
        return lambda name, data: same(
            name, json.dumps(json.loads(data) | about).encode() if name == "backup.json" else data
        )

    for about in ({"format": 2, "schemas": ["of another kind"]}, {"schemas": {"mind.db": NEWER}}):
        with pytest.raises(BadBackup, match="newer version") as refused:
            restore(Home(tmp_path / "new"), remade(archive, newer(**about)), SCHEMAS)
        assert "pip install -U" in refused.value.hint
    assert not (tmp_path / "new" / "mind.db").exists()


async def test_a_link_is_no_part_of_a_backup_and_said_so(tmp_path: Path) -> None:
    home = await filled(tmp_path / "data")
    (tmp_path / "big").mkdir()
    (home.folder / "datasets").symlink_to(tmp_path / "big")
    done = back_up(home, tmp_path / "one.tar.gz")
    assert f"datasets (a link to {tmp_path / 'big'})" in done.left_out
    restore(Home(tmp_path / "new"), tmp_path / "one.tar.gz", SCHEMAS)


@pytest.mark.parametrize("kept_steps", range(0, 8, 2))
async def test_an_interrupted_replacement_is_carried_on(
    tmp_path: Path, archive: Path, kept_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off after some of its renames, as by a power cut; the next command finds all of the backup."""
    home = Home(tmp_path / "data")
    (home.folder / "config.yaml").write_text("{}")
    steps, rename = 0, Path.rename

    def cut_off(self: Path, target: Path) -> Path:
        nonlocal steps
        steps += 1
        if steps > kept_steps:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", cut_off)
        with pytest.raises(KeyboardInterrupt):
            restore(home, archive, SCHEMAS, over=True)
    assert home_replacement.is_interrupted(home.folder)
    monkeypatch.setenv("REACHY_MIND_HOME", str(home.folder))
    with contextlib.suppress(MindError):  # config.yaml of the backup has no settings, but the restore is done by then
        load()
    assert not home_replacement.is_interrupted(home.folder) and not (home.folder / ".restore").exists()
    assert (home.folder / "config.yaml").read_text() == "config.yaml"
    assert await remembered(home.folder) == ["I live in Lyon"]
    (aside,) = (home.folder / "replaced").iterdir()
    assert (aside / "mind.db").exists() and (aside / "photos" / "one.jpg").exists()


def test_what_a_killed_backup_or_restore_left_is_removed_by_the_next(tmp_path: Path, archive: Path) -> None:
    left = tmp_path / ".reachy-mind-backup-left"
    left.mkdir()
    (left / "lock").touch()
    (left / "0.db").write_text("what people said")
    home = Home(tmp_path / "data")
    back_up(home, tmp_path / "two.tar.gz")
    assert not left.exists()
    (home.folder / ".restore" / "home").mkdir(parents=True)
    (home.folder / ".restore" / "home" / "mind.db").write_text("half")
    with Ownership(home):
        assert not (home.folder / ".restore").exists()


def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    home = asyncio.run(filled(tmp_path / "data"))
    with contextlib.closing(sqlite3.connect(home.database_file)) as db:
        db.execute(f"PRAGMA user_version={NEWER}")
    before = home.database_file.read_bytes()
    with pytest.raises(MindError, match="newer version") as refused:
        asyncio.run(remembered(home.folder))
    assert "update" in refused.value.hint
    assert home.database_file.read_bytes() == before
    assert {path.name for path in home.folder.iterdir()} == {"mind.db", "config.yaml", "profiles", "photos"}
