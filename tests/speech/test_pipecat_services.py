"""Speech services of pipecat's, by name: the real services, against what stands for the provider."""

from __future__ import annotations

import pytest
from pipecat.frames.frames import (
    InputAudioRawFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.worker import PipelineParams
from pipecat.tests.utils import run_test

from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.speech.pipecat_services import names, service
from reachy_mind.speech.pipeline import SERVICE_RATE_HZ
from tests.fakes.openai_audio import WORDS, OpenAIAudio

KEY = {"OPENAI_API_KEY": "sk-test"}
RATES = PipelineParams(audio_in_sample_rate=SAMPLE_RATE_HZ, audio_out_sample_rate=SERVICE_RATE_HZ)


async def test_ears_that_are_a_service() -> None:
    with OpenAIAudio() as provider:
        ears = service("openai", "stt", {"base_url": f"{provider.url}/v1", "model": "whisper-1"}, KEY)
        sound = InputAudioRawFrame(b"\x01\x02" * 16000, 16000, 1)
        said = [VADUserStartedSpeakingFrame(), sound, VADUserStoppedSpeakingFrame()]
        down, _ = await run_test(ears, frames_to_send=said, pipeline_params=RATES)
    (heard,) = [frame for frame in down if isinstance(frame, TranscriptionFrame)]
    assert heard.text == WORDS and b"RIFF" in provider.heard[0] and provider.keys == {"Bearer sk-test"}


async def test_a_voice_that_is_a_service() -> None:
    with OpenAIAudio() as provider:
        voice = service("openai", "tts", {"base_url": f"{provider.url}/v1", "voice": "cedar", "model": "tts-1"}, KEY)
        down, _ = await run_test(voice, frames_to_send=[TTSSpeakFrame("Hello there.")], pipeline_params=RATES)
    sound = [frame for frame in down if isinstance(frame, TTSAudioRawFrame)]
    assert sum(len(frame.audio) / 2 / frame.sample_rate for frame in sound) == pytest.approx(1.0, rel=0.05)
    assert provider.spoken[0]["input"].strip() == "Hello there." and provider.spoken[0]["voice"] == "cedar"


def test_there_are_many() -> None:
    assert {"openai", "deepgram", "google"} <= set(names("stt"))
    assert {"openai", "elevenlabs", "cartesia"} <= set(names("tts"))


@pytest.mark.parametrize(
    ("wanted", "options", "complaint"),
    [
        ("nobody", {}, "no ears called 'nobody'"),
        ("../openai", {}, "no ears called"),
        ("openai", {"colour": 1}, "has no option colour"),
        ("openai:Nobody", {}, "has no service 'Nobody'"),
    ],
)
def test_what_is_not_there_is_said(wanted: str, options: dict[str, int], complaint: str) -> None:
    with pytest.raises(InvalidParameter, match=complaint) as caught:
        service(wanted, "stt", options, KEY)
    assert caught.value.hint


def test_a_library_and_a_key_that_are_missing() -> None:
    with pytest.raises(NotReady, match="needs a library") as caught:
        service("deepgram", "stt", {}, {})
    assert "pipecat-ai[deepgram]" in caught.value.hint
    with pytest.raises(NotReady, match="needs a key") as caught:
        service("groq", "stt", {}, {})
    assert "GROQ_API_KEY" in caught.value.hint
