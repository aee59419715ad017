"""`/readyz`: not ready while nothing can be saved, with the reason; ready again when it can."""

from __future__ import annotations

import contextlib
import resource
import sqlite3

import httpx

from reachy_mind.mind import Mind


async def test_a_mind_that_can_save_nothing_is_not_ready(http: httpx.AsyncClient, mind: Mind) -> None:
    ready = "http://127.0.0.1/readyz"
    assert (await http.get(ready)).status_code == 200
    file = mind.configuration.home.database_file
    database = mind.toolbox.parts.database
    assert database is not None

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    await database.read(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        full = await http.get(ready)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert full.status_code == 503 and full.json()["error"]["code"] == "NOT_READY"
    assert "nothing can be saved" in full.json()["error"]["message"] and full.json()["error"]["hint"]
    assert (await http.get(ready)).status_code == 200, "as soon as there is room"

    await database.read(lambda db: db.execute("PRAGMA busy_timeout=10"))
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = await http.get(ready)
    assert locked.status_code == 503 and "another program" in locked.json()["error"]["message"]
    assert (await http.get(ready)).status_code == 200
