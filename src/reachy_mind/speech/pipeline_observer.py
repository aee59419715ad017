"""`PipelineObserver`: the last part of the speech pipeline. It reports speech events, records, and marks playback."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    ControlFrame,
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind.speech.events import ReplyInterrupted, RobotSpeech, SpeechEvent, Transcription, UserSpeech
from reachy_mind.speech.frames import Transcribed

ANSWER_EXPECTED_S = 2.0
"""The first words of an answer are synthesized within this time after a turn."""


@dataclass
class PlaybackMark(ControlFrame):
    """Queued behind other frames: `passed` when those were handed to the loudspeaker, or were `dropped`."""

    passed: asyncio.Event = field(default_factory=asyncio.Event)
    dropped: bool = False


class PipelineObserver(FrameProcessor):
    """`observed` gets each event; `interrupted_at` is what was heard of the last answer, None when all of it was."""

    def __init__(self, observed: Callable[[SpeechEvent], None], interrupted_at: Callable[[], str | None]) -> None:
        super().__init__(name="observer")
        self._observed, self._interrupted_at = observed, interrupted_at
        self._busy_until = 0.0
        self._marks: dict[int, PlaybackMark] = {}
        self._recordings: list[bytearray] = []

    @property
    def busy(self) -> bool:
        """Whether a person speaks, or spoke just now and waits for the answer."""
        return time.monotonic() < self._busy_until

    @contextmanager
    def awaiting(self, mark: PlaybackMark) -> Iterator[None]:
        self._marks[mark.id] = mark
        try:
            yield
        finally:
            del self._marks[mark.id]

    @contextmanager
    def recording(self) -> Iterator[bytearray]:
        """What the microphone hears for the time of a `with`, without the robot's own voice."""
        recording = bytearray()
        self._recordings.append(recording)
        try:
            yield recording
        finally:
            self._recordings = [other for other in self._recordings if other is not recording]

    def _drop(self) -> None:
        for mark in self._marks.values():
            mark.dropped = True
            mark.passed.set()

    async def cleanup(self) -> None:
        await super().cleanup()
        self._drop()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        match frame:
            case InputAudioRawFrame():
                for recording in self._recordings:
                    recording.extend(frame.audio)
            case UserStartedSpeakingFrame():
                self._busy_until = math.inf
                self._observed(UserSpeech(active=True))
            case UserStoppedSpeakingFrame():
                self._busy_until = time.monotonic() + ANSWER_EXPECTED_S
                self._observed(UserSpeech(active=False))
            case Transcribed() if frame.text:
                self._observed(Transcription(frame.text, confidence=frame.confidence))
            case BotStartedSpeakingFrame():
                self._observed(RobotSpeech(active=True))
            case BotStoppedSpeakingFrame():
                heard = self._interrupted_at()
                if heard is not None:
                    self._observed(ReplyInterrupted(heard))
                self._observed(RobotSpeech(active=False))
            case InterruptionFrame():
                self._drop()
            case PlaybackMark():
                frame.passed.set()
        await self.push_frame(frame, direction)
