"""`Realtime`: a speech-to-speech brain on a server of OpenAI's Realtime protocol.

A spoken request is already in the server's conversation and is answered with audio; a typed one, or one heard by our
own speech recognition, is sent as text. Both are ordinary turns: they come through the queue, tool calls go through
the gate, and an interrupt cancels the response at the server, too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from reachy_mind.brains.brain import BrainUnavailable, Thought, Turn
from reachy_mind.brains.realtime import session
from reachy_mind.brains.realtime.connections import RealtimeConnections
from reachy_mind.brains.realtime.listener import RealtimeListener
from reachy_mind.brains.realtime.turn import RealtimeTurn

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration


class Realtime:
    name = "realtime"

    def __init__(self, configuration: Configuration) -> None:
        self._settings = configuration.settings
        self._connections = RealtimeConnections(configuration)

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        """Raises BrainUnavailable when the server fails. A connection lost before the first output is retried once."""
        for last in (False, True):
            started = False
            voice = session.choose_voice(turn.voice, self._settings)
            connection = await self._connections.open(turn.conversation, voice)
            session.update(connection, session.persona(turn.instructions, turn.tools, voice))
            realtime_turn = RealtimeTurn(connection, turn, self._settings.realtime)
            try:
                async for thought in realtime_turn.thoughts():
                    started = True
                    yield thought
            except BrainUnavailable:
                if last or started or not connection.lost:
                    raise
            else:
                return
            finally:
                realtime_turn.end()

    def attending(self, conversation: str) -> RealtimeListener:
        return RealtimeListener(self._connections, conversation)

    async def aclose(self) -> None:
        await self._connections.aclose()


def make(configuration: Configuration) -> Realtime:
    return Realtime(configuration)
