"""`Stage`: a demonstration's way to the running mind: narrate, ask, measure, and stop where something is not as it was
shown.

Requests are turns of the mind like those of any other client. What needs a person's yes goes to the viewer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import httpx

from reachy_mind.brains.brain import Called
from reachy_mind.cancellation import cancel_and_wait, is_ending
from reachy_mind.conversation.chat_session import ChatSession
from reachy_mind.conversation.events import ChatEvent, InTurn, RequestFailed
from reachy_mind.conversation.response import Response
from reachy_mind.demo.narrator import Narrator
from reachy_mind.demo.record import DemoRecord
from reachy_mind.demo.simulated_scene import SimulatedScene
from reachy_mind.errors import MindError
from reachy_mind.events import Announced, ConfirmationAsked, Event, Subscription
from reachy_mind.mind import Mind

ANSWER_S = 180.0
"""A tool may be written and tried in that time, on a slow machine too."""
Approve = Callable[[ConfirmationAsked], Awaitable[bool]]
"""Asks the viewer for a yes or a no."""


class DemoFailed(MindError):
    """A step of a demonstration did not do what it was to show."""

    code = "DEMO_FAILED"


@dataclass
class Stage:
    """Use within `opened`. `scene` is None with a real robot; `page` is the address of the page, or empty."""

    mind: Mind
    record: DemoRecord
    narrator: Narrator
    session: ChatSession
    approve: Approve
    scene: SimulatedScene | None = None
    page: str = ""

    def __post_init__(self) -> None:
        self._turns: dict[int, asyncio.Future[Response]] = {}
        self._said = self._steps = 0
        self._questions: set[asyncio.Task[None]] = set()
        self.answers: list[bool] = []
        """What the viewer said to each question."""

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Stage]:
        """Listen to the conversation for the time of an `async with`."""
        listening = asyncio.create_task(self._listen(), name="demo listener")
        try:
            yield self
        finally:
            for task in (listening, *self._questions):
                await cancel_and_wait(task)

    # Steps

    @contextlib.asynccontextmanager
    async def step(self, title: str) -> AsyncIterator[None]:
        """One step. Whatever goes wrong in it is told with its number and title, as DemoFailed."""
        self._steps += 1
        self.record.add("step", f"{self._steps}. {title}")
        where = f"step {self._steps}, {title}"
        try:
            yield
        except asyncio.CancelledError as error:
            if is_ending(error):
                raise
            raise DemoFailed(f"{where}: it was cancelled", hint="start the demonstration again") from error
        except MindError as error:
            raise DemoFailed(f"{where}: {error.message}", hint=error.hint) from error
        except TimeoutError as error:
            raise DemoFailed(f"{where}: it took too long", hint="try again on a machine that is less busy") from error
        except httpx.HTTPStatusError as error:
            raise DemoFailed(f"{where}: the answer was {error.response.text[:300]}", hint="see the log") from error
        except httpx.HTTPError as error:
            raise DemoFailed(f"{where}: {type(error).__name__}: {error}", hint="see the log") from error

    def require(self, holds: object, what: str) -> None:
        """Raises DemoFailed, with what was expected, unless it holds."""
        if not holds:
            self.fail(f"it was expected that {what}")

    def fail(self, what: str) -> NoReturn:
        raise DemoFailed(what, hint="reachy-mind doctor says what is missing; --debug shows the log")

    async def narrate(self, text: str) -> None:
        await self.narrator.narrate(text)

    # The mind

    async def ask(self, text: str, within: float = ANSWER_S) -> Response:
        """Say something to the robot and wait for its answer, which it says aloud. Raises DemoFailed when it fails."""
        response = await self.answer(self.say(text), within)
        await self.narrator.utter(response.text)
        return response

    def say(self, text: str) -> asyncio.Future[Response]:
        """Say something to the robot; the future is its answer."""
        self.record.add("person", text)
        self._said += 1
        answered = self._turns[self._said] = asyncio.get_running_loop().create_future()
        self.session.say(text)
        return answered

    async def answer(self, answered: asyncio.Future[Response], within: float = ANSWER_S) -> Response:
        """The answer to what was said. Raises DemoFailed for one that failed, TimeoutError."""
        async with asyncio.timeout(within):
            response = await answered
        if response.error is not None and response.error["code"] != "INTERRUPTED":
            raise DemoFailed(response.error["message"], hint=response.error["hint"])
        return response

    async def act(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool through the gate. Raises ToolError."""
        return await self.mind.act(tool, arguments)

    async def recognises_things(self) -> bool:
        """Whether it knows what it sees: in simulation always, with a real camera by a pulled detector."""
        if self.scene is not None:
            return True
        try:
            await self.act("perception.detect_objects")
        except MindError:
            return False
        return True

    async def first(self, events: Subscription, wanted: Callable[[Event], bool], within: float = ANSWER_S) -> Event:
        """The next event of a kind. Raises TimeoutError."""
        async with asyncio.timeout(within):
            async for event in events:
                if wanted(event):
                    return event
        raise DemoFailed("the mind ended", hint="see the log")

    # Events

    async def _listen(self) -> None:
        async for event in self.session.events():
            self._take(event)

    def _take(self, event: ChatEvent) -> None:
        match event:
            case ConfirmationAsked():
                asking = asyncio.create_task(self._ask_viewer(event), name="demo question")
                self._questions.add(asking)
                asking.add_done_callback(self._questions.discard)
            case InTurn(event=Called(call)):
                given = ", ".join(f"{name}={value!r}" for name, value in call.args.items())
                self.record.add("tool", f"{call.name}({given}): {call.outcome.status}")
            case InTurn(turn=turn, event=Response() as response):
                if response.text:
                    self.record.add("robot", response.text)
                self._end(turn, response)
            case InTurn(turn=turn, event=RequestFailed(error)):
                self._end(turn, Response("", error=error.as_dict()))
            case Announced(text=text):
                self.record.add("robot", text)

    def _end(self, turn: int, response: Response) -> None:
        answered = self._turns.pop(turn, None)
        if answered is not None and not answered.done():
            answered.set_result(response)

    async def _ask_viewer(self, question: ConfirmationAsked) -> None:
        self.record.add("note", f"The robot asks you: {question.consequence}")
        approved = await self.approve(question)
        self.answers.append(approved)
        self.record.add("note", f"You said {'yes' if approved else 'no'}.")
        with contextlib.suppress(MindError):  # it timed out, or was answered on the page
            self.session.answer(question.confirmation_id, approved=approved)
