"""`Announcer`: what the device says by itself, with the voice of this machine.

The sound of fixed phrases is rendered once and kept on disk and in memory, so that they are heard at once, also without
a network, and also when the voice does not work any more. The voice's programs are only loaded when something is new.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, Final, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady, TimedOut
from reachy_mind.fleet.agent.chimes import Chime, chime
from reachy_mind.fleet.agent.mixer import SoundKind
from reachy_mind.fleet.agent.phrases import Phrase, fixed_phrases, phrase_text
from reachy_mind.fleet.agent.sound import SoundOutput
from reachy_mind.storage.files import write_atomically

MAX_TEXT_CHARS: Final = 4000
MAX_SPEECH_BYTES: Final = 16 << 20
"""Eight minutes."""
RENDER_TIMEOUT_S: Final = 60.0

_log = log.get(__name__)


class Announcer:
    """Use as `async with`. `on_said` is called when it says something."""

    def __init__(
        self,
        configuration: Configuration,
        sound: SoundOutput,
        folder: Path,
        on_said: Callable[[], None] = lambda: None,
    ) -> None:
        self._configuration, self._sound, self._folder, self._on_said = configuration, sound, folder, on_said
        self.language = configuration.settings.speech.language
        self.emergency_text = configuration.settings.device.emergency_text
        self.said = ""
        """The latest text that it said, or should have."""
        self._voice: Any = None
        self._rendering = asyncio.Lock()
        self._kept: dict[str, bytes] = {}
        """The sound of fixed phrases by their text."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._kept = await asyncio.to_thread(self._read_all)
        self._begin(self._render_missing(), "render phrases")
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            await cancel_and_wait(task)
        if self._voice is not None:
            await self._voice.aclose()

    @property
    def name(self) -> str:
        """Which voice it is: the same text sounds the same as long as it is."""
        speech = self._configuration.settings.speech
        return f"{speech.voice} {self.language} {speech.speed:g}"

    def text_of(self, phrase: Phrase, **names: str) -> str:
        """What is said."""
        if phrase == "emergency" and self.emergency_text:
            return self.emergency_text
        return phrase_text(phrase, self.language, **names)

    async def say(self, phrase: Phrase, *, kind: SoundKind = "speech", **names: str) -> bool:
        """Say a phrase, and return when it was said. False when it could not be: then a chime was heard."""
        return await self.say_text(self.text_of(phrase, **names), kind=kind)

    async def say_text(self, text: str, *, kind: SoundKind = "speech") -> bool:
        """Say a text, and return when it was said. False when it could not be: then a chime was heard."""
        self.said = text
        self._on_said()
        try:
            pcm = await self.speech(text, self.language)
        except MindError as error:
            _log.warning("it can't be said", text=text[:80], reason=error.message, hint=error.hint)
            await self._sound.play(chime("error"), kind=kind)
            return False
        await self._sound.play(pcm, kind=kind)
        return True

    def say_later(self, text: str, *, kind: SoundKind = "speech") -> None:
        """Say a text without waiting for it."""

        async def say() -> None:
            await self.say_text(text, kind=kind)

        self._begin(say(), "announcement")

    def play_later(self, name: Chime, *, kind: SoundKind = "chime") -> None:
        """Play a chime without waiting for it."""
        self._begin(self._sound.play(chime(name), kind=kind), "chime")

    def is_kept(self, text: str) -> bool:
        """Whether it can be said at once."""
        return text in self._kept

    async def speech(self, text: str, language: str) -> bytes:
        """The sound of a text, in the voice of this machine. Raises NotReady without a voice, TimedOut, WorkerError."""
        kept = self._kept.get(text)
        if kept is not None:
            return kept
        pcm = bytearray()
        async with self._rendering:
            voice = await self._loaded()
            if language not in voice.languages:
                _log.warning("the voice does not know this language", language=language, voice=voice.name)
            try:
                async with (
                    asyncio.timeout(RENDER_TIMEOUT_S),
                    aclosing(voice.synthesize(text[:MAX_TEXT_CHARS])) as pieces,
                ):
                    async for piece in pieces:
                        pcm += piece
                        if len(pcm) > MAX_SPEECH_BYTES:
                            break
            except TimeoutError:
                raise TimedOut(f"the voice took longer than {RENDER_TIMEOUT_S:g} s") from None
        return bytes(pcm)

    async def set_language(self, language: str, emergency_text: str) -> None:
        """Speak another language, or another sentence in an emergency."""
        if (language, emergency_text) == (self.language, self.emergency_text):
            return
        changed = language != self.language
        self.language, self.emergency_text = language, emergency_text
        if changed and self._voice is not None:
            async with self._rendering:
                before, self._voice = self._voice, None
            await before.aclose()
        self._kept = await asyncio.to_thread(self._read_all)
        self._begin(self._render_missing(), "render phrases")

    async def _loaded(self) -> Any:
        if self._voice is None:
            self._voice = await asyncio.to_thread(self._load, self.language)
        return self._voice

    def _load(self, language: str) -> Any:
        from reachy_mind.speech import engines  # noqa: PLC0415 -- half a second, and only for what was never said

        configuration = self._configuration
        speech = configuration.settings.speech.model_copy(update={"language": language})
        settings = configuration.settings.model_copy(update={"speech": speech})
        spoken = type(configuration)(settings, configuration.home, configuration.origins, configuration.file)
        return engines.required(engines.mouth(spoken), "voice")

    async def _render_missing(self) -> None:
        for text in self._fixed():
            if text in self._kept:
                continue
            try:
                pcm = await self.speech(text, self.language)
                self._kept[text] = pcm
                await asyncio.to_thread(write_atomically, self._file(text), pcm)
            except (MindError, OSError) as error:
                reason = error.message if isinstance(error, MindError) else str(error)
                _log.warning("what the device says by itself can't be prepared", reason=reason)
                return

    def _fixed(self) -> list[str]:
        return [self.text_of("emergency"), *fixed_phrases(self.language).values()]

    def _read_all(self) -> dict[str, bytes]:
        found = {}
        for text in self._fixed():
            with contextlib.suppress(OSError):
                found[text] = self._file(text).read_bytes()
        return found

    def _file(self, text: str) -> Path:
        digest = hashlib.sha256("\n".join((self.name, text)).encode()).hexdigest()
        return self._folder / f"{digest}.pcm"

    def _begin(self, work: Any, name: str) -> None:
        async def guarded() -> None:
            try:
                await work
            except NotReady as error:
                _log.warning("it can't be heard", reason=error.message)

        task = asyncio.create_task(guarded(), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
