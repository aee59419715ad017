"""`SpokenStops`: a stop word that is recognised while it is spoken acts before anything is transcribed; the transcript
that follows is no second request."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from reachy_mind.brains.stop_words import is_stop
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.events import TurnEvent, VoiceEvent
from reachy_mind.conversation.response import Response
from reachy_mind.speech.events import Transcription
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.keyword_model import STOP_PHRASES, HeardKeyword

SAME_VOICE_S = 0.5
"""The voice that said the word began this long after its recognition, at most: the clocks differ a little."""
MISHEARD_WORDS = 2
"""Of so few words the ears may have made anything: the detector knows better."""


class SpokenStops:
    """`take` begins the turn of a stop (`Turns.take`); `emit` gets what a user interface shows. Close it."""

    def __init__(
        self, take: Callable[[str], AsyncGenerator[TurnEvent, None]], emit: Callable[[VoiceEvent], None]
    ) -> None:
        self._take, self._emit = take, emit
        self._at = -math.inf
        self._running: set[asyncio.Task[None]] = set()

    def act(self, word: HeardKeyword) -> None:
        """Stop now; what is said about it is shown and not spoken."""
        self._at = word.at
        task = asyncio.create_task(self._stop(STOP_PHRASES[word.name]), name="spoken stop")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def repeats(self, heard: Heard) -> bool:
        """Whether this is the transcript of a stop word that was acted on."""
        if not heard.began_at - SAME_VOICE_S <= self._at <= heard.ended_at + SAME_VOICE_S:
            return False
        return is_stop(heard.text) or len(heard.text.split()) <= MISHEARD_WORDS

    async def aclose(self) -> None:
        for task in list(self._running):
            await cancel_and_wait(task)

    async def _stop(self, text: str) -> None:
        self._emit(Transcription(text, final=True))
        async with aclosing(self._take(text)) as events:
            async for event in events:
                if isinstance(event, Response):
                    self._emit(event)
