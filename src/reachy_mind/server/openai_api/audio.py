"""`/v1/audio/speech` and `/v1/audio/transcriptions`: the mind's voice and ears for clients of the OpenAI API."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Response, UploadFile
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.access.error_body import COMPATIBLE, error_body
from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.mind import Mind
from reachy_mind.server.openai_api import sound_encoding
from reachy_mind.speech import sound_files
from reachy_mind.speech.transcriber import LONGEST_S, Transcript
from reachy_mind.speech.voices import Voice

LONGEST_TEXT = 5000
SLOWEST, FASTEST = 0.5, 2.0
TextFormat = Literal["json", "text", "verbose_json", "srt", "vtt"]
EVENT_STREAM = "text/event-stream"


class NamedVoice(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = Field(max_length=100)


class SpeechRequest(BaseModel):
    """What clients of the OpenAI API send; other fields are ignored, `instructions` too."""

    model_config = ConfigDict(extra="ignore")

    input: str = Field(min_length=1, max_length=LONGEST_TEXT)
    voice: Annotated[str, Field(max_length=100)] | NamedVoice = ""
    response_format: str = Field("mp3", max_length=20)
    speed: float = Field(1.0, ge=0.25, le=4.0)
    stream_format: Literal["audio", "sse"] = "audio"


def router(mind: Mind) -> APIRouter:
    routes = APIRouter(prefix="/v1/audio", include_in_schema=False)

    @routes.post("/speech")
    async def speech(wanted: SpeechRequest) -> Response:
        kind = sound_encoding.require_known(wanted.response_format)
        sound = _sound(mind, wanted, kind)
        try:
            first = await anext(sound)  # what fails, fails before the response has begun
        except StopAsyncIteration:
            first = b""
        if wanted.stream_format == "sse":
            return StreamingResponse(_speech_events(first, sound), media_type=EVENT_STREAM)
        return StreamingResponse(_bytes(first, sound), media_type=sound_encoding.KINDS[kind])

    @routes.post("/transcriptions", response_model=None)
    async def transcriptions(
        file: UploadFile,
        response_format: Annotated[TextFormat, Form()] = "json",
        language: Annotated[str, Form(max_length=8, pattern="^[a-z]*$")] = "",
        stream: Annotated[bool, Form()] = False,
    ) -> Response | StreamingResponse:
        heard = await _heard(mind, await file.read(), language)
        if stream:
            return StreamingResponse(_transcript_events(heard), media_type=EVENT_STREAM)
        match response_format:
            case "json":
                usage = {"type": "duration", "seconds": round(heard.seconds, 3)}
                return JSONResponse({"text": heard.text, "usage": usage})
            case "verbose_json":
                return JSONResponse(_verbose(heard))
            case "text":
                return PlainTextResponse(f"{heard.text}\n")
            case _:
                return PlainTextResponse(_subtitles(heard, response_format))

    return routes


# Speech


async def _sound(mind: Mind, wanted: SpeechRequest, kind: str) -> AsyncGenerator[bytes, None]:
    """The sound of a text, in pieces where the format allows it. Raises MindError."""
    name = wanted.voice if isinstance(wanted.voice, str) else wanted.voice.id
    pace = min(max(wanted.speed, SLOWEST), FASTEST)
    speed = None if wanted.speed == 1.0 else pace
    async with mind.speech.speaking_as(name, speed) as voice:
        if not sound_encoding.is_streamed(kind):
            pcm = b"".join([piece async for piece in voice.synthesize(wanted.input)])
            yield await asyncio.to_thread(sound_encoding.encode, pcm, kind)
            return
        if kind == "wav":
            yield sound_encoding.endless_wav_header()
        async for piece in _resampled(voice, wanted.input):
            yield piece


async def _resampled(voice: Voice, text: str) -> AsyncGenerator[bytes, None]:
    resampler = sound_encoding.upsampler()
    async with contextlib.aclosing(voice.synthesize(text)) as pieces:
        async for pcm in pieces:
            if made := resampler.feed(pcm):
                yield made
    yield resampler.end()


async def _bytes(first: bytes, sound: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with contextlib.aclosing(sound):
        yield first
        async for piece in sound:
            yield piece


async def _speech_events(first: bytes, sound: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    try:
        async with contextlib.aclosing(_bytes(first, sound)) as pieces:
            async for piece in pieces:
                yield _event({"type": "speech.audio.delta", "audio": base64.b64encode(piece).decode()})
    except MindError as error:
        yield _event({"type": "error"} | error_body(error, 503, COMPATIBLE))
        return
    usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    yield _event({"type": "speech.audio.done", "usage": usage})


def _event(content: dict[str, Any]) -> str:
    return f"data: {json.dumps(content)}\n\n"


# Transcription


async def _heard(mind: Mind, content: bytes, language: str) -> Transcript:
    """Raises InvalidParameter for what is no sound, NotReady without speech to text."""
    if not sound_files.is_sound_file(content):
        raise InvalidParameter("the file is no sound that can be read here", hint=sound_files.HINT)
    ears = mind.speech.ears()
    pcm = await asyncio.to_thread(sound_files.read_pcm, content, LONGEST_S)
    return await ears.transcribe(pcm, language=language or mind.configuration.settings.speech.language, rated=True)


def _verbose(heard: Transcript) -> dict[str, Any]:
    segment = {"id": 0, "seek": 0, "start": 0.0, "end": round(heard.seconds, 3), "text": heard.text, "tokens": []}
    segment |= {"temperature": 0.0, "avg_logprob": 0.0, "compression_ratio": 1.0, "no_speech_prob": 0.0}
    return {
        "task": "transcribe",
        "language": heard.language,
        "duration": round(heard.seconds, 3),
        "text": heard.text,
        "segments": [segment] if heard.text else [],
        "confidence": heard.confidence,
    }


def _subtitles(heard: Transcript, form: str) -> str:
    """One subtitle with all of it: the ears don't tell when each word was said."""
    mark = "," if form == "srt" else "."
    cue = f"{_clock(0.0, mark)} --> {_clock(heard.seconds, mark)}\n{heard.text}\n"
    if form == "srt":
        return f"1\n{cue}\n" if heard.text else ""
    return f"WEBVTT\n\n{cue}\n" if heard.text else "WEBVTT\n"


def _clock(seconds: float, mark: str) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}{mark}{rest % 1000:03}"


async def _transcript_events(heard: Transcript) -> AsyncGenerator[str, None]:
    yield _event({"type": "transcript.text.delta", "delta": heard.text})
    yield _event({"type": "transcript.text.done", "text": heard.text})
