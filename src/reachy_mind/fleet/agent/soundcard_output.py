"""`SoundcardOutput`: a sound card of this machine that asks the mixer for each block, in PortAudio's thread."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Sequence
from typing import Any, Self

from reachy_mind.body.media import BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.body.media.soundcard import LATENCY_S, Card, Resampler, running
from reachy_mind.fleet.agent.mixer import Mixer


class SoundcardOutput:
    """Use as `async with`. `lost` is set when the card is gone. Raises NotReady, MissingExtra.

    `wanted`: numbers or parts of names. `rate_hz`: the sample rate to try first.
    """

    def __init__(self, mixer: Mixer, wanted: Sequence[str] = ("",), rate_hz: int = SAMPLE_RATE_HZ) -> None:
        self._mixer, self._wanted, self._rate_hz = mixer, wanted, rate_hz
        self._stack = contextlib.AsyncExitStack()
        self._card = Card(-1, "", SAMPLE_RATE_HZ, 1)
        self._resampler = Resampler(SAMPLE_RATE_HZ, SAMPLE_RATE_HZ)
        self._rendered = bytearray()
        self.lost = asyncio.Event()

    @property
    def device(self) -> str:
        return str(self._card)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()

        def stopped() -> None:
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(self.lost.set)

        def open_stream(portaudio: Any, card: Card) -> Any:
            self._card, self._resampler = card, Resampler(SAMPLE_RATE_HZ, card.rate)
            return portaudio.RawOutputStream(
                device=card.number,
                samplerate=card.rate,
                channels=card.channels,
                dtype="int16",
                blocksize=card.rate * BLOCK_SAMPLES // SAMPLE_RATE_HZ,
                latency=LATENCY_S,
                callback=self._play,
                finished_callback=stopped,
            )

        await self._stack.enter_async_context(running(self._wanted, "output", self._rate_hz, open_stream))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def _play(self, out: Any, frames: int, times: Any, _: Any) -> None:
        """Called in PortAudio's thread."""
        leaves = time.monotonic() + max(0.0, times.outputBufferDacTime - times.currentTime)
        leaves += len(self._rendered) / 2 / self._card.rate
        while len(self._rendered) < 2 * frames:
            missing = frames - len(self._rendered) // 2
            samples = math.ceil(missing * SAMPLE_RATE_HZ / self._card.rate)
            self._rendered += self._resampler.feed(self._mixer.render(leaves, samples))
            leaves += samples / SAMPLE_RATE_HZ
        pcm = bytes(self._rendered[: 2 * frames])
        del self._rendered[: 2 * frames]
        if self._card.channels > 1:
            import numpy as np  # noqa: PLC0415

            pcm = np.repeat(np.frombuffer(pcm, np.int16), self._card.channels).tobytes()
        out[:] = pcm
