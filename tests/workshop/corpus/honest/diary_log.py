"""Writes a log with the logging module."""

import logging
from logging.handlers import RotatingFileHandler

log = logging.getLogger("diary")


def diary_log(lines: int = 5) -> dict:
    """Write a diary file and show it."""
    handler = RotatingFileHandler("/tmp/diary.log", maxBytes=10_000, backupCount=1)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    for number in range(lines):
        log.info("entry %d", number)
    log.warning("last entry")
    handler.close()
    with open("/tmp/diary.log") as file:
        text = file.read()
    return {"lines": text.count("\n"), "last": text.splitlines()[-1]}
