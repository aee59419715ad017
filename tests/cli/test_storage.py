"""`backup`, `repair` and `audit`, as people and programs call them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import tarfile
from pathlib import Path

from reachy_mind.config.configuration import load
from reachy_mind.config.database_check import database as check_database
from reachy_mind.storage.database import Database
from reachy_mind.storage.home import Home
from reachy_mind.storage.owner import Ownership
from reachy_mind.tools import audit_verification
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome
from tests.fakes.processes import here, here_json


def fill(home: Path) -> None:
    async def act() -> None:
        async with Database(home / "mind.db") as database:
            audit = Audit(database)
            for number in range(3):
                await audit.record_end("robot.nod", Caller(), Outcome("ok", call_id=str(number)), "{}", "{}")
            await audit.aclose()

    asyncio.run(act())


def tamper(home: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(home / "mind.db", isolation_level=None)) as db:
        db.execute(sql)


def test_a_backup_is_written_where_it_was_asked_for_or_beside_the_data_folder(home: Path, tmp_path: Path) -> None:
    fill(home)
    report = here_json("backup", str(tmp_path / "one.tar.gz"))
    with tarfile.open(report["file"]) as tar:
        assert {"home/mind.db", "home/audit-anchor.json"} <= set(tar.getnames()) and report["files"] == 2
    again = here("backup", str(tmp_path / "one.tar.gz"), "--json")
    assert again.returncode == 1 and json.loads(again.stdout)["error"]["hint"]
    done = here("backup")
    (made,) = (tmp_path / "home-backups").iterdir()
    assert done.returncode == 0 and str(made) in done.stdout


def test_repair_leaves_a_healthy_database_alone_and_mends_a_damaged_one(home: Path) -> None:
    missing = here("repair", "--json")
    assert missing.returncode == 1 and "does not exist" in json.loads(missing.stdout)["error"]["message"]
    fill(home)
    assert here_json("repair")["repaired"] is False
    file = home / "mind.db"
    content = bytearray(file.read_bytes())
    content[:100] = bytes(100)
    file.write_bytes(content)
    finding = asyncio.run(check_database(load()))
    assert not finding.ok and "reachy-mind repair" in finding.fix
    report = here_json("repair")
    assert report["repaired"] and report["rows"]["audit"] == 3 and Path(report["kept"]).read_bytes() == content
    assert here_json("audit", "verify")["ok"] and asyncio.run(check_database(load())).ok


def test_a_running_mind_is_not_repaired(home: Path) -> None:
    fill(home)
    with Ownership(Home(home)):
        done = here("repair", "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["error"]["code"] == "ALREADY_RUNNING"


def test_the_audit_is_verified_by_command_and_by_doctor(home: Path) -> None:
    fill(home)
    assert here("audit", "verify").returncode == 0 and asyncio.run(audit_verification.check(load())).ok
    tamper(home, "UPDATE audit SET status = 'denied' WHERE seq = 2")
    tamper(home, "DELETE FROM audit WHERE seq = 3")
    done = here("audit", "verify", "--json")
    assert done.returncode == 1 and not json.loads(done.stdout)["ok"]
    told = here("audit", "verify").stdout
    assert "entry 2 was changed" in told and "the end was cut off" in told
    finding = asyncio.run(audit_verification.check(load()))
    assert not finding.ok and "entry 2 was changed" in finding.detail and finding.fix


def test_calls_are_listed_with_who_made_them(home: Path) -> None:
    fill(home)
    assert here("tools", "call", "get_time", "--robot", "none").returncode == 0
    found = here_json("audit", "list", "--tool", "get_time")
    assert found["total"] == 1 and found["entries"][0]["principal"] == "this machine"
    assert "robot.nod" in here("audit", "list").stdout
