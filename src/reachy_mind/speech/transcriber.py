"""Speech to text: the protocol `Transcriber`, and one whose model runs in a worker process.

transcriber = moonshine.transcriber(store)
await transcriber.warm()
heard = await transcriber.transcribe(pcm)
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from reachy_mind.errors import InvalidParameter
from reachy_mind.models.worker_client import WorkerClient
from reachy_mind.speech import audio_format

LONGEST_S = 600.0
"""More than this is refused: no turn is that long, and other calls would wait for it."""
FIRST_TIMEOUT_S, TIMEOUT_PER_SECOND_S, LONGEST_TIMEOUT_S = 30.0, 5.0, 300.0
"""Of a call: some time, and more for each second of sound. A process that hangs is ended much sooner."""
WARM_UP = bytes(audio_format.RATE * audio_format.WIDTH)


@dataclass(frozen=True)
class Alternative:
    """One way to understand a sound. `confidence` is from 0 to 1, the mean of its tokens; `score` the log-probability
    of all of it, with what expected words add: the difference of two scores says how much likelier one is."""

    text: str
    confidence: float
    score: float = 0.0


@dataclass(frozen=True)
class Transcript:
    """What was said; `text` is empty without speech. `seconds` is the length of the sound."""

    text: str
    language: str
    seconds: float
    took_ms: float
    confidence: float | None = None
    """From 0 to 1, when it was asked for."""
    alternatives: tuple[Alternative, ...] = ()
    """What it may have been, the likeliest first, when it was asked for: one of them where the hearing leaves no doubt,
    none without speech, or where the model can't tell."""


class Transcriber(Protocol):
    """Sound in (16 kHz, 16-bit little-endian, one channel), text out.

    Silence, noise and garbage are no error: their text is empty. One call runs at a time, others wait. A cancelled call
    costs only some processor time.
    """

    @property
    def name(self) -> str: ...

    @property
    def languages(self) -> tuple[str, ...]: ...

    async def transcribe(
        self, pcm: bytes, *, language: str = "", rated: bool = False, words: Sequence[str] = ()
    ) -> Transcript:
        """`language` is a code such as "en"; none lets the model find out, where it can (whisper then takes half as
        long again). `rated`: with the confidence and the alternatives. `words`: those to expect, such as names of
        people; they are preferred where the sound leaves a doubt.

        Raises InvalidParameter for an odd number of bytes, for more than ten minutes and for a language that is not one
        of `languages`, and WorkerError when the model's process died (the next call starts another)."""
        ...

    async def warm(self) -> None:
        """Load the model and run it once, so that the first real call is quick."""
        ...

    async def aclose(self) -> None: ...


class HostedTranscriber:
    """A transcriber whose `factory` ("module:callable") runs in a worker process and has
    `transcribe(pcm, language, words) -> (alternatives, language)`: what may have been said, best first."""

    def __init__(
        self, name: str, languages: tuple[str, ...], factory: str, arguments: dict[str, object], hint: str = ""
    ) -> None:
        self.name, self.languages = name, languages
        self.engine = WorkerClient(f"ears {name}", factory, arguments, hint)

    async def transcribe(
        self, pcm: bytes, *, language: str = "", rated: bool = False, words: Sequence[str] = ()
    ) -> Transcript:
        length = self._check(pcm, language)
        began = time.perf_counter()
        timeout_s = min(FIRST_TIMEOUT_S + TIMEOUT_PER_SECOND_S * length, LONGEST_TIMEOUT_S)
        heard = await self.engine.call("transcribe", bytes(pcm), language, tuple(words), timeout=timeout_s)
        alternatives: tuple[Alternative, ...]
        alternatives, found = heard
        text, confidence = (alternatives[0].text, alternatives[0].confidence) if alternatives else ("", 0.0)
        transcript = Transcript(text, found, length, (time.perf_counter() - began) * 1000)
        return replace(transcript, confidence=confidence, alternatives=alternatives) if rated else transcript

    async def warm(self) -> None:
        await self.engine.call("warm", WARM_UP, timeout=LONGEST_TIMEOUT_S)

    async def aclose(self) -> None:
        await self.engine.aclose()

    def _check(self, pcm: bytes, language: str) -> float:
        if len(pcm) % audio_format.WIDTH:
            raise InvalidParameter(f"{len(pcm)} bytes are no whole number of 16-bit samples")
        length = audio_format.seconds(pcm)
        if length > LONGEST_S:
            raise InvalidParameter(
                f"{length:.0f} s of sound are more than the {LONGEST_S:.0f} s that are transcribed at once",
                hint="cut it at a pause and transcribe the pieces",
            )
        if language and language not in self.languages:
            raise InvalidParameter(
                f"{self.name} does not understand the language {language!r}",
                hint=f"it knows: {', '.join(self.languages)}; whisper knows more (speech.ears: whisper)",
            )
        return length


class PackagedTranscriber:
    """A transcriber of an installed package, which need not know `rated` and `words`: it is given what it takes."""

    def __init__(self, packaged: Transcriber) -> None:
        self._packaged = packaged
        self.name, self.languages = packaged.name, packaged.languages
        takes = inspect.signature(packaged.transcribe).parameters.values()
        self._takes = {each.name for each in takes}
        self._takes_all = any(each.kind is each.VAR_KEYWORD for each in takes)

    async def transcribe(
        self, pcm: bytes, *, language: str = "", rated: bool = False, words: Sequence[str] = ()
    ) -> Transcript:
        given: dict[str, Any] = {"language": language, "rated": rated, "words": words}
        known = {name: value for name, value in given.items() if self._takes_all or name in self._takes}
        return await self._packaged.transcribe(pcm, **known)

    async def warm(self) -> None:
        await self._packaged.warm()

    async def aclose(self) -> None:
        await self._packaged.aclose()
