"""`Listening`: the microphone as the source of the pipeline, cleaned of the robot's own voice.

A microphone that goes away is opened again as soon as it can be; switched off, it is closed. Being the first of the
pipeline, it also gets to know what went wrong in all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from pipecat.frames.frames import CancelFrame, EndFrame, ErrorFrame, Frame, InputAudioRawFrame, StartFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.body.media import BLOCK_BYTES, SAMPLE_RATE_HZ, Microphone
from reachy_mind.errors import MindError
from reachy_mind.speech.echo import Echo, Played

FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0
HUSH_BLOCKS = 30
"""Silence after a microphone that went or was closed: whoever was speaking has ended."""
State = Literal["off", "opening", "open", "lost"]

_log = log.get(__name__)


class Listening(FrameProcessor):
    """`played` tells what is played now; `changed` is told the state of the microphone, and why; `failed`, what went
    wrong with ears, voice or loudspeaker."""

    def __init__(
        self,
        open_microphone: Callable[[], Microphone],
        echo: Echo,
        played: Callable[[], Played | None],
        changed: Callable[[State, str], None],
        failed: Callable[[str], None],
    ) -> None:
        super().__init__(name="listening")
        self._open, self._echo, self._played = open_microphone, echo, played
        self._changed, self._failed = changed, failed
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._reading: asyncio.Task[None] | None = None
        self._source: asyncio.Task[None] | None = None
        self.state: State = "off"

    def switch(self, *, on: bool) -> None:
        """Open or close the microphone: off is really off."""
        if on:
            self._wanted.set()
            return
        self._wanted.clear()
        if self._reading is not None:
            self._reading.cancel()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame):
            self._source = self.create_task(self._keep_reading(), "microphone")
        elif isinstance(frame, ErrorFrame):
            self._failed(frame.error)
        elif isinstance(frame, EndFrame | CancelFrame) and self._source is not None:
            source, self._source = self._source, None
            await self.cancel_task(source)

    async def _keep_reading(self) -> None:
        wait = FIRST_WAIT_S
        while True:
            if not self._wanted.is_set():
                await self._end_sentence()
                self._tell("off", "the microphone is switched off")
                await self._wanted.wait()
            self._reading = asyncio.create_task(self._read(), name="microphone")
            try:
                await self._reading
            except MindError as error:
                if self.state == "open":
                    wait = FIRST_WAIT_S
                self._tell("lost", error.message)
                await self._end_sentence()
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT_S)
            except asyncio.CancelledError:
                if self._wanted.is_set():  # not switched off: it is we who are ended
                    raise
            finally:
                reading, self._reading = self._reading, None
                if reading is not None and not reading.done():
                    reading.cancel()
                    with suppress(asyncio.CancelledError, MindError):
                        await reading

    async def _read(self) -> None:
        self._tell("opening", "")
        async with self._open() as microphone:
            self._tell("open", "")
            async for block in microphone:
                clean = self._echo.cleaned(block, self._played())
                for begin in range(0, len(clean), BLOCK_BYTES):
                    await self.push_frame(InputAudioRawFrame(clean[begin : begin + BLOCK_BYTES], SAMPLE_RATE_HZ, 1))

    async def _end_sentence(self) -> None:
        for _ in range(HUSH_BLOCKS):
            await self.push_frame(InputAudioRawFrame(bytes(BLOCK_BYTES), SAMPLE_RATE_HZ, 1))

    def _tell(self, state: State, reason: str) -> None:
        if state != self.state:
            self.state = state
            log_it = _log.warning if state == "lost" else _log.debug
            log_it("microphone", state=state, reason=reason)
            self._changed(state, reason)
