"""People who speak: sentences in a synthetic voice, said to the simulated robot or kept in a file."""

from __future__ import annotations

import asyncio
import io
import wave

import httpx

from reachy_mind.body import wav
from reachy_mind.body.address import Address
from reachy_mind.speech import flite

RATE_HZ = 16_000


async def said(text: str, voice: str = "rms") -> bytes:
    """16 kHz, 16 bits, mono."""
    return b"".join([piece async for piece in flite.voice(voice).synthesize(text)])


def said_now(text: str, voice: str = "rms") -> bytes:
    return asyncio.run(said(text, voice))


def stereo(pcm: bytes, rate: int) -> bytes:
    """A WAV file with two channels at another rate, the sound as it is: it plays faster or slower."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(b"".join(pcm[at : at + 2] * 2 for at in range(0, len(pcm), 2)))
    return out.getvalue()


def length_s(data: bytes) -> float:
    with wave.open(io.BytesIO(data)) as file:
        return file.getnframes() / file.getframerate()


class Beside:
    """Somebody beside a simulated robot."""

    def __init__(self, robot: Address) -> None:
        self._audio = f"{robot.http}/sim/v1/audio"

    async def say(self, text: str, *, direction: float = 0.0, loop: bool = False) -> None:
        content = wav.write(await said(text))
        where = {"direction": direction, "distance": 0.8, "loop": loop}
        async with httpx.AsyncClient() as http:
            (await http.post(f"{self._audio}/sources", params=where, content=content)).raise_for_status()

    async def silence(self) -> None:
        """Nobody says anything any more."""
        async with httpx.AsyncClient() as http:
            (await http.delete(f"{self._audio}/sources")).raise_for_status()

    async def listeners(self) -> int:
        """How many have its microphone open."""
        async with httpx.AsyncClient() as http:
            return int((await http.get(self._audio)).json()["listeners"])

    async def heard(self, seconds: float) -> bytes:
        """The last seconds of the robot's loudspeaker, as a WAV file."""
        async with httpx.AsyncClient() as http:
            return (await http.get(f"{self._audio}/speaker.wav", params={"seconds": seconds})).content
