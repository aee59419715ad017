"""Routes the log of pipecat (loguru) into ours."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from loguru import logger

from reachy_mind import log

if TYPE_CHECKING:
    from loguru import Message

_log = log.get("pipecat")


@cache
def route() -> None:
    """From now on. Its many small steps are left out."""
    logger.remove()
    logger.add(_write, level="WARNING", format="{message}")


def _write(message: Message) -> None:
    record = message.record
    write = _log.error if record["level"].name in ("ERROR", "CRITICAL") else _log.warning
    write(record["message"], place=record["name"])
