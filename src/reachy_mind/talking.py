"""`Talking`: the mind's ears and mouth while they are open: what is heard becomes a turn, and its words are spoken.

It opens the robot's microphone and loudspeaker, whoever provides them, moves with the voice, holds itself as one who
listens, and puts questions aloud: a clear yes or no that is heard is the answer. What happens is told, each a dict
with a `type`:

    state {session_id, doing, microphone, reason}
                                               doing: listening, hearing, thinking or speaking; microphone: open, off,
                                               opening or lost
    transcription {text, final}                what a person says, so far or all of it
    response {text, final, tools, error}       a piece of the answer; the last one is all of it, and only that one has
                                               the tools that were called and the error, if there was one
    interrupted {heard}                        the answer was cut short; so much of it was heard
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.brains.thought import Called, Said
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, ConfirmationAsked, VoiceChanged
from reachy_mind.motion.utterance import Utterance
from reachy_mind.speech import choice, services
from reachy_mind.speech.conversation import Conversation
from reachy_mind.speech.courtesy import acknowledgements, after_name, clear_answer, introduced
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.transcription import Transcriber
from reachy_mind.speech.voices import Voice
from reachy_mind.speech.witness import Noticed
from reachy_mind.turns import Response

if TYPE_CHECKING:
    from pipecat.processors.frame_processor import FrameProcessor

    from reachy_mind.mind import Mind

ACKNOWLEDGED_S = 0.08
"""Without a word of the answer, and with something being done, after so long it is said that it was heard."""
AWAKE_S = 30.0
"""For so long after the last words nobody has to be called by name again."""
SETTLED_S = 10.0
"""For so long it is waited for that a microphone opens or closes."""
CUT_SHORT = {"code": "INTERRUPTED", "message": "the answer was cut short", "hint": ""}

_log = log.get(__name__)


Told = dict[str, Any]


class Talking:
    """Use as `async with`. Raises NotReady with what to do when there are no ears or no voice.

    `parts`: ears and a voice that are somebody else's; without, it has its own. `media`: where to listen and speak; the
    robot's, if not given, and only then the body moves along and everybody is told how the microphone is. `deaf`: the
    microphone stays closed until it is switched on.
    """

    def __init__(
        self,
        mind: Mind,
        *,
        parts: tuple[Transcriber, Voice] | None = None,
        media: Media | None = None,
        conversation: str | None = None,
        deaf: bool = False,
        told: Callable[[Told], None] = lambda told: None,  # noqa: ARG005
    ) -> None:
        self._mind, self._tell_others, self._is_robots = mind, told, media is None
        settings = mind.configuration.settings
        self._settings = settings.speech
        self._own = parts is None
        self._ears, self._voice = parts or (
            choice.required(choice.ears(mind.configuration), "ears"),
            choice.required(choice.mouth(mind.configuration), "voice"),
        )
        self._stack = contextlib.AsyncExitStack()
        self.person = ""
        """Who said who they are."""
        self.conversation = conversation or uuid4().hex
        self._awake_until = 0.0
        self._acknowledged = 0
        self._trouble = ""
        self._hearing = self._thinking = self._speaking = False
        self._changed = asyncio.Event()
        self._taking_down = 0
        """How many listen to what is said, which then is no turn."""
        self._speech = Conversation(
            media or mind.media,
            self._ears,
            self._voice,
            self._respond,
            self._finished,
            ears=_service(self._settings.ears_service, "stt", self._settings.ears_options),
            mouth=_service(self._settings.voice_service, "tts", self._settings.voice_options),
            aside=self._answers,
            patient=lambda: bool(self._taking_down or self._questions()),
            usual=(*acknowledgements(self._settings.language), *mind.usual(self._settings.language)),
            language=self._settings.language,
            moves=self._moves,
            changed=self._heard_of_microphone,
            noticed=self._notice,
        )
        if deaf:
            self.listen(on=False)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            if self._own:
                stack.push_async_callback(self._ears.aclose)
                stack.push_async_callback(self._voice.aclose)
            await asyncio.gather(self._ears.warm(), self._voice.warm())
            stack.enter_context(self._mind.confirmations.channel("voice"))
            events = stack.enter_context(self._mind.bus.subscribe(ConfirmationAsked, Announced))
            telling = asyncio.create_task(self._tell(events), name="talking")
            stack.push_async_callback(_ended, telling)
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
                f"the microphone is {self._speech.microphone}", hint=self._trouble or "switch it on: set_microphone"
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

    @property
    def doing(self) -> str:
        if self._speaking:
            return "speaking"
        return "thinking" if self._thinking else "hearing" if self._hearing else "listening"

    def described(self) -> dict[str, Any]:
        return {
            "microphone": self._speech.microphone,
            "doing": self.doing,
            "speaking": self._speech.speaking,
            "ears": self._ears.name,
            "voice": self._voice.name,
            "trouble": self._trouble,
            "session_id": self.conversation,
        }

    # What is heard

    async def _respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        text = self._addressed(heard.text)
        self._tell_others({"type": "transcription", "text": heard.text, "final": True})
        if not text:
            return
        self._is(thinking=True)
        said: list[str] = []
        ended = False
        try:
            async with contextlib.aclosing(self._answer(text, heard)) as thoughts:
                async for thought in thoughts:
                    if isinstance(thought, Response):
                        ended = True
                        self._respond_with(thought.text, thought.as_dict())
                        if thought.error and thought.error["code"] != "INTERRUPTED":
                            yield Say(f" {thought.error['message']}.")
                    else:
                        said.append(thought.text)
                        self._tell_others({"type": "response", "text": thought.text, "final": False})
                        yield thought
        finally:
            if not ended:
                self._respond_with("".join(said).strip(), {"error": CUT_SHORT})
            self._is(thinking=False)

    def _respond_with(self, text: str, whole: Told) -> None:
        told = {"type": "response", "text": text, "final": True}
        self._tell_others(told | {"tools": whole.get("tools", []), "error": whole.get("error")})

    async def _answer(self, text: str, heard: Heard) -> AsyncGenerator[Say | Response, None]:
        """What to say, piece by piece, and the response at last."""
        self.person = introduced(text) or self.person
        self._awake_until = time.monotonic() + AWAKE_S
        thoughts = self._mind.stream(
            text,
            conversation=self.conversation,
            person=self.person,
            heard=heard.reply_heard,
            context={"spoken": True, "continues": heard.continues},
        )
        async with contextlib.aclosing(thoughts) as answer:
            waiting = asyncio.ensure_future(anext(answer, None))
            aloud = ""
            try:
                done, _ = await asyncio.wait([waiting], timeout=ACKNOWLEDGED_S)
                if not done and self._mind.doing == "acting":
                    yield Say(self._acknowledgement(), whole=True)
                while (thought := await waiting) is not None:
                    if isinstance(thought, Called):
                        aloud = _said_aloud(thought) if self._is_robots else ""
                    elif isinstance(thought, Said) and thought.text and thought.text.strip() != aloud:
                        yield Say(thought.text)
                    elif isinstance(thought, Response):
                        yield thought
                    waiting = asyncio.ensure_future(anext(answer, None))
            finally:
                if not waiting.done():
                    waiting.cancel()
                    await asyncio.wait([waiting])
        self._awake_until = time.monotonic() + AWAKE_S

    def _addressed(self, text: str) -> str:
        """What was said to the robot; nothing when it has to be called by its name and was not."""
        if self._settings.wake != "name":
            return text
        if (called := after_name(text)) is not None:
            return called
        return text if time.monotonic() < self._awake_until else ""

    def _acknowledgement(self) -> str:
        said = acknowledgements(self._settings.language)
        self._acknowledged += 1
        return said[self._acknowledged % len(said)] + " "

    async def _finished(self, text: str) -> float:
        return await self._mind.finished(text)

    # Questions

    def _questions(self) -> list[Any]:
        return [asked for asked in self._mind.confirmations.pending if asked.conversation == self.conversation]

    def _answers(self, heard: Heard) -> bool:
        if self._taking_down:
            return True
        questions = self._questions()
        approved = clear_answer(heard.text)
        if not questions or approved is None:
            return False
        with contextlib.suppress(MindError):
            self._mind.confirmations.answer(questions[0].id, approved=approved, by=self.person or "voice")
        self._tell_others({"type": "transcription", "text": heard.text, "final": True})
        return True

    async def _tell(self, events: Any) -> None:
        """Questions and reminders are said aloud."""
        async for event in events:
            if isinstance(event, ConfirmationAsked) and event.conversation == self.conversation:
                await self.say(f"{event.consequence} Shall I? Please say yes or no.")
            elif isinstance(event, Announced):
                await self.say(event.text)

    # The body

    def _moves(self) -> Utterance | None:
        moves = self._is_robots and self._mind.motion is not None
        return Utterance(self._mind.body(), SAMPLE_RATE_HZ) if moves else None

    def _heard_of_microphone(self, state: str, reason: str) -> None:
        self._trouble = reason if state == "lost" else ""
        self._changed.set()
        if self._is_robots:
            self._mind.bus.publish(VoiceChanged(microphone=state, reason=self._trouble))
        self._tell_state()

    # What others are told

    def _notice(self, noticed: Noticed) -> None:
        match noticed.what:
            case "words" if noticed.text:
                self._tell_others({"type": "transcription", "text": noticed.text, "final": False})
            case "hearing" | "silent":
                self._is(hearing=noticed.what == "hearing")
            case "speaking" | "spoken":
                self._is(speaking=noticed.what == "speaking")
            case "cut":
                self._tell_others({"type": "interrupted", "heard": noticed.text})
                self._is(speaking=False)

    def _is(self, *, hearing: bool | None = None, thinking: bool | None = None, speaking: bool | None = None) -> None:
        before = self.doing
        self._hearing = self._hearing if hearing is None else hearing
        self._thinking = self._thinking if thinking is None else thinking
        self._speaking = self._speaking if speaking is None else speaking
        if self.doing != before:
            self._tell_state()

    def _tell_state(self) -> None:
        now = {"doing": self.doing, "microphone": self._speech.microphone, "reason": self._trouble}
        self._tell_others({"type": "state", "session_id": self.conversation} | now)


def _said_aloud(called: Called) -> str:
    """What a brain would say about a text that was just spoken: whoever heard that need not be told."""
    call = called.call
    data = call.outcome.data if call.name == "speak" and call.outcome.status == "ok" else None
    return str(data.get("message", "")) if isinstance(data, dict) else ""


def _service(name: str, kind: services.Kind, options: dict[str, Any]) -> FrameProcessor | None:
    """In the place of our own ears or voice, if there is one by that name. Raises InvalidParameter, NotReady."""
    return services.service(name, kind, options) if name else None


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
