"""`Speech`: a mind's ears and mouth: which there are, why not, and the spoken conversation while one is open.

Nothing is loaded before it is used. `start` opens the conversation in the background: nobody waits for models.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Literal, Self

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.ending import ended
from reachy_mind.errors import MindError, MissingExtra, NotReady
from reachy_mind.events import VoiceChanged

if TYPE_CHECKING:
    from types import ModuleType

    from reachy_mind.mind import Mind
    from reachy_mind.speech.rehearsal import Rehearsed
    from reachy_mind.speech.transcription import Transcriber
    from reachy_mind.speech.voices import Voice
    from reachy_mind.talking import Talking

State = Literal["closed", "opening", "open"]
SLOWEST, FASTEST = 0.5, 2.0

_log = log.get(__name__)


class Speech:
    """Use as `async with`. Ears and voice are loaded once, for everybody who asks for them here."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._settings = mind.configuration.settings.speech
        self._stack = contextlib.AsyncExitStack()
        self._opening: asyncio.Task[None] | None = None
        self._ears: Transcriber | None = None
        self._voice: Rehearsed | None = None
        self._spoken_as: tuple[str, float | None] = ("", None)
        self._unwanted = False
        self.state: State = "closed"
        self.talking: Talking | None = None
        """The conversation at the robot, while it is open."""
        self.trouble: MindError = NotReady("no spoken conversation is open", hint="reachy-mind run opens one")
        """Why it is not."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._opening is not None:
            await ended(self._opening)
        self.state, self.talking = "closed", None
        await self._stack.aclose()

    # The conversation at the robot

    def start(self) -> None:
        """Open it, in the background; why it can't be is in `trouble`."""
        if self._opening is None:
            self.state = "opening"
            self._opening = asyncio.create_task(self._open(), name="speech")

    def refuse(self, reason: str, hint: str) -> None:
        """It stays closed, and so do microphone and loudspeaker."""
        self._unwanted, self.trouble = True, NotReady(reason, hint=hint)

    async def opened(self) -> None:
        """Wait until it is open, or can't be."""
        if self._opening is not None:
            await asyncio.wait([self._opening])

    async def _open(self) -> None:
        try:
            if self._mind.media.provider == "none":
                self._mind.media.microphone()  # says why there is none
            parts = (self.ears(), self.mouth())
            module = await asyncio.to_thread(conversing)
            made: Talking = module.Talking(self._mind, parts=parts, deaf=self._settings.wake == "push")
            self.talking = await self._stack.enter_async_context(made)
            self.state = "open"
        except MindError as error:
            self.state, self.trouble = "closed", error
            _log.warning("no spoken conversation", reason=error.message, hint=error.hint)
            self._mind.bus.publish(VoiceChanged(microphone="off", reason=error.message))
        except Exception as error:  # noqa: BLE001 -- the mind goes on without
            _log.exception("the spoken conversation failed")
            self.state, self.trouble = "closed", NotReady(f"speech failed: {error}", hint="see the log")

    # Parts

    def ears(self) -> Transcriber:
        """Speech to text. Raises NotReady with the reason why there is none."""
        if self._ears is None:
            from reachy_mind.speech import choice  # noqa: PLC0415

            self._ears = choice.required(choice.ears(self._mind.configuration), "ears")
            self._stack.push_async_callback(self._ears.aclose)
        return self._ears

    def mouth(self) -> Rehearsed:
        """Text to speech. Raises NotReady with the reason why there is none."""
        if self._voice is None:
            from reachy_mind.speech.rehearsal import Rehearsed  # noqa: PLC0415

            profile = self._mind.profile
            self._voice = Rehearsed(self._made(profile.voice, profile.speed))
            self._stack.push_async_callback(self._voice.aclose)
        return self._voice

    def _made(self, voice: str, pace: float | None) -> Voice:
        """A voice by the name a profile gives it, so much faster than is usual here. Raises NotReady."""
        from reachy_mind.speech import choice  # noqa: PLC0415

        speed = min(max(self._settings.speed * (pace or 1.0), SLOWEST), FASTEST)
        made = choice.required(choice.mouth(self._mind.configuration, voice, speed), "voice")
        self._spoken_as = voice, pace
        return made

    async def speak_as(self, voice: str, pace: float | None) -> None:
        """From now on, for everybody who listens; what is being said is said to its end in the old voice."""
        if self._voice is None or self._spoken_as == (voice, pace):
            return  # it is made when it is first needed
        try:
            await self._voice.become(self._made(voice, pace))
        except MindError as error:
            _log.warning("the voice stays as it is", reason=error.message)

    @contextlib.asynccontextmanager
    async def speaking_as(self, voice: str, speed: float | None) -> AsyncIterator[Voice]:
        """The usual voice, or another one for a moment. Raises NotReady."""
        if not voice and speed in (None, self._settings.speed):
            yield self.mouth()
            return
        from reachy_mind.speech import choice  # noqa: PLC0415

        named = voice or self._mind.profile.voice
        other = choice.required(choice.mouth(self._mind.configuration, named, speed), "voice")
        try:
            yield other
        finally:
            await other.aclose()

    # For tools

    async def speak(self, text: str, *, voice: str = "", speed: float | None = None) -> str | None:
        """Until it was heard; of what was cut short, as much as was heard, else None. Raises NotReady."""
        await self._wanted()
        async with self.speaking_as(voice, speed) as mouth:
            if self.talking is not None:
                return await self.talking.speak(text, mouth)
            async with self._mind.media.speaker() as speaker, contextlib.aclosing(mouth.synthesize(text)) as pieces:
                async for pcm in pieces:
                    await speaker.write(pcm)
                await speaker.drained()
        return None

    async def listen(self, seconds: float) -> str:
        """What is said in that time; empty when nothing is. Raises NotReady."""
        await self._wanted()
        if self.talking is not None:
            return await self.talking.take_down(seconds)
        ears, heard = self.ears(), bytearray()
        async with self._mind.media.microphone() as microphone:
            async for block in microphone:
                heard += block
                if len(heard) >= 2 * seconds * SAMPLE_RATE_HZ:
                    break
        return (await ears.transcribe(bytes(heard), language=self._settings.language)).text

    async def switch_microphone(self, *, on: bool) -> str:
        """The state it has then. Raises NotReady when there is none to switch on."""
        await self.opened()
        if self.talking is not None:
            return await self.talking.switch(on=on)
        if on:
            raise self.trouble
        return "off"

    async def _wanted(self) -> None:
        await self.opened()
        if self._unwanted:
            raise self.trouble

    def described(self) -> dict[str, Any]:
        """How it stands, for people and programs."""
        settings = self._settings
        told = {"state": self.state, "wake": settings.wake, "wake_word": "", "language": settings.language}
        if settings.wake == "word":
            told["wake_word"] = settings.wake_word
        if self.talking is not None:
            return told | {"available": True, "reason": "", "hint": ""} | self.talking.described()
        return told | {
            "available": False,
            "reason": "opening ears and mouth" if self.state == "opening" else self.trouble.message,
            "hint": "" if self.state == "opening" else self.trouble.hint,
            "microphone": "off",
            "doing": "",
            "speaking": False,
            "awake": False,
            "ears": self._ears.name if self._ears else "",
            "voice": self._voice.name if self._voice else "",
            "trouble": "",
            "session_id": "",
        }


def conversing() -> ModuleType:
    """The module that opens conversations: heavy, so import it in a thread. Raises MissingExtra."""
    try:
        # First of all: the library talks as soon as it is imported.
        importlib.import_module("reachy_mind.speech.journal").route()
        return importlib.import_module("reachy_mind.talking")
    except ImportError as error:
        raise MissingExtra("a spoken conversation", "speech") from error
