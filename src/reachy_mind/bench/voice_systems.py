"""The systems compared by `bench voice`: `Ours`, the real spoken conversation, and `PlainSequence`, step by step.

The plain one waits for 0.8 s of silence (VAD), transcribes, lets the mind think to the end, synthesizes the whole
answer, and plays it; it does not listen meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Self
from uuid import uuid4

from reachy_mind.bench.simulated_room import SimulatedRoom
from reachy_mind.body.media import Speaker
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.spoken import SpokenConversation
from reachy_mind.mind import Mind
from reachy_mind.speech import audio_format, engines
from reachy_mind.speech.heard import Heard, Say

PLAIN_SILENCE_S = 0.8
LEAD_S = 0.5
DEAF_SAMPLES = RATE_HZ // 2
"""Samples ignored after its own voice, while the room still reverberates."""


@dataclass(frozen=True)
class Noted:
    """An utterance that reached the mind, and the sample of the simulator's clock."""

    text: str
    at: int
    continues: bool = False
    reply_heard: str | None = None


class Ours(SpokenConversation):
    """`noted`: everything that reached the mind; `stages`: durations of the last answer's stages."""

    def __init__(self, mind: Mind, room: SimulatedRoom) -> None:
        super().__init__(mind.speech.parts, mind.speech.ears(), mind.speech.mouth())
        self._room = room
        self.noted: list[Noted] = []
        self.judged_ms: list[float] = []

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        self.noted.append(Noted(heard.text, self._room.now, heard.continues, heard.reply_heard))
        async with contextlib.aclosing(super().respond(heard)) as answer:
            async for say in answer:
                yield say

    async def end_of_turn_probability(self, text: str) -> float:
        began = time.perf_counter()
        sure = await super().end_of_turn_probability(text)
        self.judged_ms.append((time.perf_counter() - began) * 1000)
        return sure

    def renew(self) -> None:
        """Start a new conversation."""
        self.conversation = self._confirmations.conversation = uuid4().hex

    async def cache_filled(self) -> None:
        """Wait until the cache of frequent phrases is filled, as it is a minute after the start."""
        if self._speech.filling_cache is not None:
            await asyncio.wait([self._speech.filling_cache])

    @property
    def stages(self) -> dict[str, float]:
        return self._speech.stages.last


class PlainSequence:
    """The reference: a sequential pipeline. Use as `async with`."""

    def __init__(self, mind: Mind, room: SimulatedRoom) -> None:
        self._mind, self._room = mind, room
        ears, mouth = engines.ears(mind.configuration).part, engines.mouth(mind.configuration).part
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
            stack.push_async_callback(cancel_and_wait, running)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _listen(self) -> None:
        from pipecat.audio.vad.silero import SileroVADAnalyzer
        from pipecat.audio.vad.vad_analyzer import VADParams, VADState

        activity = SileroVADAnalyzer(
            sample_rate=audio_format.RATE,
            params=VADParams(confidence=0.6, start_secs=0.1, stop_secs=PLAIN_SILENCE_S, min_volume=0.2),
        )
        activity.set_sample_rate(audio_format.RATE)
        heard, speaking, deaf_until = bytearray(), False, 0
        async with self._mind.media.microphone() as microphone, self._mind.media.speaker() as speaker:
            blocks = aiter(microphone)
            async for block in blocks:
                if microphone.position < deaf_until:
                    continue
                heard += block
                state = await activity.analyze_audio(block)
                if state is VADState.SPEAKING:
                    speaking = True
                elif state is VADState.QUIET and speaking:
                    speaking = False
                    answering = asyncio.create_task(self._speak_answer(bytes(heard), speaker), name="plain answer")
                    try:
                        while not answering.done():  # a microphone that nobody reads is taken for lost after 20 s
                            await anext(blocks)
                    finally:
                        await cancel_and_wait(answering)
                    deaf_until, heard = self._room.now + DEAF_SAMPLES, bytearray()
                elif not speaking and state is VADState.QUIET:
                    del heard[: -round(LEAD_S * audio_format.RATE) * audio_format.WIDTH]

    def renew(self) -> None:
        """Start a new conversation."""
        self.conversation = uuid4().hex

    async def _speak_answer(self, heard: bytes, speaker: Speaker) -> None:
        pcm = await self._answer(heard)
        for begin in range(0, len(pcm), audio_format.RATE):
            await speaker.write(pcm[begin : begin + audio_format.RATE])
        await speaker.drained()

    async def _answer(self, pcm: bytes) -> bytes:
        text = (await self._ears.transcribe(pcm, language="en")).text
        if not text.strip():
            return b""
        self.noted.append(Noted(text, self._room.now))
        reply = await self._mind.ask(text, conversation=self.conversation)
        said = reply.text or (reply.error or {}).get("message", "")
        return b"".join([piece async for piece in self._voice.synthesize(said)])
