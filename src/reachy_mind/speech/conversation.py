"""`Conversation`: a spoken conversation, from the microphone to the loudspeaker, for the time of an `async with`.

    microphone -> echo taken out -> voice activity -> words -> whose turn it is -> answer -> voice -> loudspeaker

It knows no brain: `respond` is given what was heard and yields what to say. `ears` and `mouth` are services of
pipecat's in the place of ours; `waking` listens along for a wake word; `usual` is what is often said, the most frequent
first. A `partner` hears in the place of our own ears, as long as it is there and what is said now is `confided` to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, aclosing, suppress
from typing import Self

from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import InterruptionFrame, TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.workers.runner import WorkerRunner

from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.ending import ended
from reachy_mind.errors import NotReady
from reachy_mind.speech import journal
from reachy_mind.speech.ears import Ears
from reachy_mind.speech.echo import Echo
from reachy_mind.speech.elsewhere import Activity, Elsewhere
from reachy_mind.speech.frames import SentenceFrame
from reachy_mind.speech.heard import Heard, Judge, Respond
from reachy_mind.speech.listening import Listening, State
from reachy_mind.speech.mouth import Mouth
from reachy_mind.speech.partner import Partner
from reachy_mind.speech.playback import Moving, Playback
from reachy_mind.speech.rehearsal import Rehearsed, rehearse
from reachy_mind.speech.reply import Reply
from reachy_mind.speech.stages import Stages
from reachy_mind.speech.transcription import Transcriber
from reachy_mind.speech.voices import Voice
from reachy_mind.speech.witness import Mark, Noticed, Witness

ACTIVITY = VADParams(confidence=0.6, start_secs=0.04, stop_secs=0.07, min_volume=0.2)
"""A voice is noticed within its first syllable: while the robot speaks that only makes it hold its breath. The shortest
pause is looked at: words take a while to be made out, and that time is used. In a room (0.35 s, noise at 20 dB) a voice
is noticed after 71 ms, 132 ms at the 95th percentile, and its end after 156 and 222; plain noise never was one."""

SERVICE_RATE_HZ = 24000
"""What services are asked for, and some know nothing else; it is played at ours."""


SPOKEN_AGAIN_S = 0.02


class Conversation:
    def __init__(
        self,
        media: Media,
        transcriber: Transcriber,
        voice: Rehearsed,
        respond: Respond,
        judge: Judge,
        *,
        ears: FrameProcessor | None = None,
        mouth: FrameProcessor | None = None,
        waking: FrameProcessor | None = None,
        partner: Partner | None = None,
        confided: Callable[[], bool] = lambda: True,
        aside: Callable[[Heard], bool] = lambda heard: False,  # noqa: ARG005
        patient: Callable[[], bool] = lambda: False,
        usual: Sequence[str] = (),
        language: str = "en",
        moves: Callable[[], Moving | None] = lambda: None,
        changed: Callable[[State, str], None] = lambda state, reason: None,  # noqa: ARG005
        failed: Callable[[str], None] = lambda reason: None,  # noqa: ARG005
        noticed: Callable[[Noticed], None] = lambda noticed: None,  # noqa: ARG005
    ) -> None:
        journal.route()
        self.stages = Stages()
        echo = Echo()
        self._voice, self._language = voice, language
        self._usual = usual if mouth is None else ()
        self._playback = Playback(media.speaker, moves)
        self._listening = Listening(media.microphone, echo, self._playback.played, changed, failed)
        self._witness = Witness(noticed, lambda: self._playback.cut)
        elsewhere = Elsewhere(partner, confided) if partner is not None else None
        self._pipeline = Pipeline(
            [
                self._listening,
                *([waking] if waking is not None else []),
                Activity(SileroVADAnalyzer(params=ACTIVITY), elsewhere),
                ears or Ears(transcriber, language),
                *([elsewhere] if elsewhere is not None else []),
                Reply(
                    respond,
                    judge,
                    aside=aside,
                    patient=patient,
                    cut=lambda: self._playback.cut,
                    sounded=self._playback.sounded,
                    language=language,
                ),
                mouth or Mouth(voice, language),
                self._playback,
                self._witness,
            ]
        )
        self._worker: PipelineWorker | None = None
        self._running: asyncio.Task[None] | None = None
        self.rehearsing: asyncio.Task[None] | None = None
        """Done when all that is usually said can be heard at once."""

    @property
    def microphone(self) -> State:
        return self._listening.state

    @property
    def speaking(self) -> bool:
        return self._playback.speaking

    def _busy(self) -> bool:
        return self._witness.busy or self.speaking

    def listen(self, *, on: bool) -> None:
        """Open or close the microphone."""
        self._listening.switch(on=on)

    async def say(self, text: str) -> None:
        """Speak, after what is being said."""
        assert self._worker is not None
        await self._worker.queue_frame(TTSSpeakFrame(text))

    async def speak(self, text: str, voice: Voice | None = None) -> str | None:
        """Speak, with another voice if one is given, until it was heard: of what was cut short, as much as was heard,
        else None. Raises NotReady when there is no loudspeaker, and what the voice raises."""
        assert self._worker is not None
        mark, told = Mark(), text
        with self._witness.awaiting(mark):
            async with aclosing((voice or self._voice).synthesize(text)) as pieces:
                async for pcm in pieces:
                    if mark.dropped:
                        break
                    await self._worker.queue_frame(SentenceFrame(pcm, SAMPLE_RATE_HZ, 1, text=told))
                    told = ""
            await self._worker.queue_frame(mark)
            await mark.passed.wait()
            while self.speaking and not mark.dropped:  # noqa: ASYNC110 -- it has no event for this
                await asyncio.sleep(SPOKEN_AGAIN_S)
        if self._playback.trouble:
            raise NotReady(f"there is no loudspeaker: {self._playback.trouble}")
        return (self._playback.cut or "") if mark.dropped else None

    def taping(self) -> AbstractContextManager[bytearray]:
        """What the microphone hears for the time of a `with`."""
        return self._witness.taping()

    async def hush(self) -> None:
        """Be silent now."""
        assert self._worker is not None
        await self._worker.queue_frame(InterruptionFrame())

    async def __aenter__(self) -> Self:
        ready = asyncio.Event()
        self._worker = PipelineWorker(
            self._pipeline,
            params=PipelineParams(audio_in_sample_rate=SAMPLE_RATE_HZ, audio_out_sample_rate=SERVICE_RATE_HZ),
            observers=[self.stages],
            idle_timeout_secs=None,
            enable_rtvi=False,
            enable_turn_tracking=False,
        )

        async def started(*_: object) -> None:
            ready.set()

        self._worker.add_event_handler("on_pipeline_started", started)
        runner = self._runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self._worker)
        self._running = asyncio.create_task(runner.run(), name="conversation")
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([waiting, self._running], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._running.done():
            await self._running
        self.rehearsing = asyncio.create_task(
            rehearse(self._voice, self._usual, self._language, self._busy), name="rehearsal"
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._running is not None
        if self.rehearsing is not None:
            await ended(self.rehearsing)
        await self._runner.cancel()
        with suppress(asyncio.CancelledError):
            await self._running
