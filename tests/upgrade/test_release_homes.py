"""Homes that released versions left: each is restored, opened by this version, and everything is still there.

`script/make-release-home` makes one for each release; none is ever changed or removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.access.tokens import Tokens
from reachy_mind.config.configuration import load
from reachy_mind.eyes.photos import Photos
from reachy_mind.feedback.records import FeedbackRecords
from reachy_mind.fleet.control import audit, devices, operators
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL
from reachy_mind.mind import Mind
from reachy_mind.profiles.catalogue import Profiles
from reachy_mind.storage.database import Database, DatabaseError, read_migrations
from reachy_mind.storage.home import Home
from reachy_mind.tools.audit_verification import verify_file
from reachy_mind.workshop.shelf.shelf import Shelf
from tests.fakes.processes import here, here_json

FOLDER = Path(__file__).parent
RELEASES = sorted(file.name.removesuffix(".tar.gz") for file in FOLDER.glob("*.tar.gz"))
DATABASES = {
    "mind.db": "reachy_mind.storage",
    "fleet/fleet.db": "reachy_mind.fleet.control.store",
    "fleet/device/device.db": "reachy_mind.fleet.device",
}


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, home: Path) -> dict[str, Any]:
    """The home of a release, restored by command into the data folder of this test; what has to be found in it."""
    version = str(request.param)
    told = here_json("restore", str(FOLDER / f"{version}.tar.gz"))
    assert told["program"] == version and told["folder"] == str(home)
    expected: dict[str, Any] = json.loads((FOLDER / f"{version}.json").read_text())
    return expected


def test_the_first_release_is_kept() -> None:
    assert "0.1.0" in RELEASES


async def test_the_mind_still_knows_everything(release: dict[str, Any], home: Path) -> None:
    async with Mind(load(flags={"robot.address": "none"})).session() as mind:
        reply = await mind.ask("what is my favourite colour?", person="Ada")
        assert "blue" in reply.text
        about = await mind.memory.erasure.export("Ada")
        told = json.dumps(about)
        for known in ("favourite colour is green", "my aunt Rosa grows roses", "set a timer for 9 hours"):
            assert known in told, known
    async with Database(home / "mind.db") as database:
        (rated,) = await FeedbackRecords(database).listed()
        assert (rated.text, rated.reward) == ("that was lovely", 0.8)
    found = verify_file(home / "mind.db")
    assert found.ok and found.anchored == found.last


def test_files_of_the_owner_mean_the_same(release: dict[str, Any], home: Path) -> None:
    data = Home(home)
    assert load().settings.log.level == "warning"
    token = Tokens(data).find(release["token"])
    assert token is not None and (token.name, token.scopes) == ("kitchen tablet", ("read",))
    version = Shelf(data.shelf_folder).get("count_stairs", 1)
    assert version.state == "active" and "floors * 17" in version.code
    assert "captain" in Profiles(data).names()
    assert (data.folder / "chat-history").read_text().endswith("+my name is Ada\n")
    assert Photos(data.photos_folder, days=36500, most=10).find(release["photo"]).name == release["photo"]
    assert "robot.dance" in here("permissions", "show").stdout


async def test_the_fleet_still_has_its_devices_and_operators(release: dict[str, Any], home: Path) -> None:
    def found(sql: Sql) -> tuple[str, str, list[str], list[dict[str, Any]]]:
        operator = operators.authenticate(sql, release["operator_key"])
        named = devices.authenticate(sql, release["device_token"])
        device = devices.get(sql, operator.tenant, named.name)
        done = audit.listed(sql, [operator.tenant])
        return operator.name, device.name, list(device.groups), done

    async with SqliteStore(home / "fleet" / "fleet.db") as store:
        operator, device, groups, done = await store.read(found)
    assert (operator, device, groups) == ("nurse", "room-12", ["north"])
    assert [entry["action"] for entry in done] == ["device.added"]


async def test_a_device_still_has_what_it_did_not_send(release: dict[str, Any], home: Path) -> None:
    async with DeviceStore(home / "fleet" / "device" / "device.db") as store:
        assert store.epoch == release["device_epoch"]
        outbox = Outbox(store)
        (press,) = await outbox.after(USUAL, 0, 10, epoch=store.epoch)
        (alarm,) = await outbox.after(EMERGENCY, 0, 10, epoch=store.epoch)
    assert (press.type, press.p, alarm.type) == ("button.pressed", {"button": "green"}, "emergency.pressed")


def test_an_older_version_refuses_a_newer_home_and_changes_nothing(release: dict[str, Any], home: Path) -> None:
    for name, package in DATABASES.items():
        with contextlib.closing(sqlite3.connect(home / name)) as db:
            db.execute(f"PRAGMA user_version={len(read_migrations(package)) + 1}")
    before = {path: path.read_bytes() for path in sorted(home.rglob("*.db"))}
    done = here("memory", "list", "--json")
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1 and "newer version" in error["message"] and "pip install -U" in error["hint"]
    for store in (SqliteStore(home / "fleet" / "fleet.db"), DeviceStore(home / "fleet" / "device" / "device.db")):
        with pytest.raises(DatabaseError, match="newer version"):
            asyncio.run(opened(store))
    assert {path: path.read_bytes() for path in sorted(home.rglob("*.db"))} == before


async def opened(store: SqliteStore | DeviceStore) -> None:
    async with store:
        pass
