"""Sentences of an answer, each in the mood that it was given."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from pipecat.frames.frames import Frame, LLMFullResponseEndFrame, LLMFullResponseStartFrame, TTSSpeakFrame
from pipecat.tests.utils import run_test

from reachy_mind.speech.frames import ReplyTextFrame, SentenceFrame
from reachy_mind.speech.moods import NEUTRAL, Mood
from reachy_mind.speech.tts import TextToSpeech


class Moody:
    """A voice whose sound is the text and the mood."""

    name, languages, has_moods = "moody", ("en",), True

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        yield f"{mood.name}: {text}".encode().ljust(80)

    async def warm(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


async def spoken(*frames: Frame) -> list[str]:
    down, _ = await run_test(TextToSpeech(Moody()), frames_to_send=frames)
    return [frame.audio.decode().strip() for frame in down if isinstance(frame, SentenceFrame)]


async def test_each_sentence_is_said_in_its_mood() -> None:
    begin, end = LLMFullResponseStartFrame(), LLMFullResponseEndFrame()
    first = [begin, ReplyTextFrame("I see. That is"), ReplyTextFrame(" not so good."), end]
    second = [
        LLMFullResponseStartFrame(),
        ReplyTextFrame("Look, now I am"),
        ReplyTextFrame("Sad and slow. ", mood="sad"),
    ]
    third = [ReplyTextFrame("And done.", mood="sad"), LLMFullResponseEndFrame(), TTSSpeakFrame("Hello.")]
    assert await spoken(*first, *second, *third) == [
        "neutral: I see.",
        "neutral: That is not so good.",
        "neutral: Look, now I am",
        "sad: Sad and slow.",
        "sad: And done.",
        "sad: Hello.",
    ]
