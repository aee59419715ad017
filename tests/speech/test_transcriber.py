"""Ears of installed packages, which need not know all that ours do."""

from __future__ import annotations

from typing import Any

from reachy_mind.speech.transcriber import PackagedTranscriber, Transcript


class Plain:
    """As docs/extending.md shows it."""

    name, languages = "plain", ("en",)

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}
        self.calls: list[str] = []

    async def transcribe(self, pcm: bytes, *, language: str = "") -> Transcript:
        self.given = {"language": language}
        return Transcript("hello", "en", len(pcm) / 32000, 0.0)

    async def warm(self) -> None:
        self.calls.append("warm")

    async def aclose(self) -> None:
        self.calls.append("aclose")


class Knowing(Plain):
    async def transcribe(self, pcm: bytes, **given: Any) -> Transcript:
        self.given = given
        return Transcript("hello", "en", len(pcm) / 32000, 0.0)


async def test_they_are_given_what_they_take():
    plain, knowing = Plain(), Knowing()
    for ears in (plain, knowing):
        packaged = PackagedTranscriber(ears)
        heard = await packaged.transcribe(bytes(64000), language="en", rated=True, words=("Ada",))
        assert (heard.text, heard.seconds, heard.confidence, heard.alternatives) == ("hello", 2.0, None, ())
        await packaged.warm()
        await packaged.aclose()
        assert ears.calls == ["warm", "aclose"] and (packaged.name, packaged.languages) == ("plain", ("en",))
    assert plain.given == {"language": "en"}
    assert knowing.given == {"language": "en", "rated": True, "words": ("Ada",)}
