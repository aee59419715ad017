"""`Talking`: the mind's ears and mouth while they are open: what is heard becomes a turn, and its words are spoken.

It opens the robot's microphone and loudspeaker, whoever provides them, moves with the voice, holds itself as one who
listens, and puts questions aloud: a clear yes or no that is heard is the answer. What happens is told to who
watches: see `telling`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from reachy_mind.answering import Answering
from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.ending import ended
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, ConfirmationAsked, VoiceChanged
from reachy_mind.motion.utterance import Utterance
from reachy_mind.response import Response
from reachy_mind.speech import choice, services
from reachy_mind.speech.conversation import Conversation
from reachy_mind.speech.courtesy import acknowledgements, clear_answer, listening
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.rehearsal import Rehearsed
from reachy_mind.speech.transcription import Transcriber
from reachy_mind.speech.voices import Voice
from reachy_mind.speech.waking import Waking
from reachy_mind.telling import Telling, Told

if TYPE_CHECKING:
    from pipecat.processors.frame_processor import FrameProcessor

    from reachy_mind.mind import Mind

SETTLED_S = 10.0
"""For so long it is waited for that a microphone opens or closes."""
CUT_SHORT = {"code": "INTERRUPTED", "message": "the answer was cut short", "hint": ""}


class Talking:
    """Use as `async with`. Raises NotReady with what to do when there are no ears, no voice or no wake word that is
    wanted, and InvalidParameter for one that nobody knows.

    `parts`: ears and a voice that are somebody else's; without, it has its own. `media`: where to listen and speak; the
    robot's, if not given, and only then the body moves along and everybody is told how the microphone is. `deaf`: the
    microphone stays closed until it is switched on. `called`: who is there has called already, and says no wake word.
    `confirms`: who is there may be asked; else no question is put to them, and their yes answers none.
    """

    def __init__(
        self,
        mind: Mind,
        *,
        parts: tuple[Transcriber, Rehearsed] | None = None,
        media: Media | None = None,
        conversation: str | None = None,
        deaf: bool = False,
        called: bool = False,
        confirms: bool = True,
        told: Callable[[Told], None] = lambda told: None,  # noqa: ARG005
    ) -> None:
        self._mind, self._is_robots, self._confirms = mind, media is None, confirms
        settings = mind.configuration.settings
        self._settings = settings.speech
        self._own = parts is None
        self._ears, self._voice = parts or (
            choice.required(choice.ears(mind.configuration), "ears"),
            Rehearsed(choice.required(choice.mouth(mind.configuration), "voice")),
        )
        self._stack = contextlib.AsyncExitStack()
        self.conversation = conversation or uuid4().hex
        conversant = mind.thinking.conversant()
        self._partner = conversant.attending(self.conversation) if conversant is not None else None
        self._answering = Answering(
            mind, self.conversation, at_robot=self._is_robots, called=called, partner=self._partner
        )
        self._wake_word = None if called else choice.wake_word(mind.configuration)
        self._telling = Telling(self.conversation, told, lambda: self._speech.microphone)
        self._changed = asyncio.Event()
        self._taking_down = 0
        """How many listen to what is said, which then is no turn."""
        self._speech: Conversation = Conversation(
            media or mind.media,
            self._ears,
            self._voice,
            self._respond,
            self._finished,
            ears=_service(self._settings.ears_service, "stt", self._settings.ears_options),
            mouth=_service(self._settings.voice_service, "tts", self._settings.voice_options),
            waking=Waking(self._wake_word, self._answering.woken) if self._wake_word else None,
            partner=self._partner,
            confided=lambda: self._answering.awake,
            aside=self._answers,
            patient=lambda: bool(self._taking_down or self._questions()),
            usual=self._usual(),
            language=self._settings.language,
            moves=self._moves,
            changed=self._heard_of_microphone,
            failed=self._telling.failure,
            noticed=self._telling.notice,
        )
        if deaf:
            self.listen(on=False)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            if self._own:
                stack.push_async_callback(self._ears.aclose)
                stack.push_async_callback(self._voice.aclose)
            warming = [self._ears.warm(), self._voice.warm()]
            if self._wake_word is not None:
                stack.push_async_callback(self._wake_word.aclose)
                warming.append(self._wake_word.warm())
            await asyncio.gather(*warming)
            if self._partner is not None:
                await stack.enter_async_context(self._partner)
            if self._confirms:
                stack.enter_context(self._mind.confirmations.channel("voice"))
            events = stack.enter_context(self._mind.bus.subscribe(ConfirmationAsked, Announced))
            telling = asyncio.create_task(self._tell(events), name="talking")
            stack.push_async_callback(ended, telling)
            await stack.enter_async_context(self._speech)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    # What others ask for

    async def say(self, text: str) -> None:
        """Speak, after what is being said."""
        await self._speech.say(text)

    async def speak(self, text: str, voice: Voice | None = None) -> str | None:
        """Speak until it was heard: of what was cut short, as much as was heard, else None. Raises NotReady."""
        return await self._speech.speak(text, voice)

    async def take_down(self, seconds: float) -> str:
        """What is said in that time: it is no turn, and interrupts nobody. Raises NotReady without a microphone."""
        if self._speech.microphone != "open":
            raise NotReady(
                f"the microphone is {self._speech.microphone}",
                hint=self._telling.trouble or "switch it on: set_microphone",
            )
        self._taking_down += 1
        try:
            with self._speech.taping() as tape:
                await asyncio.sleep(seconds)
            heard = await self._ears.transcribe(bytes(tape), language=self._settings.language)
        finally:
            self._taking_down -= 1
        return heard.text

    async def hush(self) -> None:
        await self._speech.hush()

    def listen(self, *, on: bool) -> None:
        """Open or close the microphone."""
        self._speech.listen(on=on)

    async def switch(self, *, on: bool) -> str:
        """Open or close the microphone, and wait until it is: its state then."""
        self.listen(on=on)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLED_S):
                while self._speech.microphone not in (("open", "lost") if on else ("off",)):
                    self._changed.clear()
                    await self._changed.wait()
        return self._speech.microphone

    def described(self) -> dict[str, Any]:
        return {
            "microphone": self._speech.microphone,
            "doing": self._telling.doing,
            "speaking": self._speech.speaking,
            "awake": self._answering.awake,
            "ears": self._ears.name,
            "voice": self._voice.name,
            "trouble": self._telling.trouble,
            "session_id": self.conversation,
        }

    def _usual(self) -> tuple[str, ...]:
        language = self._settings.language
        called = (listening(language),) if self._wake_word is not None else ()
        return (*called, *acknowledgements(language), *self._mind.thinking.usual(language, self._mind.profile))

    # What is heard

    async def _respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        text = self._answering.addressed(heard)
        self._telling.transcription(heard.text, final=True)
        if text is None:
            return
        if not text:
            self._telling.answer(listening(self._settings.language), {})
            yield Say(listening(self._settings.language), whole=True)
            return
        self._telling.is_now(thinking=True)
        said: list[str] = []
        whole = False
        try:
            async with contextlib.aclosing(self._answering.answer(text, heard)) as thoughts:
                async for thought in thoughts:
                    if isinstance(thought, Response):
                        whole = True
                        self._telling.answer(thought.text, thought.as_dict())
                        if thought.error and thought.error["code"] != "INTERRUPTED":
                            yield Say(f" {thought.error['message']}.")
                    else:
                        if thought.text:
                            said.append(thought.text)
                            self._telling.piece(thought.text)
                        yield thought
        finally:
            if not whole:
                self._telling.answer("".join(said).strip(), {"error": CUT_SHORT})
            self._telling.is_now(thinking=False)

    async def _finished(self, text: str) -> float:
        return await self._mind.thinking.finished(text)

    # Questions

    def _ours(self, conversation: str) -> bool:
        """At the robot also what a program asks for, in no conversation: whoever is there is the person to ask."""
        if not self._confirms:
            return False
        return conversation == self.conversation or (self._is_robots and not conversation)

    def _questions(self) -> list[Any]:
        return [asked for asked in self._mind.confirmations.pending if self._ours(asked.conversation)]

    def _answers(self, heard: Heard) -> bool:
        if self._taking_down:
            return True
        questions = self._questions()
        approved = clear_answer(heard.text)
        if not questions or approved is None:
            return False
        with contextlib.suppress(MindError):
            self._mind.confirmations.answer(questions[0].id, approved=approved, by=self._answering.person or "voice")
        self._telling.transcription(heard.text, final=True)
        return True

    async def _tell(self, events: Any) -> None:
        """Questions and reminders are said aloud."""
        async for event in events:
            if isinstance(event, ConfirmationAsked) and self._ours(event.conversation):
                who = "" if event.conversation else "A program asks me: "
                await self.say(f"{who}{event.consequence} Shall I? Please say yes or no.")
            elif isinstance(event, Announced):
                await self.say(event.text)

    # The body

    def _moves(self) -> Utterance | None:
        moves = self._is_robots and self._mind.motion is not None
        return Utterance(self._mind.body(), SAMPLE_RATE_HZ) if moves else None

    def _heard_of_microphone(self, state: str, reason: str) -> None:
        self._telling.trouble = reason if state == "lost" else ""
        self._changed.set()
        if self._is_robots:
            self._mind.bus.publish(VoiceChanged(microphone=state, reason=self._telling.trouble))
        self._telling.state()


def _service(name: str, kind: services.Kind, options: dict[str, Any]) -> FrameProcessor | None:
    """In the place of our own ears or voice, if there is one by that name. Raises InvalidParameter, NotReady."""
    return services.service(name, kind, options) if name else None
