"""Voice routes: state, speech to text, text to speech, the microphone's switch, and the voice socket.

The socket `ws/voice` is a spoken conversation through the client's microphone and loudspeaker: sound in binary frames
both ways (16 kHz, 16 bits little-endian, mono), and JSON in text frames; see `voice_socket`.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, WebSocket
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.access.authorization import principal_of
from reachy_mind.body import wav
from reachy_mind.conversation.wire import alternative_fields
from reachy_mind.errors import InvalidParameter
from reachy_mind.mind import Mind
from reachy_mind.server.voice_socket import VoiceCalls
from reachy_mind.speech import sound_files
from reachy_mind.speech.moods import MOODS
from reachy_mind.speech.transcriber import LONGEST_S
from reachy_mind.speech.voice_list import SAMPLE, listed_voices
from reachy_mind.tools.context import Caller

Offset = Annotated[int, Query(ge=0, le=1 << 40)]
Limit = Annotated[int, Query(ge=1, le=500)]

LONGEST_TEXT, LONGEST_SAMPLE = 5000, 300
RAW = ("audio/l16", "audio/pcm", "audio/raw", "audio/x-raw")
FILES = ("audio/wav", "audio/ogg", "audio/mpeg", "audio/flac", "audio/l16")
SOUND = {
    "requestBody": {
        "required": True,
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FILES},
    }
}
WAV: dict[int | str, dict[str, Any]] = {
    200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}, "description": "The sound"}
}


class SpokenText(BaseModel):
    """What to say, and how."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)
    voice: str = Field("", max_length=100)
    speed: float | None = Field(None, ge=0.5, le=2)


class VoiceSample(BaseModel):
    """A voice of an engine, and what to say with it."""

    model_config = ConfigDict(extra="forbid")

    engine: str = Field(max_length=100)
    voice: str = Field(max_length=100)
    text: str = Field(SAMPLE, min_length=1, max_length=LONGEST_SAMPLE)
    mood: str = Field("", max_length=20)


class Switch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    enabled: bool


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/api/v1")
    calls = VoiceCalls(mind)

    @routes.get("/voice")
    async def voice() -> dict[str, Any]:
        """Whether one can talk with the robot, and why not; its microphone, speech to text and voice."""
        return mind.speech.described()

    @routes.post("/voice/stt", openapi_extra=SOUND)
    async def transcribe(
        request: Request, language: Annotated[str, Query(max_length=8, pattern="^[a-z]*$")] = ""
    ) -> dict[str, Any]:
        """What is said in a sound file (WAV, Ogg, MP3, FLAC), or in raw PCM of 16 kHz, 16 bits, one channel: the body
        of the request. `confidence` is from 0 to 1; `alternatives`: what it may have been, the likeliest first."""
        body = await request.body()
        ears = mind.speech.ears()
        is_file = sound_files.is_sound_file(body) and not _says_raw(request)
        pcm = await asyncio.to_thread(sound_files.read_pcm, body, LONGEST_S) if is_file else _raw(request, body)
        language = language or mind.configuration.settings.speech.language
        heard = await ears.transcribe(pcm, language=language, rated=True)
        return {
            "transcription": heard.text,
            "confidence": heard.confidence,
            "alternatives": alternative_fields(heard.alternatives),
            "duration": round(heard.seconds, 3),
            "language": heard.language,
            "took_ms": round(heard.took_ms, 1),
        }

    @routes.post("/voice/tts", response_class=Response, responses=WAV)
    async def synthesize(said: SpokenText) -> Response:
        """A text as a WAV file of 16 kHz, 16 bits, one channel; without words in it, one without sound."""
        async with (
            mind.speech.speaking_as(said.voice, said.speed) as mouth,
            aclosing(mouth.synthesize(said.text)) as pieces,
        ):
            pcm = b"".join([piece async for piece in pieces])
        return Response(wav.write(pcm), media_type="audio/wav", headers={"X-Voice": mouth.name})

    @routes.get("/voice/voices")
    async def voices(offset: Offset = 0, limit: Limit = 200) -> dict[str, Any]:
        """Every voice by name: its engine and licence, whether it is on this machine, and how to get it.

        `voice_name` is the usual voice as it was chosen, `personality` one that the personality in use names itself.
        """
        in_use = mind.speech.voice_in_use()
        found = await asyncio.to_thread(listed_voices, mind.configuration, in_use)
        speech = mind.configuration.settings.speech
        return {
            "voices": [each.as_dict() for each in found[offset : offset + limit]],
            "total": len(found),
            "in_use": in_use,
            "voice": speech.voice,
            "voice_name": speech.voice_name,
            "personality": mind.profile.voice,
            "moods": list(MOODS),
        }

    @routes.post("/voice/sample", response_class=Response, responses=WAV)
    async def sample(asked: VoiceSample) -> Response:
        """A short text in a voice, to choose one by ear: a WAV file of 16 kHz, 16 bits, one channel."""
        pcm = await mind.speech.samples.sample(asked.engine, asked.voice, asked.text, asked.mood)
        return Response(wav.write(pcm), media_type="audio/wav", headers={"X-Voice": f"{asked.engine} {asked.voice}"})

    @routes.post("/voice/microphone")
    async def microphone(switch: Switch) -> dict[str, Any]:
        """Switch the robot's microphone; off, it is closed."""
        await mind.act("perception.set_microphone", {"enabled": switch.enabled}, Caller("person", "rest"))
        return mind.speech.described()

    @routes.websocket("/ws/voice")
    async def voice_socket(
        websocket: WebSocket, session_id: Annotated[str | None, Query(max_length=64)] = None
    ) -> None:
        principal = principal_of(websocket.scope)
        await calls.take(websocket, session_id, confirms=principal.may("confirm"), scopes=principal.scopes)

    return routes


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _says_raw(request: Request) -> bool:
    """PCM may begin like any file: what the caller says of it counts."""
    return _kind(request) in RAW


def _raw(request: Request, body: bytes) -> bytes:
    """Raw PCM. Raises InvalidParameter for another content type, and for what can't be PCM."""
    if _kind(request) not in ("", "application/octet-stream", *RAW):
        raise InvalidParameter(f"{_kind(request)} is no sound that can be read here", hint=sound_files.HINT)
    if not body:
        raise InvalidParameter("there is no sound", hint=sound_files.HINT)
    if len(body) % wav.SAMPLE_BYTES:
        raise InvalidParameter(f"{len(body)} bytes are no whole number of 16-bit samples", hint=sound_files.HINT)
    return body
