"""`SoundcardMicrophone`: a microphone of this machine.

PortAudio's thread calls back with each block; the callback only puts it into the buffer.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Self

from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES, SAMPLE_RATE_HZ
from reachy_mind.body.media.microphone_buffer import BLOCKS_PER_S, MicrophoneBuffer
from reachy_mind.body.media.soundcard import LATENCY_S, Card, Resampler, running
from reachy_mind.errors import NotReady


class SoundcardMicrophone:
    """Use as `async with`, then `async for`. `lease` is entered before the device opens and left after it is closed.

    `wanted`: numbers or parts of names; the first match is used. `rate_hz`, `channels`: what to try first: a sound
    server that is asked for one channel of two averages them. `processed`: see `ChannelMixer`.
    """

    def __init__(
        self,
        wanted: Sequence[str] = ("",),
        *,
        rate_hz: int = SAMPLE_RATE_HZ,
        channels: int = 2,
        processed: bool = False,
        lease: AbstractAsyncContextManager[object] | None = None,
    ) -> None:
        self._wanted, self._rate_hz, self._channels = wanted, rate_hz, channels
        self._processed = processed
        self._lease = lease or contextlib.nullcontext()
        self._stack = contextlib.AsyncExitStack()
        self._buffer: MicrophoneBuffer | None = None
        self._card = Card(-1, "", SAMPLE_RATE_HZ, 1)
        self.lost = 0
        self.position = 0

    @property
    def device(self) -> str:
        return str(self._card)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises LinkLost when the device is lost."""
        buffer = self._buffer
        if buffer is None:
            raise NotReady("the microphone is not open", hint="use it within `async with`")
        resampler = Resampler(self._card.rate, SAMPLE_RATE_HZ)
        mixed = self._mixer()
        heard = bytearray()
        while True:
            missed, block = await buffer.take()
            skipped = missed * SAMPLE_RATE_HZ // self._card.rate
            self.lost += skipped
            self.position += skipped
            heard += resampler.feed(mixed(block))
            while len(heard) >= BLOCK_BYTES:
                piece = bytes(heard[:BLOCK_BYTES])
                del heard[:BLOCK_BYTES]
                self.position += BLOCK_SAMPLES
                yield piece

    def _mixer(self) -> Callable[[bytes], bytes]:
        """Makes one channel of what the device gives."""
        if self._card.channels == 1:
            return lambda block: block
        from reachy_mind.body import wav  # noqa: PLC0415 -- most devices have one channel
        from reachy_mind.body.channels import ChannelMixer  # noqa: PLC0415

        mixer = ChannelMixer(self._card.channels, self._card.rate, processed=self._processed)
        return lambda block: wav.to_pcm(mixer.mixed(wav.from_pcm(block).reshape(-1, self._card.channels)))

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(self._lease)
            self._buffer = buffer = MicrophoneBuffer("microphone")
            self.lost = self.position = 0

            def on_block(data: Any, frames: int, _: Any, status: Any) -> None:
                # PortAudio does not say how many samples were lost: at least a block.
                buffer.put(bytes(data), frames, missed=frames if status.input_overflow else 0)

            def open_stream(portaudio: Any, card: Card) -> Any:
                self._card = card
                return portaudio.RawInputStream(
                    device=card.number,
                    samplerate=card.rate,
                    channels=card.channels,
                    dtype="int16",
                    blocksize=card.rate // BLOCKS_PER_S,
                    latency=LATENCY_S,
                    callback=on_block,
                    finished_callback=lambda: buffer.end("the device stopped"),
                )

            await stack.enter_async_context(running(self._wanted, "input", self._rate_hz, open_stream, self._channels))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        self._buffer = None
