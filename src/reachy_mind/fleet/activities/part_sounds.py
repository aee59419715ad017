"""`PartSounds`: the samples of an activity's parts, wherever they come from."""

from __future__ import annotations

import asyncio
from typing import Final

from reachy_mind import log
from reachy_mind.errors import LinkLost, NotReady
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.payloads import ActivityPart
from reachy_mind.fleet.activities.timed_player import SpokenTexts
from reachy_mind.fleet.device.pacing import ReconnectDelays

RETRY_S: Final = (1.0, 10.0)
"""Between attempts to fetch a clip."""

_log = log.get(__name__)


class PartSounds:
    """What is fetched or spoken once comes from the disk afterwards."""

    def __init__(self, clips: ClipCache, voice: SpokenTexts | None) -> None:
        self._clips, self._voice = clips, voice

    @property
    def can_speak(self) -> bool:
        return self._voice is not None

    async def of(self, part: ActivityPart, language: str) -> bytes:
        """Empty for a move. Raises MindError, OSError."""
        if part.clip is not None:
            return await self._clips.clip(part.clip)
        if part.text is not None:
            if self._voice is None:
                raise NotReady("this device has no voice", hint="send the story as a sound")
            return await self._clips.text(part.text, language, self._voice)
        if part.beep is not None:
            return await asyncio.to_thread(sounds.beep, part.beep)
        if part.beat is not None:
            return await asyncio.to_thread(sounds.beat, part.beat.bpm, part.beat.seconds)
        return b""

    async def insist(self, part: ActivityPart, language: str) -> bytes:
        """The same; while the network is away it is tried again."""
        delays = ReconnectDelays(*RETRY_S)
        while True:
            try:
                return await self.of(part, language)
            except LinkLost as error:
                _log.warning("a clip can't be fetched; trying again", reason=error.message)
                await asyncio.sleep(delays.next_s())
