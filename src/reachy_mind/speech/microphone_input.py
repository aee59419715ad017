"""`MicrophoneInput`: the microphone as the source of the pipeline, with echo cancellation and gain control.

A lost microphone is opened again, with backoff; a microphone that is switched off is closed. As the first part of the
pipeline it also receives the error frames of all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from pipecat.frames.frames import CancelFrame, EndFrame, ErrorFrame, Frame, InputAudioRawFrame, StartFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

from reachy_mind import log
from reachy_mind.body.media import BLOCK_BYTES, SAMPLE_RATE_HZ, Microphone
from reachy_mind.errors import MindError
from reachy_mind.speech.delegate import MicrophoneState, SpeechDelegate
from reachy_mind.speech.echo import Echo, Played
from reachy_mind.speech.gain_control import GainControl

FIRST_RETRY_S, LONGEST_RETRY_S = 0.2, 5.0
CLOSING_SILENCE_BLOCKS = 30
"""Pushed after a microphone was lost or closed, so that the turn of a person who was speaking ends."""

_log = log.get(__name__)


class MicrophoneInput(FrameProcessor):
    """`played` is what the loudspeaker plays now. `delegate` gets the microphone's state, and every error. Without
    `gain` the level stays as it is."""

    def __init__(
        self,
        open_microphone: Callable[[], Microphone],
        echo: Echo,
        played: Callable[[], Played | None],
        delegate: SpeechDelegate,
        gain: GainControl | None = None,
    ) -> None:
        super().__init__(name="microphone")
        self._open, self._echo, self._played, self._delegate = open_microphone, echo, played, delegate
        self._gain = gain
        self._wanted = asyncio.Event()
        self._wanted.set()
        self._reading: asyncio.Task[None] | None = None
        self._source: asyncio.Task[None] | None = None
        self.state: MicrophoneState = "off"
        self.lost_s = 0.0
        """Seconds of sound that the microphone lost since it was opened."""

    def switch(self, *, on: bool) -> None:
        """Open or close the microphone: off closes the device."""
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
            self._delegate.failed(frame.error)
        elif isinstance(frame, EndFrame | CancelFrame) and self._source is not None:
            source, self._source = self._source, None
            await self.cancel_task(source)

    async def _keep_reading(self) -> None:
        wait = FIRST_RETRY_S
        while True:
            if not self._wanted.is_set():
                await self._push_silence()
                self._change("off", "the microphone is switched off")
                await self._wanted.wait()
            self._reading = asyncio.create_task(self._read(), name="microphone")
            try:
                await self._reading
            except MindError as error:
                if self.state == "open":
                    wait = FIRST_RETRY_S
                self._change("lost", error.message)
                await self._push_silence()
                await asyncio.sleep(wait)
                wait = min(2 * wait, LONGEST_RETRY_S)
            except asyncio.CancelledError:
                if self._wanted.is_set():  # not switched off: the pipeline ends
                    raise
            finally:
                reading, self._reading = self._reading, None
                if reading is not None and not reading.done():
                    reading.cancel()
                    with suppress(asyncio.CancelledError, MindError):
                        await reading

    async def _read(self) -> None:
        self._change("opening", "")
        async with self._open() as microphone:
            self._change("open", "")
            async for block in microphone:
                self.lost_s = microphone.lost / SAMPLE_RATE_HZ
                played = self._played()
                clean = self._echo.cleaned(block, played)
                if self._gain is not None:
                    clean = self._gain.levelled(clean, own_voice=played is not None)
                for begin in range(0, len(clean), BLOCK_BYTES):
                    await self.push_frame(InputAudioRawFrame(clean[begin : begin + BLOCK_BYTES], SAMPLE_RATE_HZ, 1))

    async def _push_silence(self) -> None:
        for _ in range(CLOSING_SILENCE_BLOCKS):
            await self.push_frame(InputAudioRawFrame(bytes(BLOCK_BYTES), SAMPLE_RATE_HZ, 1))

    def _change(self, state: MicrophoneState, reason: str) -> None:
        if state != self.state:
            self.state = state
            log_it = _log.warning if state == "lost" else _log.debug
            log_it("microphone", state=state, reason=reason)
            self._delegate.microphone_changed(state, reason)
