"""Audio WebSockets of the simulator, `/sim/v1/audio`: microphone, loudspeaker, and streams into the room.

PCM is 16 kHz, 16 bits little-endian, mono, in binary frames. Everything else is JSON in text frames.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect

from reachy_mind.body import protocol, wav
from reachy_mind.body.wav import RATE_HZ
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.sim.audio import Placement, describe
from reachy_mind.sim.people import SimulatedPeople
from reachy_mind.sim.playback import LiveSound
from reachy_mind.sim.sound_mixer import SoundMixer

MAX_STREAM_QUEUE = RATE_HZ
"""Samples queued from a stream into the room; beyond that the sender waits (backpressure)."""
MAX_SPEAKER_QUEUE = 30 * RATE_HZ
"""Samples queued for the loudspeaker; more are refused. No backpressure here, because a flush must get through."""


def stream_routes(sound: SoundMixer, people: SimulatedPeople) -> APIRouter:
    router = APIRouter(prefix=protocol.SIM_AUDIO)

    def start() -> dict[str, object]:
        return {"rate": RATE_HZ, "channels": 1, "bits": 16, "sample": sound.now}

    @router.websocket("/microphone")
    async def microphone(socket: WebSocket) -> None:
        await sound.microphone.serve(socket, start)

    @router.websocket("/speaker/capture")
    async def capture(socket: WebSocket) -> None:
        await sound.speaker.serve(socket, start)

    @router.websocket("/stream")
    async def stream(socket: WebSocket, body: Annotated[Placement, Query()]) -> None:
        """PCM in, played at a place in the room. What was sent is played to its end after the sender disconnects."""
        await socket.accept()
        live = LiveSound()
        try:
            source = body.put(live, sound, people)
        except MindError as error:
            await _send_error(socket, error)
            await socket.close(1008, error.message[:100])
            return
        try:
            await socket.send_json({"type": "start", **describe(source)})

            async def take(pcm: bytes) -> None:
                if live.ended:
                    raise NotReady("this sound was removed from the room", hint="open another stream")
                live.feed(wav.from_pcm(pcm))
                while live.queued > MAX_STREAM_QUEUE:
                    await live.progressed()

            await _read(socket, take, lambda: None)
        finally:
            live.end()

    @router.websocket("/speaker")
    async def speaker(socket: WebSocket) -> None:
        """PCM in, played by the robot; position out. The queue is dropped when the client disconnects."""
        await socket.accept()
        voice = LiveSound()
        sound.voices.append(voice)
        reporting = asyncio.create_task(_report(socket, voice), name="speaker position")

        async def take(pcm: bytes) -> None:
            samples = wav.from_pcm(pcm)
            if voice.queued + len(samples) > MAX_SPEAKER_QUEUE:
                raise InvalidParameter(
                    f"{voice.queued / RATE_HZ:.0f} s are queued already: these samples are not played",
                    hint="wait for `position` before sending more",
                )
            voice.feed(samples)

        try:
            await _read(socket, take, lambda: {"type": "flushed", "dropped": voice.flush(), "played": voice.played})
        finally:
            sound.voices.remove(voice)
            reporting.cancel()
            await asyncio.gather(reporting, return_exceptions=True)

    return router


async def _read(
    socket: WebSocket, take: Callable[[bytes], Awaitable[None]], flush: Callable[[], dict[str, object] | None]
) -> None:
    """Read frames until the client disconnects: PCM goes to `take`, a flush message to `flush`."""
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        try:
            if frame.get("bytes") is not None:
                await take(frame["bytes"])
            elif _kind(frame["text"]) == "flush" and (done := flush()) is not None:
                await _send(socket, done)
            else:
                raise InvalidParameter("unknown text frame", hint="PCM goes into binary frames")
        except MindError as error:
            await _send_error(socket, error)


def _kind(text: str) -> object:
    try:
        message = json.loads(text)
    except ValueError:
        return None
    return message.get("type") if isinstance(message, dict) else None


async def _report(socket: WebSocket, voice: LiveSound) -> None:
    """Send the playback position whenever it changes; a slow client gets only the newest."""
    while True:
        await voice.progressed()
        await _send(socket, {"type": "position", "played": voice.played, "queued": voice.queued})


async def _send(socket: WebSocket, message: dict[str, object]) -> None:
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it has disconnected; the next read reports it
        await socket.send_json(message)


async def _send_error(socket: WebSocket, error: MindError) -> None:
    await _send(socket, {"type": "error", **error.as_dict()})
