"""`SpeechPipeline`: a spoken conversation from the microphone to the loudspeaker, for the time of an `async with`.

    microphone -> echo cancellation -> gain control -> VAD, prosody -> speech to text -> turn-taking -> answer
        -> text to speech -> loudspeaker

It knows no brain: a `SpeechDelegate` is given what was heard and yields what to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, aclosing, suppress
from dataclasses import dataclass
from typing import Self

from pipecat.frames.frames import InterruptionFrame, TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.workers.runner import WorkerRunner

from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import NotReady
from reachy_mind.speech import pipecat_log
from reachy_mind.speech.delegate import MicrophoneState, SpeechDelegate
from reachy_mind.speech.echo import Echo
from reachy_mind.speech.frames import SentenceFrame, WrittenTurn
from reachy_mind.speech.gain_control import GainControl
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.keyword_listener import KeywordListener
from reachy_mind.speech.keyword_model import STOP_PHRASES, KeywordDetector
from reachy_mind.speech.latency import LatencyStages
from reachy_mind.speech.microphone_input import MicrophoneInput
from reachy_mind.speech.pipeline_observer import PipelineObserver, PlaybackMark
from reachy_mind.speech.prosody import ProsodyListener
from reachy_mind.speech.remote_ears import RemoteEars
from reachy_mind.speech.remote_listener import RemoteListener
from reachy_mind.speech.responder import Responder
from reachy_mind.speech.speaker_output import SpeakerOutput
from reachy_mind.speech.stt import SpeechToText
from reachy_mind.speech.transcriber import Transcriber
from reachy_mind.speech.tts import TextToSpeech
from reachy_mind.speech.vad import VoiceActivity
from reachy_mind.speech.voice_cache import CachedVoice, fill_cache
from reachy_mind.speech.voices import Voice

SERVICE_RATE_HZ = 24000
"""The rate that services are asked for, since some know no other; the loudspeaker plays at ours."""
PLAYBACK_POLL_S = 0.02


@dataclass(frozen=True)
class SpeechOptions:
    """The parts of a pipeline that not every conversation has."""

    language: str = "en"
    gain_control: bool = True
    """Whether a quiet voice is made louder."""
    stt_service: FrameProcessor | None = None
    """A pipecat service instead of the local speech to text."""
    tts_service: FrameProcessor | None = None
    """A pipecat service instead of the local voice."""
    wake_word: FrameProcessor | None = None
    keywords: KeywordDetector | None = None
    """What recognises the keywords of the delegate."""
    keyword_threshold: float | None = None
    """Sureness from which on a stop word counts; without, see `speech.keyword_decision`."""
    remote_listener: RemoteListener | None = None
    """A server that hears instead of the local VAD and speech to text, while it is connected."""
    frequent_phrases: Sequence[str] = ()
    """Synthesized ahead of time, in this order."""


class SpeechPipeline:
    def __init__(
        self,
        media: Media,
        transcriber: Transcriber,
        voice: CachedVoice,
        delegate: SpeechDelegate,
        options: SpeechOptions | None = None,
    ) -> None:
        pipecat_log.route()
        options = options or SpeechOptions()
        self.stages = LatencyStages()
        self._voice, self._language = voice, options.language
        self._frequent_phrases = options.frequent_phrases if options.tts_service is None else ()
        self._speaker = SpeakerOutput(media.speaker, delegate.motion_sync, media.ahead_s)
        gain = GainControl() if options.gain_control else None
        self._microphone = MicrophoneInput(media.microphone, Echo(), self._speaker.played, delegate, gain)
        self._observer = PipelineObserver(delegate.observed, lambda: self._speaker.interrupted_at)
        listener = options.remote_listener
        remote = RemoteEars(listener, lambda: delegate.awake) if listener is not None else None
        parts: list[FrameProcessor | None] = [
            self._microphone,
            options.wake_word,
            VoiceActivity(remote),
            ProsodyListener(),
            _keyword_listener(options, delegate),
            options.stt_service or SpeechToText(transcriber, delegate, options.language),
            remote,
            Responder(delegate, self._speaker, options.language),
            options.tts_service or TextToSpeech(voice, options.language),
            self._speaker,
            self._observer,
        ]
        self._pipeline = Pipeline([part for part in parts if part is not None])
        self._worker: PipelineWorker | None = None
        self._running: asyncio.Task[None] | None = None
        self.filling_cache: asyncio.Task[None] | None = None
        """Done when the sound of every frequent phrase is cached."""

    @property
    def microphone(self) -> MicrophoneState:
        return self._microphone.state

    @property
    def lost_s(self) -> float:
        """Seconds of sound that the microphone lost since it was opened."""
        return self._microphone.lost_s

    @property
    def speaking(self) -> bool:
        return self._speaker.speaking

    def _busy(self) -> bool:
        return self._observer.busy or self.speaking

    def listen(self, *, on: bool) -> None:
        """Open or close the microphone."""
        self._microphone.switch(on=on)

    async def say(self, text: str) -> None:
        """Speak, after what is being said."""
        assert self._worker is not None
        await self._worker.queue_frame(TTSSpeakFrame(text))

    async def take(self, heard: Heard) -> None:
        """Answer a turn aloud that was not said aloud; an answer that is under way is dropped."""
        assert self._worker is not None
        await self._worker.queue_frame(WrittenTurn(heard))

    async def speak(self, text: str, voice: Voice | None = None) -> str | None:
        """Speak, with another voice if one is given, and wait until it was played. Returns the words that were heard if
        it was interrupted, else None. Raises NotReady when there is no loudspeaker, and what the voice raises."""
        assert self._worker is not None
        mark, words = PlaybackMark(), text
        with self._observer.awaiting(mark):
            async with aclosing((voice or self._voice).synthesize(text)) as pieces:
                async for pcm in pieces:
                    if mark.dropped:
                        break
                    await self._worker.queue_frame(SentenceFrame(pcm, SAMPLE_RATE_HZ, 1, text=words))
                    words = ""
            await self._worker.queue_frame(mark)
            await mark.passed.wait()
            while self.speaking and not mark.dropped:  # noqa: ASYNC110 -- it has no event for this
                await asyncio.sleep(PLAYBACK_POLL_S)
        if self._speaker.failure:
            raise NotReady(f"there is no loudspeaker: {self._speaker.failure}")
        return (self._speaker.interrupted_at or "") if mark.dropped else None

    def recording(self) -> AbstractContextManager[bytearray]:
        """What the microphone hears for the time of a `with`."""
        return self._observer.recording()

    async def interrupt(self) -> None:
        """Stop speaking now, and give up the answer."""
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
        self._running = asyncio.create_task(runner.run(), name="speech pipeline")
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([waiting, self._running], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._running.done():
            await self._running
        self.filling_cache = asyncio.create_task(
            fill_cache(self._voice, self._frequent_phrases, self._language, self._busy), name="voice cache"
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._running is not None
        if self.filling_cache is not None:
            await cancel_and_wait(self.filling_cache)
        await self._runner.cancel()
        with suppress(asyncio.CancelledError):
            await self._running


def _keyword_listener(options: SpeechOptions, delegate: SpeechDelegate) -> KeywordListener | None:
    detector = options.keywords
    if detector is None:
        return None
    own = options.keyword_threshold
    return KeywordListener(detector, delegate, {} if own is None else dict.fromkeys(STOP_PHRASES, own))
