"""`RealtimeConversation`: a spoken conversation whose answers are told to a Realtime client.

Import it in a thread, after `voice.load_spoken`: pipecat is heavy.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from reachy_mind.conversation.spoken import SpokenConversation
from reachy_mind.server.realtime.responses import RealtimeResponses, UnspokenTurn
from reachy_mind.speech.events import SpeechEvent
from reachy_mind.speech.heard import Heard, Say


class RealtimeConversation(SpokenConversation):
    """`hears` is called with what was said; it returns whether that is answered now. `observes` gets speech events."""

    def __init__(
        self,
        *args: Any,
        responses: RealtimeResponses,
        hears: Callable[[Heard], bool],
        observes: Callable[[SpeechEvent], None],
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._responses, self._hears, self._observes = responses, hears, observes

    @property
    def speaking(self) -> bool:
        return self._speech.speaking

    async def say(self, text: str) -> None:
        await self._responses.announce(text, super().say)

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        if not isinstance(heard, UnspokenTurn) and not self._hears(heard):
            return
        async with contextlib.aclosing(self._responses.respond(heard)) as pieces:
            async for say in pieces:
                yield say

    def observed(self, event: SpeechEvent) -> None:
        super().observed(event)
        self._observes(event)
