"""Who is measured in a spoken conversation: `Ours`, as people get it, and `Plain`, one step after the other.

Plain waits for 0.8 s of silence, transcribes, lets the mind think to the end, has all of the answer spoken, and plays
it; it does not listen meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Self
from uuid import uuid4

from reachy_mind.bench.room import RATE_HZ, Room
from reachy_mind.ending import ended
from reachy_mind.mind import Mind
from reachy_mind.speech import choice, samples
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.talking import Talking

PLAIN_SILENCE_S = 0.8
LEAD_S = 0.5
DEAF = RATE_HZ // 2
"""Samples after its own voice in which the room still reverberates."""


@dataclass(frozen=True)
class Noted:
    """What reached the mind, and at which sample of the simulator's clock."""

    text: str
    at: int
    continues: bool = False
    reply_heard: str | None = None


class Ours(Talking):
    """`noted` is everything that reached the mind; `stages` where the time of the last answer went."""

    def __init__(self, mind: Mind, room: Room) -> None:
        super().__init__(mind)
        self._room = room
        self.noted: list[Noted] = []
        self.judged_ms: list[float] = []

    async def _respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        self.noted.append(Noted(heard.text, self._room.now, heard.continues, heard.reply_heard))
        async with contextlib.aclosing(super()._respond(heard)) as answer:
            async for say in answer:
                yield say

    async def _finished(self, text: str) -> float:
        began = time.perf_counter()
        sure = await super()._finished(text)
        self.judged_ms.append((time.perf_counter() - began) * 1000)
        return sure

    def renew(self) -> None:
        """What is said next has nothing to do with what was said before."""
        self.conversation = self._answering.conversation = uuid4().hex

    async def rehearsed(self) -> None:
        """Wait until it is as it is a minute after its start: what it often says is ready."""
        if self._speech.rehearsing is not None:
            await asyncio.wait([self._speech.rehearsing])

    @property
    def stages(self) -> dict[str, float]:
        return self._speech.stages.last


class Plain:
    """The reference. Use as `async with`."""

    def __init__(self, mind: Mind, room: Room) -> None:
        self._mind, self._room = mind, room
        ears, mouth = choice.ears(mind.configuration).part, choice.mouth(mind.configuration).part
        assert ears is not None and mouth is not None
        self._ears, self._voice = ears, mouth
        self.noted: list[Noted] = []
        self.conversation = uuid4().hex
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._ears.aclose)
            stack.push_async_callback(self._voice.aclose)
            await asyncio.gather(self._ears.warm(), self._voice.warm())
            running = asyncio.create_task(self._listen(), name="plain")
            stack.push_async_callback(ended, running)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _listen(self) -> None:
        from pipecat.audio.vad.silero import SileroVADAnalyzer
        from pipecat.audio.vad.vad_analyzer import VADParams, VADState

        activity = SileroVADAnalyzer(
            sample_rate=samples.RATE,
            params=VADParams(confidence=0.6, start_secs=0.1, stop_secs=PLAIN_SILENCE_S, min_volume=0.2),
        )
        activity.set_sample_rate(samples.RATE)
        heard, speaking, deaf_until = bytearray(), False, 0
        async with self._mind.media.microphone() as microphone, self._mind.media.speaker() as speaker:
            async for block in microphone:
                if microphone.position < deaf_until:
                    continue
                heard += block
                state = await activity.analyze_audio(block)
                if state is VADState.SPEAKING:
                    speaking = True
                elif state is VADState.QUIET and speaking:
                    speaking = False
                    pcm = await self._answer(bytes(heard))
                    for begin in range(0, len(pcm), samples.RATE):
                        await speaker.write(pcm[begin : begin + samples.RATE])
                    await speaker.drained()
                    deaf_until, heard = self._room.now + DEAF, bytearray()
                elif not speaking and state is VADState.QUIET:
                    del heard[: -round(LEAD_S * samples.RATE) * samples.WIDTH]

    def renew(self) -> None:
        """What is said next has nothing to do with what was said before."""
        self.conversation = uuid4().hex

    async def _answer(self, pcm: bytes) -> bytes:
        text = (await self._ears.transcribe(pcm, language="en")).text
        if not text.strip():
            return b""
        self.noted.append(Noted(text, self._room.now))
        reply = await self._mind.ask(text, conversation=self.conversation)
        said = reply.text or (reply.error or {}).get("message", "")
        return b"".join([piece async for piece in self._voice.synthesize(said)])
