"""Speech and transcriptions for programs of the OpenAI API, with OpenAI's own client."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import soundfile
from openai import AsyncOpenAI, BadRequestError

from reachy_mind.body import wav
from tests.fakes.people import said

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

TEXT = "What is the weather in Lisbon tomorrow?"


@pytest.mark.parametrize("kind", ["wav", "pcm", "mp3", "flac", "opus"])
async def test_speech_in_each_format_is_understood(client: AsyncOpenAI, kind: Any) -> None:
    spoken = await client.audio.speech.create(model="tts-1", voice="alloy", input=TEXT, response_format=kind)
    content = spoken.content
    if kind == "pcm":
        out = io.BytesIO()
        soundfile.write(out, np.frombuffer(content, "<i2"), 24000, format="WAV")
        content = out.getvalue()
    heard = await client.audio.transcriptions.create(model="whisper-1", file=(f"speech.{kind}", content))
    assert "weather in Lisbon" in heard.text


async def test_speech_comes_while_it_is_made(client: AsyncOpenAI) -> None:
    pieces = []
    async with client.audio.speech.with_streaming_response.create(
        model="tts-1", voice="cedar", input=f"{TEXT} And the day after?", response_format="wav"
    ) as spoken:
        async for piece in spoken.iter_bytes():
            pieces.append(piece)
    assert len(pieces) > 2 and pieces[0].startswith(b"RIFF")
    assert 2 < len(wav.read_pcm(b"".join(pieces))) / 32000 < 10


async def test_speech_is_faster_when_asked(client: AsyncOpenAI) -> None:
    lengths = []
    for speed in (1.0, 2.0):
        spoken = await client.audio.speech.create(
            model="tts-1", voice="alloy", input=TEXT, response_format="pcm", speed=speed
        )
        lengths.append(len(spoken.content))
    assert lengths[1] < 0.7 * lengths[0]


async def test_forms_of_a_transcription(client: AsyncOpenAI) -> None:
    file = ("speech.wav", wav.write(await said(TEXT)))
    verbose: Any = await client.audio.transcriptions.create(
        model="whisper-1", file=file, response_format="verbose_json", language="en"
    )
    assert verbose.language == "en" and verbose.segments[0].text == verbose.text and 1 < verbose.duration < 6
    for form, part in (("text", "weather"), ("srt", "1\n00:00:00,000 --> "), ("vtt", "WEBVTT\n\n00:00:00.000 --> ")):
        told: Any = await client.audio.transcriptions.create(model="x", file=file, response_format=form)  # type: ignore[call-overload]
        assert part in told, form
    events = await client.audio.transcriptions.create(model="gpt-4o-transcribe", file=file, stream=True)
    assert "weather" in [event async for event in events][-1].text  # type: ignore[union-attr]


async def test_what_is_no_sound_and_what_can_not_be_made(client: AsyncOpenAI) -> None:
    with pytest.raises(BadRequestError, match="no sound") as raised:
        await client.audio.transcriptions.create(model="whisper-1", file=("a.wav", b"not a sound"))
    assert raised.value.type == "invalid_request_error"
    with pytest.raises(BadRequestError, match="wav, pcm, mp3, flac, opus"):
        await client.audio.speech.create(model="tts-1", voice="alloy", input="hello", response_format="aac")
    with pytest.raises(BadRequestError, match="input"):
        await client.audio.speech.create(model="tts-1", voice="alloy", input="")
    with pytest.raises(BadRequestError, match="language"):
        await client.audio.transcriptions.create(
            model="whisper-1", file=("a.wav", wav.write(await said("hello"))), language="tlh"
        )
