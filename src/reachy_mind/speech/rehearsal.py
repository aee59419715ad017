"""`Rehearsal`: what is often said is made ready while nobody speaks, and then heard at once.

A voice takes a tenth of a second or more before its first sound. A sentence is made in the time of one turn at most, so
whoever begins to speak meanwhile waits for no more than that one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from reachy_mind import log
from reachy_mind.errors import MindError

QUIET_S = 0.1
"""Between two sentences, and as long as somebody speaks: others need the processor too."""

_log = log.get(__name__)


async def rehearse(
    sentences: Sequence[str], prepare: Callable[[str], Awaitable[None]], busy: Callable[[], bool]
) -> None:
    """One after the other. A voice that fails is not tried again: whoever speaks next hears why."""
    for sentence in sentences:
        await asyncio.sleep(QUIET_S)
        while busy():  # noqa: ASYNC110 -- it has no event for this
            await asyncio.sleep(QUIET_S)
        try:
            await prepare(sentence)
        except MindError as error:
            _log.debug("nothing more is rehearsed", reason=error.message)
            return
