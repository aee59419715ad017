"""`Satellite`: the robot's microphone and loudspeaker for Home Assistant's own voice assistant.

With `satellite: word`, sound goes to Home Assistant only after the wake word, until it has what was said; with
`stream`,
all the time, and Home Assistant hears its own wake word. What it says is played by the robot's loudspeaker.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.satellite import StreamingStarted, StreamingStopped
from wyoming.snd import Played
from wyoming.vad import VoiceStopped
from wyoming.wake import Detection

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import LinkLost, MindError, NotReady
from reachy_mind.home_assistant.wyoming_audio import WyomingInput
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.speech import wake_word_model
from reachy_mind.tools.acts import LISTEN, SPEAK

RETRY_S = 5.0
LONGEST_REQUEST_S = 30.0
MOST_QUEUED = 2000
"""Pieces of sound that wait to be played."""

Write = Callable[[Event], Awaitable[None]]

_log = log.get(__name__)


class Satellite:
    """`write` sends an event to Home Assistant."""

    def __init__(self, mind: Mind, write: Write) -> None:
        self._mind, self._write = mind, write
        settings = mind.configuration.settings.home_assistant
        self._mode, self._word = settings.satellite, settings.satellite_word
        self._listening: asyncio.Task[None] | None = None
        self._playing: asyncio.Task[None] | None = None
        self._sound: asyncio.Queue[bytes | None] = asyncio.Queue(MOST_QUEUED)
        self._input = WyomingInput()
        self._streaming = False
        """Whether what is heard goes to Home Assistant."""

    async def open(self) -> None:
        """Raises NotReady with what has to be changed first."""
        speech = self._mind.configuration.settings.speech
        if self._mode == "off":
            raise NotReady("the robot is no satellite", hint="set home_assistant.satellite to word or stream")
        if speech.wake == "always":
            raise NotReady(
                "the robot itself answers all that is said", hint="set speech.wake to name, word or push first"
            )
        if not self._mind.toolbox.decisions.free(LISTEN):
            raise NotReady("a rule does not let the microphone be opened", hint="reachy-mind permissions show")
        detector = None
        if self._mode == "word":
            detector = wake_word_model.detector(Store(self._mind.configuration.models_folder), self._word)
        self._listening = asyncio.create_task(self._listen(detector), name="satellite microphone")

    async def aclose(self) -> None:
        for task in (self._listening, self._playing):
            if task is not None:
                await cancel_and_wait(task)

    async def take(self, event: Event) -> None:
        """An event of Home Assistant."""
        kind = event.type
        if AudioStart.is_type(kind):
            await self._begin_playing()
        elif AudioChunk.is_type(kind):
            with contextlib.suppress(asyncio.QueueFull):  # what waits for minutes is not played
                self._sound.put_nowait(self._input.pcm(AudioChunk.from_event(event)))
        elif AudioStop.is_type(kind):
            with contextlib.suppress(asyncio.QueueFull):
                self._sound.put_nowait(None)
        elif any(other.is_type(kind) for other in (Transcript, VoiceStopped, Error)):
            await self._stop_streaming()

    # The microphone

    async def _listen(self, detector: wake_word_model.WakeWordDetector | None) -> None:
        """Read the microphone, for as long as Home Assistant is there."""
        try:
            while True:
                try:
                    await self._follow(detector)
                except LinkLost as error:
                    _log.info("the satellite has lost something", reason=error.message)
                except MindError as error:
                    _log.warning("the satellite can't listen", reason=error.message)
                await asyncio.sleep(RETRY_S)
        finally:
            if detector is not None:
                await detector.aclose()

    async def _follow(self, detector: wake_word_model.WakeWordDetector | None) -> None:
        if detector is None:
            await self._start_streaming(PipelineStage.WAKE)
        sent_s = 0.0
        async with await self._mind.speech.microphone() as microphone:
            async for block in microphone:
                if self._streaming:
                    await self._write(AudioChunk(SAMPLE_RATE_HZ, 2, 1, block).event())
                    sent_s += len(block) / (2 * SAMPLE_RATE_HZ)
                    if detector is not None and sent_s > LONGEST_REQUEST_S:
                        await self._stop_streaming()
                elif detector is None:
                    await self._start_streaming(PipelineStage.WAKE)
                elif self._playing is None and await detector.hear(block) is not None:
                    sent_s = 0.0
                    await self._write(Detection(name=self._word).event())
                    await self._start_streaming(PipelineStage.ASR)

    async def _start_streaming(self, stage: PipelineStage) -> None:
        word = self._word if stage is PipelineStage.ASR else None
        await self._write(RunPipeline(stage, PipelineStage.TTS, wake_word_name=word).event())
        await self._write(StreamingStarted().event())
        self._streaming = True

    async def _stop_streaming(self) -> None:
        """Home Assistant has what was said."""
        if self._streaming:
            self._streaming = False
            await self._write(AudioStop().event())
            await self._write(StreamingStopped().event())

    # The loudspeaker

    async def _begin_playing(self) -> None:
        if self._playing is not None:
            await cancel_and_wait(self._playing)
        self._sound, self._input = asyncio.Queue(MOST_QUEUED), WyomingInput()
        self._playing = asyncio.create_task(self._play(self._sound), name="satellite loudspeaker")

    async def _play(self, sound: asyncio.Queue[bytes | None]) -> None:
        try:
            if not self._mind.toolbox.decisions.free(SPEAK):
                raise NotReady("a rule does not let it speak", hint="reachy-mind permissions show")
            async with await self._mind.speech.speaker() as speaker:
                while (pcm := await sound.get()) is not None:
                    await speaker.write(pcm)
                await speaker.drained()
        except MindError as error:
            _log.warning("the satellite can't play", reason=error.message)
        finally:
            self._playing = None
        with contextlib.suppress(LinkLost):
            await self._write(Played().event())
