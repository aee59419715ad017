"""`Witness`: stands at the end of the pipeline and tells others what happens in it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

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

from reachy_mind.speech.frames import Transcribed

ANSWERED_S = 2.0
"""After so long the first words of an answer have been made."""


@dataclass(frozen=True)
class Noticed:
    """`hearing`: a person's turn began; `words`: all of it so far; `silent`: it ended. `speaking` and `spoken` are the
    robot's own, `cut` one that was cut short: `text` is what was heard of it."""

    what: Literal["hearing", "words", "silent", "speaking", "spoken", "cut"]
    text: str = ""


@dataclass
class Mark(ControlFrame):
    """Put behind other frames; `passed` when they have been played or are being, or were `dropped`."""

    passed: asyncio.Event = field(default_factory=asyncio.Event)
    dropped: bool = False


class Witness(FrameProcessor):
    """`cut` tells what was heard of the last answer, if it was cut short."""

    def __init__(self, noticed: Callable[[Noticed], None], cut: Callable[[], str | None]) -> None:
        super().__init__(name="witness")
        self._noticed, self._cut = noticed, cut
        self._free_at = 0.0
        self._marks: dict[int, Mark] = {}
        self._tapes: list[bytearray] = []

    @property
    def busy(self) -> bool:
        """Whether somebody speaks, or did just now and waits for an answer."""
        return time.monotonic() < self._free_at

    @contextmanager
    def awaiting(self, mark: Mark) -> Iterator[None]:
        self._marks[mark.id] = mark
        try:
            yield
        finally:
            del self._marks[mark.id]

    @contextmanager
    def taping(self) -> Iterator[bytearray]:
        """What the microphone hears meanwhile, without the robot's own voice."""
        tape = bytearray()
        self._tapes.append(tape)
        try:
            yield tape
        finally:
            self._tapes = [other for other in self._tapes if other is not tape]

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
                for tape in self._tapes:
                    tape.extend(frame.audio)
            case UserStartedSpeakingFrame():
                self._free_at = math.inf
                self._noticed(Noticed("hearing"))
            case UserStoppedSpeakingFrame():
                self._free_at = time.monotonic() + ANSWERED_S
                self._noticed(Noticed("silent"))
            case Transcribed():
                self._noticed(Noticed("words", frame.text))
            case BotStartedSpeakingFrame():
                self._noticed(Noticed("speaking"))
            case BotStoppedSpeakingFrame():
                cut = self._cut()
                self._noticed(Noticed("spoken") if cut is None else Noticed("cut", cut))
            case InterruptionFrame():
                self._drop()
            case Mark():
                frame.passed.set()
        await self.push_frame(frame, direction)
