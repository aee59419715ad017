"""Sockets for sound, under `/sim/v1/audio`: the microphone and the loudspeaker, and streams into the room.

PCM is 16 kHz, 16 bits little-endian, mono, in binary frames. Everything else is JSON in text frames.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect

from reachy_mind.body import protocol
from reachy_mind.errors import InvalidParameter, MindError, NotReady
from reachy_mind.sim import wav
from reachy_mind.sim.audio import Placement, described
from reachy_mind.sim.people import People
from reachy_mind.sim.playback import Live
from reachy_mind.sim.room import RATE_HZ
from reachy_mind.sim.sound import Sound

STREAM_AHEAD = RATE_HZ
"""A stream into the room is read no further ahead than this; the sender waits."""
SPEAKER_AHEAD = 30 * RATE_HZ
"""More than this for the loudspeaker is refused: it must be read at once, since a flush may be behind it."""


def stream_routes(sound: Sound, people: People) -> APIRouter:
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
    async def stream(socket: WebSocket, wish: Annotated[Placement, Query()]) -> None:
        """PCM in, heard at a place. What was sent is heard to its end when the sender goes."""
        await socket.accept()
        live = Live()
        try:
            source = wish.put(live, sound, people)
        except MindError as error:
            await _complain(socket, error)
            await socket.close(1008, error.message[:100])
            return
        try:
            await socket.send_json({"type": "start", **described(source)})

            async def take(pcm: bytes) -> None:
                if live.ended:
                    raise NotReady("this sound was removed from the room", hint="open another stream")
                live.feed(wav.from_pcm(pcm))
                while live.queued > STREAM_AHEAD:
                    await live.moved()

            await _read(socket, take, lambda: None)
        finally:
            live.end()

    @router.websocket("/speaker")
    async def speaker(socket: WebSocket) -> None:
        """PCM in, played by the robot; the position out. What is queued is forgotten when the player goes."""
        await socket.accept()
        voice = Live()
        sound.voices.append(voice)
        reporting = asyncio.create_task(_report(socket, voice), name="speaker position")

        async def take(pcm: bytes) -> None:
            samples = wav.from_pcm(pcm)
            if voice.queued + len(samples) > SPEAKER_AHEAD:
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
    """Everything that comes until the other side goes: PCM to `take`, a wish to flush to `flush`."""
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
                raise InvalidParameter("a text frame that means nothing here", hint="PCM goes into binary frames")
        except MindError as error:
            await _complain(socket, error)


def _kind(text: str) -> object:
    try:
        message = json.loads(text)
    except ValueError:
        return None
    return message.get("type") if isinstance(message, dict) else None


async def _report(socket: WebSocket, voice: Live) -> None:
    """Where the playback is, whenever it has moved; one that does not read gets the newest later."""
    while True:
        await voice.moved()
        await _send(socket, {"type": "position", "played": voice.played, "queued": voice.queued})


async def _send(socket: WebSocket, message: dict[str, object]) -> None:
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it has gone, as the next read will say
        await socket.send_json(message)


async def _complain(socket: WebSocket, error: MindError) -> None:
    await _send(socket, {"type": "error", **error.as_dict()})
