"""A device that talks: it speaks into a voice session in real time, plays what comes back, and notes everything."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.fleet.voice.session import (
    HeardText,
    SaidText,
    SessionEnded,
    SoundFlushed,
    SpeakerSound,
    StateChanged,
    VoiceSession,
)
from reachy_mind.speech import flite
from tests.waiting import until

BLOCK = 1280
"""Forty milliseconds."""
BYTES_PER_S = 2 * SAMPLE_RATE_HZ


async def speech(text: str) -> bytes:
    """A sentence as a person would say it: flite's."""
    return b"".join([piece async for piece in flite.voice("rms").synthesize(text)])


class TalkingDevice:
    """Use `talking`. `plays`: whether it says what it has played."""

    def __init__(self, session: VoiceSession, *, plays: bool = True) -> None:
        self.session, self.plays = session, plays
        self.heard: list[str] = []
        self.said: list[str] = []
        self.states: list[str] = []
        self.sound = bytearray()
        """All that came since `forget`."""
        self.flushes = 0
        self.ended: str | None = None
        self._since_flush = 0
        self._began = 0.0

    def forget(self) -> None:
        self.sound.clear()
        self.heard, self.said, self.states = [], [], []

    async def say(self, pcm: bytes) -> None:
        """At the pace of a person."""
        began = time.monotonic()
        for number, begin in enumerate(range(0, len(pcm), BLOCK), 1):
            await self.session.send(pcm[begin : begin + BLOCK])
            await asyncio.sleep(max(0.0, began + number * BLOCK / BYTES_PER_S - time.monotonic()))

    async def ask(self, text: str) -> str:
        """Say something and wait for the end of the answer; its words."""
        self.forget()
        await self.say(await speech(text))
        await until(lambda: "responding" in self.states or self.ended is not None)
        await until(lambda: self.states[-1:] == ["listening"] or self.ended is not None)
        return "".join(self.said)

    async def is_answered(self, text: str) -> None:
        """Say something and wait for the beginning of the answer."""
        self.forget()
        await self.say(await speech(text))
        await until(lambda: self.said and self.sound)

    async def listen(self) -> None:
        """Take what comes, until the end."""
        async for event in self.session.events():
            match event:
                case SpeakerSound(pcm):
                    self.sound += pcm
                    if self._since_flush == 0:
                        self._began = time.monotonic()
                    self._since_flush += len(pcm) // 2
                case SoundFlushed():
                    self.flushes += 1
                    self._since_flush = 0
                case StateChanged(state):
                    self.states.append(state)
                case HeardText(text):
                    self.heard.append(text)
                case SaidText(text):
                    self.said.append(text)
                case SessionEnded(reason):
                    self.ended = reason

    async def play(self) -> None:
        """Say what was played, by the clock."""
        while True:
            await asyncio.sleep(0.1)
            if self._since_flush and self.plays:
                played = round((time.monotonic() - self._began) * SAMPLE_RATE_HZ)
                await self.session.played(min(self._since_flush, played))


@contextlib.asynccontextmanager
async def talking(session: VoiceSession, *, plays: bool = True) -> AsyncIterator[TalkingDevice]:
    """The device, until the context ends; then its session is closed."""
    device = TalkingDevice(session, plays=plays)
    tasks = [asyncio.create_task(device.listen()), asyncio.create_task(device.play())]
    try:
        yield device
    finally:
        await session.aclose()
        for task in tasks:
            await cancel_and_wait(task)
