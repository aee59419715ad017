"""Kokoro: 28 natural voices, once they were pulled (`reachy-mind models pull kokoro-voice`).

A network of 82 million parameters, which asks more of a machine than Piper: whether this one is quick enough is
measured once. It reads phonemes, which come from dictionaries (`pronunciation`): no other program is needed.
"""

from __future__ import annotations

import asyncio
import copy
import importlib.metadata
import importlib.util
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

from reachy_mind import log
from reachy_mind.errors import MissingExtra, NotReady, WorkerError
from reachy_mind.models import voice_names
from reachy_mind.models.speed_record import known_share
from reachy_mind.models.store import Store
from reachy_mind.models.worker_client import WorkerClient
from reachy_mind.speech.moods import NEUTRAL, Mood
from reachy_mind.speech.voices import Voice, check_libraries, synthesized, utterances

ASSET = "kokoro-voice"
RUNTIME = "onnxruntime"
LANGUAGES = ("en",)
VOICES = voice_names.VOICES["kokoro"]
TIMEOUT_S = 60.0
HINT = f"if it happens again, its files may be damaged: reachy-mind models verify {ASSET}"
WARM_UP = "Hello there."
MOST_CPU = 0.5
"""Seconds of a core for a second of sound, the most that `auto` accepts: a reply then begins within a second, and
never falls behind itself."""

logger = log.get(__name__)


def available(store: Store) -> bool:
    known = ASSET in store.catalogue
    return known and store.is_ready(ASSET) and importlib.util.find_spec(RUNTIME) is not None


def record(store: Store) -> Path:
    """The file with this machine's speed."""
    return store.folder / "measured" / f"{ASSET}.json"


def voice(store: Store, name: str = VOICES[0], speed: float = 1.0, threads: int = 1) -> KokoroVoice:
    """`name` is one of `VOICES`. Raises MissingExtra without the runtime, NotReady when it has to be pulled first."""
    check_libraries()
    if importlib.util.find_spec(RUNTIME) is None:
        raise MissingExtra("speaking with kokoro", "speech")
    if not available(store):
        raise NotReady("kokoro is not on this machine", hint=f"reachy-mind models pull {ASSET}")
    return KokoroVoice(store.path(ASSET), name, speed, threads)


def known_slow(store: Store) -> float | None:
    """Seconds of a core for a second of sound, where that was measured here and is more than `MOST_CPU`; else None."""
    if importlib.util.find_spec(RUNTIME) is None:
        return None
    takes = known_share(record(store), runtime_version())
    return takes if takes is not None and takes > MOST_CPU else None


def runtime_version() -> str:
    return f"{RUNTIME} {importlib.metadata.version(RUNTIME)}"


class KokoroVoice:
    """One voice, its network in a process of its own. A sentence that is being made when its listener leaves is
    finished for nobody, if that is soon; the next one then finds the network loaded."""

    languages, has_moods = LANGUAGES, True

    def __init__(self, folder: Path, name: str, speed: float = 1.0, threads: int = 1) -> None:
        self.name = f"kokoro {name}"
        self._speaker, self._speed = name, speed
        arguments = {"folder": str(folder), "threads": threads}
        self.engine = WorkerClient("voice kokoro", "reachy_mind.speech.kokoro_model:KokoroModel", arguments, HINT)

    def named(self, name: str) -> KokoroVoice:
        """Another voice in the same process; closing either closes both."""
        other = copy.copy(self)
        other.name, other._speaker = f"kokoro {name}", name
        return other

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        for sentence in utterances(text):
            if pcm := await self._say(sentence, mood):
                yield pcm

    async def warm(self) -> None:
        await self._say(WARM_UP, NEUTRAL)

    async def _say(self, sentence: str, mood: Mood) -> bytes:
        pcm: bytes = await self.engine.call("say", sentence, self._speaker, self._speed, mood, timeout=TIMEOUT_S)
        return pcm

    async def cpu_share(self, file: Path) -> float:
        """Seconds of a processor core for a second of sound; measured unless the file knows."""
        share: float = await self.engine.call("cpu_share", str(file), self._speaker, timeout=TIMEOUT_S)
        return share

    async def aclose(self) -> None:
        await self.engine.aclose()


class KokoroOrOther:
    """Kokoro where it can be loaded and is quick enough, else the other voice; decided when it is first used."""

    languages, has_moods = LANGUAGES, True

    def __init__(self, kokoro: KokoroVoice, file: Path, other: Callable[[], Voice], most_cpu: float = MOST_CPU) -> None:
        self._kokoro, self._file, self._other, self._most_cpu = kokoro, file, other, most_cpu
        self._voice: Voice | None = None
        self._deciding = asyncio.Lock()

    @property
    def name(self) -> str:
        return (self._voice or self._kokoro).name

    async def synthesize(self, text: str, mood: Mood = NEUTRAL) -> AsyncGenerator[bytes, None]:
        voice = await self._decided()
        async with aclosing(synthesized(voice, text, mood)) as pieces:
            async for pcm in pieces:
                yield pcm

    async def warm(self) -> None:
        voice = await self._decided()
        await voice.warm()

    async def aclose(self) -> None:
        await self._kokoro.aclose()
        if self._voice is not None:
            await self._voice.aclose()

    async def _decided(self) -> Voice:
        async with self._deciding:
            if self._voice is None:
                self._voice = await self._choose()
        return self._voice

    async def _choose(self) -> Voice:
        try:
            takes = await self._kokoro.cpu_share(self._file)
        except WorkerError as error:
            reason, hint = error.message, error.hint
        else:
            if takes <= self._most_cpu:
                return self._kokoro
            reason = f"it takes {takes:.2f} s of a core for a second of sound, more than {self._most_cpu:.2f}"
            hint = "to use it all the same: speech.voice: kokoro"
        other = self._other()
        logger.warning("another voice speaks instead of kokoro", spoken_with=other.name, reason=reason, hint=hint)
        await self._kokoro.aclose()
        return other
