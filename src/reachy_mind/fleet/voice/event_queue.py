"""`SessionEvents`: what happened in a session and was not read yet, bounded."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Final

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.fleet.voice.session import SessionEnded, SoundFlushed, SpeakerSound, VoiceSessionEvent

MAX_SOUND_BYTES: Final = 4 * 2 * SAMPLE_RATE_HZ
"""Four seconds: far more than is sent ahead of playback."""
MAX_EVENTS: Final = 500


class SessionEvents:
    """For one reader. After the end nothing is added."""

    __slots__ = ("_events", "_more", "_sound", "ended", "flushes")

    def __init__(self) -> None:
        self._events: deque[VoiceSessionEvent] = deque()
        self._more = asyncio.Event()
        self._sound = 0
        self.ended = False
        self.flushes = 0
        """How many flushes were read."""

    def put(self, event: VoiceSessionEvent) -> bool:
        """Add an event. Returns False, and adds nothing, when the reader is too slow for it."""
        if self.ended:
            return True
        if isinstance(event, SpeakerSound):
            if self._sound + len(event.pcm) > MAX_SOUND_BYTES:
                return False
            self._sound += len(event.pcm)
        elif isinstance(event, SoundFlushed):
            self._drop_sound()
        elif isinstance(event, SessionEnded):
            self.ended = True
        elif len(self._events) >= MAX_EVENTS:
            return False
        self._events.append(event)
        self._more.set()
        return True

    def end(self, reason: str) -> None:
        """The session is over: what waits to be played is dropped."""
        if not self.ended:
            self._drop_sound()
            self.put(SessionEnded(reason))

    async def read(self) -> AsyncIterator[VoiceSessionEvent]:
        """Until the end, which is the last event."""
        while True:
            while not self._events:
                self._more.clear()
                await self._more.wait()
            event = self._events.popleft()
            if isinstance(event, SpeakerSound):
                self._sound -= len(event.pcm)
            elif isinstance(event, SoundFlushed):
                self.flushes += 1
            yield event
            if isinstance(event, SessionEnded):
                return

    def _drop_sound(self) -> None:
        self._events = deque(event for event in self._events if not isinstance(event, SpeakerSound))
        self._sound = 0
