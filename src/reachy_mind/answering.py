"""`Answering`: what the mind answers aloud: to whom, who that is, and a word at once when something takes a while."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from reachy_mind.brains.thought import Called, Said
from reachy_mind.speech.courtesy import acknowledgements, after_name, introduced
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.turns import Response

if TYPE_CHECKING:
    from reachy_mind.mind import Mind

ACKNOWLEDGED_S = 0.08
"""Without a word of the answer, and with something being done, after so long it is said that it was heard."""
AWAKE_S = 30.0
"""For so long after the last words nobody has to be called by name again."""


class Answering:
    """One conversation. `at_robot`: whoever listens hears what tools say aloud, too."""

    def __init__(self, mind: Mind, conversation: str, *, at_robot: bool) -> None:
        self._mind, self.conversation, self._at_robot = mind, conversation, at_robot
        self._settings = mind.configuration.settings.speech
        self._awake_until = 0.0
        self._acknowledged = 0
        self.person = ""
        """Who said who they are."""

    def addressed(self, text: str) -> str:
        """What was said to the robot; nothing when it has to be called by its name and was not."""
        if self._settings.wake != "name":
            return text
        if (called := after_name(text)) is not None:
            return called
        return text if time.monotonic() < self._awake_until else ""

    async def answer(self, text: str, heard: Heard) -> AsyncGenerator[Say | Response, None]:
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
                        aloud = _said_aloud(thought) if self._at_robot else ""
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

    def _acknowledgement(self) -> str:
        said = acknowledgements(self._settings.language)
        self._acknowledged += 1
        return said[self._acknowledged % len(said)] + " "


def _said_aloud(called: Called) -> str:
    """What a brain would say about a text that was just spoken: whoever heard that need not be told."""
    call = called.call
    data = call.outcome.data if call.name == "speak" and call.outcome.status == "ok" else None
    return str(data.get("message", "")) if isinstance(data, dict) else ""
