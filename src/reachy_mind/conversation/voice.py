"""`VoiceService`: speech of a mind: its speech to text, its voice, and the spoken conversation at the robot.

Nothing is loaded before it is used. `start` opens the conversation in the background: nothing waits for models.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.voice_samples import VoiceSamples
from reachy_mind.errors import MindError, MissingExtra, NotReady
from reachy_mind.events import VoiceChanged
from reachy_mind.models import worker
from reachy_mind.models.voice_names import is_voice

if TYPE_CHECKING:
    from reachy_mind.body.media import Media, Microphone, Speaker
    from reachy_mind.brains.active import ActiveBrain
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.events import VoiceEvent
    from reachy_mind.conversation.spoken import SpokenConversation
    from reachy_mind.conversation.turns import Turns
    from reachy_mind.events import Bus
    from reachy_mind.eyes.sight import Sight
    from reachy_mind.memory.memory import Memory
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.voice_directions import VoiceDirections
    from reachy_mind.speech.keyword_model import KeywordDetector
    from reachy_mind.speech.moods import Mood
    from reachy_mind.speech.transcriber import Transcriber
    from reachy_mind.speech.voice_cache import CachedVoice
    from reachy_mind.speech.voices import Voice
    from reachy_mind.tools.announcements import Announcements
    from reachy_mind.tools.confirmations import Confirmations
    from reachy_mind.tools.registry import Registry

State = Literal["closed", "opening", "open"]
SLOWEST, FASTEST = 0.5, 2.0

_log = log.get(__name__)


@dataclass(frozen=True)
class VoiceParts:
    """What spoken conversations need of a mind."""

    configuration: Configuration
    media: Media
    bus: Bus
    turns: Turns
    brain: ActiveBrain
    confirmations: Confirmations
    registry: Registry
    motion: Callable[[], Motion | None]
    announcements: Announcements
    sight: Sight | None = None
    """Looks at whoever speaks."""
    directions: VoiceDirections | None = None
    """Where voices come from; None without a robot."""
    memory: Memory | None = None
    """Whose names the ears expect to hear."""


class VoiceService:
    """Use as `async with`. Speech to text and voice are loaded once and shared by all conversations."""

    def __init__(self, parts: VoiceParts) -> None:
        self.parts = parts
        self._configuration = parts.configuration
        self._settings = parts.configuration.settings.speech
        self._stack = contextlib.AsyncExitStack()
        self._opening: asyncio.Task[None] | None = None
        self._ears: Transcriber | None = None
        self._voice: CachedVoice | None = None
        self._keywords: KeywordDetector | None = None
        self._voice_of: tuple[str, float | None] = ("", None)
        """The name and the pace of the voice in use, as the profile has them."""
        self._refused = False
        self._changing: asyncio.Task[None] | None = None
        self.samples = VoiceSamples(lambda: self._configuration)
        self.state: State = "closed"
        self.talking: SpokenConversation | None = None
        """The conversation at the robot, while it is open."""
        self.trouble: MindError = NotReady("no spoken conversation is open", hint="reachy-mind run opens one")
        """Why it is not open."""

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.samples)
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in (self._opening, self._changing):
            if task is not None:
                await cancel_and_wait(task)
        self.state, self.talking = "closed", None
        await self._stack.aclose()

    # Conversations

    def start(self, *, microphone_off: bool = False) -> None:
        """Open the conversation at the robot, in the background; `trouble` says why it can't be opened.

        `microphone_off`: its microphone stays closed until it is switched on, as with `speech.wake: push`.
        """
        if self._opening is None:
            self.state = "opening"
            closed = microphone_off or self._settings.wake == "push"
            self._opening = asyncio.create_task(self._open(microphone_off=closed), name="speech")

    def refuse(self, reason: str, hint: str) -> None:
        """Keep the conversation, the microphone and the loudspeaker closed."""
        self._refused, self.trouble = True, NotReady(reason, hint=hint)

    async def opened(self) -> None:
        """Wait until the conversation at the robot is open, or failed to open."""
        if self._opening is not None:
            await asyncio.wait([self._opening])

    async def _open(self, *, microphone_off: bool) -> None:
        try:
            if self.parts.media.provider == "none":
                self.parts.media.microphone()  # raises with the reason why there is none
            conversation = await self.conversation(microphone_off=microphone_off)
            self.talking = await self._stack.enter_async_context(conversation)
            self.state = "open"
        except MindError as error:
            self.state, self.trouble = "closed", error
            _log.warning("no spoken conversation", reason=error.message, hint=error.hint)
            self.parts.bus.publish(VoiceChanged(microphone="off", reason=error.message))
        except Exception as error:  # noqa: BLE001 -- the mind goes on without
            _log.exception("the spoken conversation failed")
            self.state, self.trouble = "closed", NotReady(f"speech failed: {error}", hint="see the log")

    async def conversation(
        self,
        *,
        media: Media | None = None,
        conversation: str | None = None,
        microphone_off: bool = False,
        always_awake: bool = False,
        confirms: bool = True,
        scopes: frozenset[str] | None = None,
        on_event: Callable[[VoiceEvent], None] = lambda event: None,  # noqa: ARG005
    ) -> SpokenConversation:
        """A new spoken conversation, to be used as `async with`; the options are those of `SpokenConversation`.

        Raises NotReady when there is no speech to text or no voice, and MissingExtra.
        """
        ears, voice = self.ears(), self.mouth()
        spoken = await asyncio.to_thread(load_spoken)
        return spoken(
            self.parts,
            ears,
            voice,
            keywords=self.keywords(),
            media=media,
            conversation=conversation,
            microphone_off=microphone_off,
            always_awake=always_awake,
            confirms=confirms,
            scopes=scopes,
            on_event=on_event,
        )

    # Parts

    def keywords(self) -> KeywordDetector | None:
        """What recognises stop words and "hey Reachy", if these are listened for. Raises NotReady."""
        if self._keywords is None:
            from reachy_mind.speech import engines  # noqa: PLC0415

            self._keywords = engines.keywords(self._configuration)
            if self._keywords is not None:
                self._stack.push_async_callback(self._keywords.aclose)
        return self._keywords

    def ears(self) -> Transcriber:
        """Speech to text. Raises NotReady with the reason why there is none."""
        if self._ears is None:
            from reachy_mind.speech import engines  # noqa: PLC0415

            self._ears = engines.required(engines.ears(self._configuration), "ears")
            self._stack.push_async_callback(self._ears.aclose)
        return self._ears

    def mouth(self) -> CachedVoice:
        """Text to speech. Raises NotReady with the reason why there is none."""
        if self._voice is None:
            from reachy_mind.speech.voice_cache import CachedVoice  # noqa: PLC0415

            profile = self.parts.turns.profile
            voice = self._profile_voice(profile.voice, profile.speed)
            self._voice = CachedVoice(voice, self._mood(profile.mood))
            self._stack.push_async_callback(self._voice.aclose)
        return self._voice

    def voice_in_use(self) -> str:
        """Engine and name of the voice that speaks, or would; empty without one. Nothing is loaded."""
        try:
            return self.mouth().name
        except MindError:
            return ""

    def _profile_voice(self, voice: str, pace: float | None) -> Voice:
        """A voice by its name in a profile; `pace` multiplies the speed of the settings. Raises NotReady."""
        from reachy_mind.speech import engines  # noqa: PLC0415

        speed = min(max(self._settings.speed * (pace or 1.0), SLOWEST), FASTEST)
        made = engines.required(engines.mouth(self._configuration, voice, speed), "voice")
        self._voice_of = voice, pace
        return made

    def _mood(self, name: str) -> Mood:
        from reachy_mind.speech.moods import MOODS, NEUTRAL  # noqa: PLC0415

        return MOODS.get(name, NEUTRAL) if self._settings.moods else NEUTRAL

    async def speak_as(self, voice: str, pace: float | None, mood: str = "") -> None:
        """Change the voice of all conversations; what is being said is said to its end in the old one."""
        if self._voice is None:
            return  # `mouth` makes the new one
        self._voice.mood = self._mood(mood)
        if self._voice_of == (voice, pace):
            return
        try:
            await self._voice.switch(self._profile_voice(voice, pace))
        except MindError as error:
            _log.warning("the voice stays as it is", reason=error.message)

    def change_settings(self, **changed: Any) -> None:
        """Other settings of speech from now on: the voice in use follows them."""
        configuration = self._configuration
        self._settings = configuration.settings.speech.model_copy(update=changed)
        settings = configuration.settings.model_copy(update={"speech": self._settings})
        self._configuration = replace(configuration, settings=settings)
        self.choose_voice()

    def choose_voice(self) -> None:
        """Choose the voice again, in the background: the settings changed, or an engine has come."""
        if self._voice is not None:
            before = self._changing
            self._changing = asyncio.create_task(self._choose_voice(self._voice, before), name="change of voice")

    async def _choose_voice(self, current: CachedVoice, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        try:
            other = await asyncio.to_thread(self._profile_voice, *self._voice_of)
            if other.name == current.name:
                await other.aclose()
            else:
                await current.switch(other)
        except MindError as error:
            _log.warning("the voice stays as it is", reason=error.message)

    @contextlib.asynccontextmanager
    async def speaking_as(self, voice: str, speed: float | None) -> AsyncIterator[Voice]:
        """The usual voice, or another one for the time of an `async with`. Raises NotReady."""
        if speed in (None, self._settings.speed) and (not voice or is_voice(self.mouth().name, voice)):
            yield self.mouth()
            return
        from reachy_mind.speech import engines  # noqa: PLC0415

        name = voice or self.parts.turns.profile.voice
        other = engines.required(engines.mouth(self._configuration, name, speed), "voice")
        try:
            yield other
        finally:
            await other.aclose()

    # For tools

    async def speak(self, text: str, *, voice: str = "", speed: float | None = None) -> str | None:
        """Speak and wait until it was played. Returns the words that were heard if it was interrupted, else None.
        Raises NotReady."""
        await self._require()
        async with self.speaking_as(voice, speed) as mouth:
            if self.talking is not None:
                return await self.talking.speak(text, mouth)
            async with (
                self.parts.media.speaker() as speaker,
                contextlib.aclosing(mouth.synthesize(text)) as pieces,
            ):
                async for pcm in pieces:
                    await speaker.write(pcm)
                await speaker.drained()
        return None

    async def listen(self, seconds: float) -> str:
        """What is said in that time; empty when nothing is. Raises NotReady."""
        await self._require()
        if self.talking is not None:
            return await self.talking.transcribe(seconds)
        ears, heard = self.ears(), bytearray()
        async with self.parts.media.microphone() as microphone:
            async for block in microphone:
                heard += block
                if len(heard) >= 2 * seconds * SAMPLE_RATE_HZ:
                    break
        return (await ears.transcribe(bytes(heard), language=self._settings.language)).text

    async def switch_microphone(self, *, on: bool) -> str:
        """Returns the state that the microphone has then. Raises NotReady when there is none to switch on."""
        await self.opened()
        if self.talking is not None:
            return await self.talking.switch(on=on)
        if on:
            raise self.trouble
        return "off"

    async def speaker(self) -> Speaker:
        """The loudspeaker, for samples of a tool. Raises NotReady."""
        await self._require()
        return self.parts.media.speaker()

    async def microphone(self) -> Microphone:
        """The microphone, for a tool. Raises NotReady, also while the conversation's own is switched off."""
        await self._require()
        if self.talking is not None and self.talking.described()["microphone"] != "open":
            raise NotReady("the microphone is off", hint="switch it on: set_microphone")
        return self.parts.media.microphone()

    async def _require(self) -> None:
        await self.opened()
        if self._refused:
            raise self.trouble

    def described(self) -> dict[str, Any]:
        """Its state, as `GET /voice` answers it."""
        settings = self._settings
        fields = {"state": self.state, "wake": settings.wake, "wake_word": "", "language": settings.language}
        if settings.wake == "word":
            fields["wake_word"] = settings.wake_word
        if self.talking is not None:
            spoken = self.talking.described()
            spoken["trouble"] = spoken["trouble"] or self._worker_trouble()
            return fields | {"available": True, "reason": "", "hint": ""} | spoken
        return fields | {
            "available": False,
            "reason": "opening ears and mouth" if self.state == "opening" else self.trouble.message,
            "hint": "" if self.state == "opening" else self.trouble.hint,
            "microphone": "off",
            "doing": "",
            "speaking": False,
            "awake": False,
            "ears": self._ears.name if self._ears else "",
            "voice": self._voice.name if self._voice else "",
            "trouble": self._worker_trouble(),
            "session_id": "",
        }

    def _worker_trouble(self) -> str:
        """Why the process of the speech to text or of the voice does not work; empty when it does."""
        found = worker.troubles()
        return "; ".join(f"{name}: {why}" for name, why in found.items() if name.startswith(("ears", "voice")))


def load_spoken() -> type[SpokenConversation]:
    """Imports `SpokenConversation`. Pipecat is heavy: call it in a thread. Raises MissingExtra."""
    try:
        # First: pipecat logs as soon as it is imported.
        importlib.import_module("reachy_mind.speech.pipecat_log").route()
        spoken: type[SpokenConversation] = importlib.import_module("reachy_mind.conversation.spoken").SpokenConversation
    except ImportError as error:
        raise MissingExtra("a spoken conversation", "speech") from error
    return spoken
