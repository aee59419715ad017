"""A client of `/v1/realtime`, by OpenAI's own package, which checks every event against the package's types."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated, Any

from openai import AsyncOpenAI
from openai.types.realtime import RealtimeServerEvent
from pydantic import Field, TypeAdapter

from tests.fakes.people import said

TIMEOUT_S = 30.0
BLOCK_S = 0.02
_sent: TypeAdapter[Any] = TypeAdapter(Annotated[RealtimeServerEvent, Field(discriminator="type")])


class RealtimeClient:
    """`events` has everything that came, `sound` what is to be played, at `rate_hz`."""

    def __init__(self, connection: Any, rate_hz: int = 24000) -> None:
        self.connection, self.rate_hz = connection, rate_hz
        self.events: list[Any] = []
        self.sound = bytearray()
        self._more = asyncio.Condition()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self.connection:
            about = event.to_dict(mode="json")
            if about["type"] != "conversation.item.created":
                _sent.validate_python(about)
            if about["type"] in ("response.output_audio.delta", "response.audio.delta"):
                self.sound += base64.b64decode(about["delta"])
            async with self._more:
                self.events.append(event)
                self._more.notify_all()

    async def close(self) -> None:
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading

    async def until(self, kind: str, times: int = 1) -> Any:
        """An event of this type came so often; the last of them."""
        async with asyncio.timeout(TIMEOUT_S), self._more:
            while len(found := [event for event in self.events if event.type == kind]) < times:
                if self._reading.done():
                    self._reading.result()
                    raise AssertionError(f"it ended before {kind}: {self.kinds}")
                await self._more.wait()
        return found[times - 1]

    @property
    def kinds(self) -> list[str]:
        return [event.type for event in self.events]

    def sound_s(self) -> float:
        return len(self.sound) / 2 / self.rate_hz

    async def speak(self, text: str, voice: str = "rms", *, silence_s: float = 1.5) -> None:
        """Say it, at the pace of speech, with silence after it."""
        pcm = await said(text, voice)
        await self.send(pcm + bytes(2 * round(silence_s * 16000)), paced=True)

    async def send(self, pcm: bytes, *, paced: bool = False) -> None:
        """16 kHz PCM, at the client's rate."""
        import numpy as np
        import soxr

        samples = soxr.resample(np.frombuffer(pcm, "<i2"), 16000, self.rate_hz).astype("<i2").tobytes()
        block = 2 * round(BLOCK_S * self.rate_hz) * (1 if paced else 50)
        for at in range(0, len(samples), block):
            await self.connection.input_audio_buffer.append(audio=base64.b64encode(samples[at : at + block]).decode())
            if paced:
                await asyncio.sleep(BLOCK_S)

    async def write(self, text: str) -> None:
        """A message of the person's, and a wish for its answer."""
        content = [{"type": "input_text", "text": text}]
        await self.connection.conversation.item.create(item={"type": "message", "role": "user", "content": content})
        await self.connection.response.create()


@contextlib.asynccontextmanager
async def connected(
    place: str, rate_hz: int = 24000, *, key: str = "not-needed", **session: Any
) -> AsyncIterator[RealtimeClient]:
    """A session of this client; `session` as for `session.update`."""
    async with (
        AsyncOpenAI(base_url=f"http://{place}/v1", api_key=key) as openai,
        openai.realtime.connect(model="gpt-realtime") as connection,
    ):
        client = RealtimeClient(connection, rate_hz)
        try:
            await client.until("session.created")
            if session:
                await connection.session.update(session={"type": "realtime", **session})  # type: ignore[typeddict-item]
                await client.until("session.updated")
            yield client
        finally:
            await client.close()
