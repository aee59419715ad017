"""`Talking`: the mind's ears and mouth while they are open: what is heard becomes a turn, and its words are spoken.

It opens the robot's microphone and loudspeaker, whoever provides them, moves with the voice, holds itself as one who
listens, and puts questions aloud: a clear yes or no that is heard is the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from reachy_mind import log
from reachy_mind.body.media import SAMPLE_RATE_HZ
from reachy_mind.brains.thought import Said
from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Announced, ConfirmationAsked
from reachy_mind.motion.utterance import Utterance
from reachy_mind.speech import choice
from reachy_mind.speech.conversation import Conversation
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.turns import Response

if TYPE_CHECKING:
    from reachy_mind.mind import Mind

ACKNOWLEDGED_S = 0.12
"""Without a word of the answer, and with something being done, after so long it is said that it was heard."""
AWAKE_S = 30.0
"""For so long after the last words nobody has to be called by name again."""
ACKNOWLEDGEMENTS = {
    "en": ("Okay.", "Sure.", "Right."),
    "fr": ("D'accord.", "Bien sûr."),
    "es": ("Vale.", "Claro."),
    "de": ("Okay.", "Klar."),
}
YES = re.compile(r"(yes|yeah|yep|sure|ok|okay|do it|go ahead|oui|si|sí|ja)( please| do it| go ahead)?", re.IGNORECASE)
NO = re.compile(r"(no|nope|don't|do not|stop|cancel|non|nein)( thanks| thank you| don't| do not)?", re.IGNORECASE)
_CALLED = re.compile(
    r"^\W*(?:hey|hi|hello|ok|okay)?\W*(?:reachy|richie|ritchie|reach ?e|reechy|peachy)\b\W*", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:i am|i'm|my name is|this is)\s+([A-Z][\w'-]+)")

_log = log.get(__name__)


def clear_answer(text: str) -> bool | None:
    """Yes or no, if that is all that was said."""
    said = re.sub(r"[^\w' ]", "", text).strip()
    if YES.fullmatch(said):
        return True
    return False if NO.fullmatch(said) else None


class Talking:
    """Use as `async with`. Raises NotReady with what to do when there are no ears, no voice or no microphone."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        settings = mind.configuration.settings
        self._settings = settings.speech
        ears, voice = choice.ears(mind.configuration), choice.mouth(mind.configuration)
        for part in (ears, voice):
            if part.part is None:
                raise NotReady(part.why, hint=part.fix)
        assert ears.part is not None and voice.part is not None
        self._ears, self._voice = ears.part, voice.part
        self._stack = contextlib.AsyncExitStack()
        self.person = ""
        """Who said who they are."""
        self.conversation = uuid4().hex
        self._awake_until = 0.0
        self._acknowledged = 0
        self._microphone = ""
        self._trouble = ""
        self._speech = Conversation(
            mind.media,
            self._ears,
            self._voice,
            self._respond,
            self._finished,
            aside=self._answers,
            patient=lambda: bool(self._questions()),
            language=self._settings.language,
            moves=self._moves,
            changed=self._heard_of_microphone,
        )

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._ears.aclose)
            stack.push_async_callback(self._voice.aclose)
            await asyncio.gather(self._ears.warm(), self._voice.warm())
            await self._speech.prepare(*self._acknowledgements())
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

    async def hush(self) -> None:
        await self._speech.hush()

    def listen(self, *, on: bool) -> None:
        """Open or close the microphone."""
        self._speech.listen(on=on)

    def described(self) -> dict[str, Any]:
        return {
            "microphone": self._speech.microphone,
            "speaking": self._speech.speaking,
            "ears": self._ears.name,
            "voice": self._voice.name,
            "trouble": self._trouble,
        }

    # What is heard

    async def _respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        text = self._addressed(heard.text)
        if not text:
            return
        if named := _NAMED.search(text):
            self.person = named[1]
        self._awake_until = time.monotonic() + AWAKE_S
        thoughts = self._mind.stream(
            text, conversation=self.conversation, person=self.person, context={"reply_heard": heard.reply_heard}
        )
        async with contextlib.aclosing(thoughts) as answer:
            waiting = asyncio.ensure_future(anext(answer, None))
            done, _ = await asyncio.wait([waiting], timeout=ACKNOWLEDGED_S)
            if not done and self._mind.doing == "acting":
                yield Say(self._acknowledgement())
            try:
                while (thought := await waiting) is not None:
                    if isinstance(thought, Said) and thought.text:
                        yield Say(thought.text)
                    elif isinstance(thought, Response) and thought.error and thought.error["code"] != "INTERRUPTED":
                        yield Say(f" {thought.error['message']}.")
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
        called = _CALLED.match(text)
        if called:
            return text[called.end() :].strip() or text
        return text if time.monotonic() < self._awake_until else ""

    def _acknowledgements(self) -> tuple[str, ...]:
        return ACKNOWLEDGEMENTS.get(self._settings.language, ACKNOWLEDGEMENTS["en"])

    def _acknowledgement(self) -> str:
        said = self._acknowledgements()
        self._acknowledged += 1
        return said[self._acknowledged % len(said)] + " "

    async def _finished(self, text: str) -> float:
        return await self._mind.finished(text)

    # Questions

    def _questions(self) -> list[Any]:
        return [asked for asked in self._mind.confirmations.pending if asked.conversation == self.conversation]

    def _answers(self, heard: Heard) -> bool:
        questions = self._questions()
        approved = clear_answer(heard.text)
        if not questions or approved is None:
            return False
        with contextlib.suppress(MindError):
            self._mind.confirmations.answer(questions[0].id, approved=approved, by=self.person or "voice")
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
        return Utterance(self._mind.motion, SAMPLE_RATE_HZ) if self._mind.motion is not None else None

    def _heard_of_microphone(self, state: str, reason: str) -> None:
        self._microphone, self._trouble = state, reason if state == "lost" else ""


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
