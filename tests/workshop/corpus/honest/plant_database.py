"""Keeps plants in a database."""

import sqlite3
from contextlib import closing


async def plant_database() -> dict:
    """Store plants and say which are thirsty."""
    with closing(sqlite3.connect("plants.db")) as database, database:
        database.execute("create table plants (name text primary key, days integer)")
        database.executemany("insert into plants values (?, ?)", [("fern", 3), ("cactus", 20), ("basil", 1)])
        thirsty = database.execute("select name from plants where days < ? order by days", (5,)).fetchall()
    with closing(sqlite3.connect(":memory:")) as memory:
        version = memory.execute("select sqlite_version()").fetchone()[0]
    return {"thirsty": [name for (name,) in thirsty], "version": version}
