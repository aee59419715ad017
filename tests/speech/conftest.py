"""Real ears and voices; those that have to be pulled first are skipped where they were not (`make test-models`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from reachy_mind.models.store import Store
from reachy_mind.speech import espeak, flite, kokoro, moonshine, piper, wake_word_model, whisper
from reachy_mind.speech.transcriber import HostedTranscriber
from reachy_mind.speech.voices import Voice
from tests.conftest import MODELS

STORE = Store(MODELS)
needs_flite = pytest.mark.skipif(not flite.available(), reason="needs the program flite: make setup")
needs_espeak = pytest.mark.skipif(not espeak.available(), reason="needs the program espeak-ng")
needs_piper = pytest.mark.skipif(not piper.available(STORE), reason="needs the asset piper-voice: make test-models")
needs_kokoro = pytest.mark.skipif(not kokoro.available(STORE), reason="needs the asset kokoro-voice: make test-models")
needs_base = pytest.mark.skipif(
    not STORE.is_ready(moonshine.ASSET), reason="needs the asset moonshine-base: make setup"
)
needs_whisper = pytest.mark.skipif(
    not whisper.available(STORE), reason="needs faster-whisper and the asset whisper-base: make test-models"
)
needs_wake_words = pytest.mark.skipif(
    not wake_word_model.available(STORE), reason="needs the asset wake-words: make test-models"
)


async def said(voice: Voice, text: str) -> bytes:
    return b"".join([piece async for piece in voice.synthesize(text)])


@pytest.fixture(scope="session")
def clips() -> dict[str, bytes]:
    """Sentences spoken by flite, by their text."""
    texts = (
        "Yes.",
        "No.",
        "What is the weather in Lisbon tomorrow?",
        "Play the happy dance, please.",
        "Yes, go ahead.",
    )
    voice = flite.voice("rms")

    async def speak() -> dict[str, bytes]:
        return {text: await said(voice, text) for text in texts}

    return asyncio.run(speak())


@pytest.fixture
async def ears() -> AsyncIterator[HostedTranscriber]:
    made = moonshine.transcriber(STORE, "tiny")
    yield made
    await made.aclose()


@pytest.fixture(params=["tiny", pytest.param("base", marks=needs_base)])
async def ears_of_each_size(request) -> AsyncIterator[HostedTranscriber]:
    made = moonshine.transcriber(STORE, request.param)
    yield made
    await made.aclose()
