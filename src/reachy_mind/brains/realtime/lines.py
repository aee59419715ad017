"""`Lines`: a connection for each conversation, opened when it is needed and again when it was cut."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from urllib.parse import urlsplit

from reachy_mind import log
from reachy_mind.brains.realtime import session
from reachy_mind.brains.realtime.line import Line
from reachy_mind.config import Configuration
from reachy_mind.loopback import is_loopback

OPENAI = "api.openai.com"
OPENING_S = 8.0
MOST = 4
"""Conversations at a time; the one that was quiet for longest makes room, unless somebody listens in it."""

_log = log.get(__name__)


class Lines:
    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration.settings
        self._lines: dict[str, Line] = {}
        self._opening: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.attended: set[str] = set()
        self._news = asyncio.Event()

    def found(self, conversation: str) -> Line | None:
        """The one that is open now."""
        line = self._lines.get(conversation)
        return line if line is not None and not line.closed.is_set() else None

    async def arrived(self, conversation: str) -> Line:
        """The one that is open, as soon as there is one, whoever opens it."""
        while (line := self.found(conversation)) is None:
            await self._news.wait()
        return line

    async def opened(self, conversation: str, voice: str = "") -> Line:
        """Another voice than the one that was heard takes a new line. Raises NoThought."""
        async with self._opening[conversation]:
            line = self.found(conversation)
            if line is not None and voice and line.spoke and line.session.get("voice") != voice:
                _log.info("another voice takes another line", voice=voice)
                line = None
            if line is None:
                await self._close(conversation)
                line = await self._open()
            self._lines.pop(conversation, None)
            self._lines[conversation] = line  # the last one is the latest that was used
            self._news.set()
            self._news = asyncio.Event()
        await self._make_room()
        return line

    async def _open(self) -> Line:
        realtime = self._settings.realtime
        address = urlsplit(realtime.url)
        key = realtime.api_key
        if key is None and address.hostname == OPENAI and address.scheme == "wss":
            key = self._settings.openai.api_key
        line = await Line.open(
            realtime.url,
            realtime.model,
            key.get_secret_value() if key else "",
            proxied=not is_loopback(address.hostname),
            timeout_s=min(OPENING_S, realtime.timeout_s),
        )
        session.tell(line, {"voice": realtime.voice}, session.hearing(self._settings))
        _log.info("line to a Realtime server", host=address.hostname, model=realtime.model)
        return line

    async def _make_room(self) -> None:
        quiet = [each for each in self._lines if each not in self.attended]
        for conversation in quiet[: max(0, len(self._lines) - MOST)]:
            await self._close(conversation)
            self._opening.pop(conversation, None)

    async def _close(self, conversation: str) -> None:
        line = self._lines.pop(conversation, None)
        if line is not None:
            await line.aclose()

    async def aclose(self) -> None:
        for conversation in list(self._lines):
            await self._close(conversation)
