"""`RealtimeLine`: the microphone and the loudspeaker of a Realtime client, as media of a spoken conversation.

The client owns its loudspeaker: what was sent can't be taken back here. While it talks to us by voice, sound is sent a
little ahead of playback, so that little is lost when it interrupts; without voice activity detection, at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Self

from reachy_mind.body.media import Media, unavailable
from reachy_mind.body.media.network_audio import NetworkAudio, NetworkMicrophone
from reachy_mind.body.media.playback_clock import PlaybackClock

AHEAD_S = 0.4
"""Sent ahead of playback: a network between needs more than a loudspeaker here."""
MOST_WAITING_S, POLL_S = 5.0, 0.02
SLICE_BYTES = 32_000
"""Sound that comes all at once is taken in by the second, as it is heard."""

Send = Callable[[bytes], Awaitable[None]]


class RealtimeLine:
    """`send` sends 16 kHz PCM to be played."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._audio = NetworkAudio(_nothing)
        self.paced = True
        """Whether sound is sent at the pace at which it is played."""

    @property
    def gone(self) -> str:
        return self._audio.gone

    def hang_up(self, reason: str) -> None:
        self._audio.gone = reason

    def mute(self, *, muted: bool) -> None:
        """Whether what the client sends is heard as it comes."""
        self._audio.muted = muted

    async def feed(self, pcm: bytes) -> None:
        """Sound of the client. Waits while much of what came before is not heard yet."""
        for at in range(0, len(pcm), SLICE_BYTES):
            while self._audio.waiting_s > MOST_WAITING_S and not self._audio.gone:  # noqa: ASYNC110 -- it has no event
                await asyncio.sleep(POLL_S)
            self._audio.feed(pcm[at : at + SLICE_BYTES])

    def clear(self) -> None:
        self._audio.clear()

    def media(self) -> Media:
        reason = "they are at the other end of a line"
        camera = unavailable("camera", reason, "a line has none")
        return Media(
            "line",
            reason,
            camera,
            lambda: NetworkMicrophone(self._audio),
            lambda: LineSpeaker(self, self._send),
            ahead_s=AHEAD_S,
        )


class LineSpeaker:
    device = "line"

    def __init__(self, line: RealtimeLine, send: Send) -> None:
        self._line, self._send, self._clock = line, send, PlaybackClock()

    @property
    def written(self) -> int:
        return self._clock.written

    @property
    def position(self) -> int:
        return self._clock.position if self._line.paced else self._clock.written

    async def write(self, pcm: bytes) -> None:
        """To a client that has left nothing is sent; its conversation is about to end."""
        if not self._line.gone:
            await self._send(pcm)
        self._clock.write(len(pcm) // 2)

    async def drained(self) -> None:
        if self._line.paced:
            await self._clock.until(self.written)

    async def flush(self) -> int:
        """What was sent is the client's: it counts as played, and nothing was dropped."""
        return self._clock.flush(self._clock.written)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


async def _nothing(sound: bytes | int) -> None:
    """A line has its own way to send."""
