"""`NullSpeaker`: a sound card without hardware. It keeps real time, and sleeps while there is nothing to play.

With a `capture` it writes what leaves it, silence too, into a WAV file, and when the first sample left into a file of
the same name with `.json` behind it. So sounds of several processes on one machine can be compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import struct
import time
from pathlib import Path
from typing import Final, Self

from reachy_mind import log
from reachy_mind.body.media import BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import NotReady
from reachy_mind.fleet.agent.mixer import Mixer
from reachy_mind.storage.files import make_folder
from reachy_mind.system.open_files import write_at

MAX_LATE_S: Final = 0.25
"""A card has a buffer; one that gets its samples later than this has played silence instead."""
LEAD_S: Final = 0.2
"""It is awake so long before a sound that has a time."""
HEADER_BYTES: Final = 44

_log = log.get(__name__)


class NullSpeaker:
    """Use as `async with`. Raises NotReady when the capture can't be written."""

    def __init__(self, mixer: Mixer, capture: Path | None = None) -> None:
        self._mixer, self._capture = mixer, capture
        self._handle: int | None = None
        self._wake, self.lost = asyncio.Event(), asyncio.Event()
        self._began = 0.0
        self._position = 0
        """Samples that have left it."""
        self.gaps = 0
        """How often it had to play silence because its samples came late."""
        self._task: asyncio.Task[None] | None = None

    @property
    def device(self) -> str:
        return f"a sound card without hardware, captured in {self._capture}" if self._capture else "no hardware"

    async def __aenter__(self) -> Self:
        self._began, self._position = time.monotonic(), 0
        if self._capture is not None:
            try:
                self._handle = await asyncio.to_thread(self._open, self._capture)
            except OSError as error:
                raise NotReady(
                    f"{self._capture} can't be written: {error.strerror}", hint="device.sound_capture"
                ) from error
        self._mixer.on_change = self._wake.set
        self._wake.set()  # for what was asked for before
        self._task = asyncio.create_task(self._run(), name="null speaker")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._mixer.on_change = lambda: None
        if self._task is not None:
            await cancel_and_wait(self._task)
        self._pass_silence()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            next_at = self._mixer.next_at()
            if next_at is None or next_at > time.monotonic() + LEAD_S:
                pause = None if next_at is None else next_at - time.monotonic() - LEAD_S / 2
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._wake.wait()
                self._pass_silence()
                continue
            late = time.monotonic() - self._time_of(self._position)
            if late < 0:
                await asyncio.sleep(-late)
            elif late > MAX_LATE_S:
                self.gaps += 1
                _log.warning("the sound had a gap: this machine is too busy", seconds=round(late, 2))
                self._pass_silence()
            self._render()

    def _time_of(self, position: int) -> float:
        return self._began + position / SAMPLE_RATE_HZ

    def _pass_silence(self) -> None:
        """What has left until now without anything to play was silence."""
        position = int((time.monotonic() - self._began) * SAMPLE_RATE_HZ)
        if position > self._position:
            self._position = position
            self._write(b"")

    def _render(self) -> None:
        pcm = self._mixer.render(self._time_of(self._position), BLOCK_SAMPLES)
        self._write(pcm)
        self._position += BLOCK_SAMPLES

    def _open(self, capture: Path) -> int:
        make_folder(capture.parent)
        handle = os.open(capture, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        write_at(handle, _header(0), 0)
        about = {"began_monotonic": self._began, "rate": SAMPLE_RATE_HZ}
        capture.with_name(capture.name + ".json").write_text(json.dumps(about), encoding="utf-8")
        return handle

    def _write(self, pcm: bytes) -> None:
        """Into the page cache, which does not block; what is skipped reads as zeros. The file is whole at any time."""
        if self._handle is None:
            return
        end = self._position * 2 + len(pcm)
        write_at(self._handle, pcm, HEADER_BYTES + self._position * 2)
        os.ftruncate(self._handle, HEADER_BYTES + end)
        write_at(self._handle, _header(end), 0)


def _header(data_bytes: int) -> bytes:
    """Of a WAV file of 16 bits, mono."""
    rate, total = SAMPLE_RATE_HZ, min(data_bytes, 0xFFFFFFFF - 36)
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + total, b"WAVE", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16, b"data", total
    )
