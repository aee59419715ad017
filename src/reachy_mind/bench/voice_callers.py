"""Devices that talk with a control plane for a benchmark: each asks a question now and then and times the answer."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import NotReady
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.simulated_device import DeviceCredentials
from reachy_mind.fleet.protocol.audio import MICROPHONE, SPEAKER, AudioFlags, AudioFrame
from reachy_mind.fleet.protocol.frame import decode, encode, new_frame
from reachy_mind.fleet.protocol.limits import SUBPROTOCOL
from reachy_mind.speech import audio_format, flite

QUESTIONS: Final = (
    "What time is it?",
    "Tell me a joke.",
    "What is seven times eight?",
    "How are you today?",
    "What can you do?",
    "What day is it today?",
)
SPEAKERS: Final = ("rms", "slt", "awb")
BLOCK_S: Final = 0.06
BLOCK: Final = 2 * round(BLOCK_S * SAMPLE_RATE_HZ)
PERIOD_S: Final = 10.0
"""Between the beginnings of two questions."""
ANSWER_TIMEOUT_S: Final = 6.0
REPORT_S: Final = 0.2
OPEN_TIMEOUT_S: Final = 30.0
STREAM: Final = 1


@dataclass(frozen=True)
class SpokenQuestion:
    """`voiced`: samples up to the end of the voice."""

    text: str
    pcm: bytes
    voiced: int


async def spoken_questions() -> list[SpokenQuestion]:
    """The questions in several voices."""
    made = []
    for speaker in SPEAKERS:
        voice = flite.voice(speaker)
        for text in QUESTIONS:
            pcm = b"".join([piece async for piece in voice.synthesize(text)])
            made.append(SpokenQuestion(text, pcm, _voiced(pcm)))
    return made


def _voiced(pcm: bytes) -> int:
    """Samples up to the last that is loud."""
    samples = audio_format.to_floats(pcm)
    loud = abs(samples) > 0.02
    return int(loud.nonzero()[0][-1]) + 1 if loud.any() else len(samples)


@dataclass
class CallTally:
    """What the devices noted. Times are seconds from the end of the voice to the first sound of the answer."""

    first_sound_s: list[float] = field(default_factory=list)
    unanswered: int = 0
    ended: list[str] = field(default_factory=list)
    """Why sessions ended or were refused."""


class TalkingCaller:
    """One device with an open session. It speaks in real time and is silent in between, as an open microphone is."""

    def __init__(self, socket: ClientConnection, questions: Sequence[SpokenQuestion], tally: CallTally) -> None:
        self._socket, self._questions, self._tally = socket, questions, tally
        self._answered: asyncio.Future[float] | None = None
        self._heard = False
        self._flush = self._came = 0
        self._began = 0.0
        self._chunk = 0

    async def run(self, begin_after_s: float) -> None:
        tasks = [asyncio.create_task(work) for work in (self._read(), self._report())]
        try:
            await self._speak(begin_after_s)
        except ConnectionClosed:
            self._tally.ended.append("the connection was closed")
        finally:
            for task in tasks:
                with contextlib.suppress(ConnectionClosed):
                    await cancel_and_wait(task)

    async def _speak(self, begin_after_s: float) -> None:
        clock = time.monotonic()
        sent = 0
        next_at = clock + begin_after_s
        pcm, position, voiced_at = b"", 0, 0.0
        while True:
            now = time.monotonic()
            if position >= len(pcm) and now >= next_at:
                question = random.choice(self._questions)  # noqa: S311 -- a load, no secret
                pcm, position = question.pcm, 0
                voiced_at = clock + sent * BLOCK_S + question.voiced / SAMPLE_RATE_HZ
                self._ask(voiced_at)
                next_at = now + PERIOD_S
            block = pcm[position : position + BLOCK].ljust(BLOCK, b"\0")
            position += BLOCK
            frame = AudioFrame(MICROPHONE, AudioFlags(0), STREAM, self._chunk, 0, block)
            self._chunk += 1
            await self._socket.send(frame.encode())
            sent += 1
            await asyncio.sleep(max(0.0, clock + sent * BLOCK_S - time.monotonic()))

    def _ask(self, voiced_at: float) -> None:
        """A question begins whose voice will end at this time."""
        if self._answered is not None and not self._answered.done():
            self._answered.cancel()
            self._tally.unanswered += 1
        self._heard = False
        self._answered = asyncio.get_running_loop().create_future()
        self._answered.add_done_callback(lambda done: self._note(done, voiced_at))

    def _note(self, answered: asyncio.Future[float], voiced_at: float) -> None:
        if not answered.cancelled():
            self._tally.first_sound_s.append(answered.result() - voiced_at)

    async def _read(self) -> None:
        async for message in self._socket:
            if isinstance(message, bytes):
                frame = AudioFrame.decode(message)
                if frame.kind == SPEAKER:
                    self._take(len(frame.samples) // 2)
                continue
            said = decode(message)
            match said.type:
                case "voice.heard":
                    self._heard = True
                case "voice.flush":
                    self._flush, self._came = int(said.p["number"]), 0
                case "voice.ended":
                    self._tally.ended.append(str(said.p["reason"]))

    def _take(self, samples: int) -> None:
        if self._came == 0:
            self._began = time.monotonic()
        self._came += samples
        if self._heard and self._answered is not None and not self._answered.done():
            self._answered.set_result(time.monotonic())

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(REPORT_S)
            if self._came:
                played = min(self._came, round((time.monotonic() - self._began) * SAMPLE_RATE_HZ))
                report = {"stream": STREAM, "samples": played, "flush": self._flush}
                await self._socket.send(encode(new_frame("voice.played", report)))


@contextlib.asynccontextmanager
async def caller(
    address: HubAddress, device: DeviceCredentials, questions: Sequence[SpokenQuestion], tally: CallTally
) -> AsyncIterator[TalkingCaller]:
    """A device with an open session. Raises NotReady when it is refused."""
    async with connect(
        address.socket_url(),
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        additional_headers={"Authorization": f"Bearer {device.token}"},
        compression=None,
        proxy=None,
    ) as socket:
        hello = {"device": device.id, "boot": "bench", "epoch": f"bench-{device.id}"}
        await socket.send(encode(new_frame("hello", hello)))
        await _until(socket, "welcome")
        await socket.send(encode(new_frame("voice.open", {"stream": STREAM, "language": "en"})))
        answer = await _until(socket, "voice.opened", "voice.refused")
        if answer["type"] == "voice.refused":
            raise NotReady(f"a session was refused: {answer['reason']}", hint=str(answer.get("hint", "")))
        yield TalkingCaller(socket, questions, tally)


async def _until(socket: ClientConnection, *types: str) -> dict[str, Any]:
    """What the next message of these types says, with its type."""
    async with asyncio.timeout(OPEN_TIMEOUT_S):
        while True:
            message = await socket.recv()
            if isinstance(message, str) and (frame := decode(message)).type in types:
                return {"type": frame.type, **frame.p}
