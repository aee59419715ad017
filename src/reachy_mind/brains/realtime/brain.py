"""`Realtime`: a brain that hears and speaks itself, at a server of OpenAI's Realtime protocol.

A spoken turn is in the server's conversation already when it gets here, and is answered with sound; what was typed, or
heard by our own ears, is told as text. Either way it is a turn as any other: it comes through the queue, its calls go
through the gate, and whoever cuts it short ends the response at the server, too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from reachy_mind.brains.realtime import session
from reachy_mind.brains.realtime.attention import Attention
from reachy_mind.brains.realtime.exchange import Exchange
from reachy_mind.brains.realtime.lines import Lines
from reachy_mind.brains.thought import NoThought, Thought, Turn

if TYPE_CHECKING:
    from reachy_mind.config import Configuration


class Realtime:
    name = "realtime"

    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration.settings
        self._lines = Lines(configuration)

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        """Raises NoThought when the server can't be had. A line that is cut before anything came of the turn is opened
        again once, and the turn told anew."""
        for last in (False, True):
            begun = False
            voice = session.voice(turn.voice, self._settings)
            line = await self._lines.opened(turn.conversation, voice)
            session.tell(line, session.told(turn.instructions, turn.tools, voice))
            exchange = Exchange(line, turn, self._settings.realtime)
            try:
                async for thought in exchange.thoughts():
                    begun = True
                    yield thought
            except NoThought:
                if last or begun or not line.lost:
                    raise
            else:
                return
            finally:
                exchange.end()

    def attending(self, conversation: str) -> Attention:
        return Attention(self._lines, conversation)

    async def aclose(self) -> None:
        await self._lines.aclose()


def make(configuration: Configuration) -> Realtime:
    return Realtime(configuration)
