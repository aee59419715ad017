"""`Attention`: the ears of a Realtime server in a spoken conversation: its `Partner`.

While the conversation lasts, its line is kept open: one that is cut is opened again, after longer and longer pauses.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import Resampler
from reachy_mind.brains.realtime.line import RATE_HZ, Line
from reachy_mind.brains.realtime.lines import Lines
from reachy_mind.brains.thought import NoThought
from reachy_mind.ending import ended
from reachy_mind.speech.partner import Notice

FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 30.0

_log = log.get(__name__)


class Attention:
    """Use as `async with`."""

    def __init__(self, lines: Lines, conversation: str) -> None:
        self._lines, self._conversation = lines, conversation
        self._rate = Resampler(SAMPLE_RATE_HZ, RATE_HZ)
        self._keeping: asyncio.Task[None] | None = None
        self._followed: Line | None = None

    async def __aenter__(self) -> Self:
        self._lines.attended.add(self._conversation)
        self._keeping = asyncio.create_task(self._keep(), name="attention")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._lines.attended.discard(self._conversation)
        if self._keeping is not None:
            await ended(self._keeping)

    @property
    def present(self) -> bool:
        return self._lines.found(self._conversation) is not None

    def hear(self, pcm: bytes) -> None:
        line = self._lines.found(self._conversation)
        if line is not None:
            line.sound(self._rate.feed(pcm))

    async def notice(self) -> Notice:
        if self._followed is not None and self._lines.found(self._conversation) is not self._followed:
            self._followed = None
            return Notice("gone")
        self._followed = await self._lines.arrived(self._conversation)
        return await self._followed.notices.get()

    async def _keep(self) -> None:
        wait, told = FIRST_WAIT_S, ""
        while True:
            try:
                line = await self._lines.opened(self._conversation)
            except NoThought as error:
                if error.message != told:
                    told = error.message
                    _log.warning("our own ears and voice serve", reason=error.message, hint=error.hint)
                with contextlib.suppress(TimeoutError):  # a turn may open it before it is tried again
                    async with asyncio.timeout(wait):
                        await self._lines.arrived(self._conversation)
                wait = min(2 * wait, LONGEST_WAIT_S)
                continue
            wait, told = FIRST_WAIT_S, ""
            await line.closed.wait()
            _log.info("the line to the Realtime server ended", reason=line.reason)
