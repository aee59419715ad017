"""`Answering`: what the mind answers aloud: to whom, who that is, and a word at once when something takes a while."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from reachy_mind.brains.stops import is_stop
from reachy_mind.brains.thought import Called, Said, Voiced
from reachy_mind.response import Response
from reachy_mind.speech.courtesy import acknowledgements, after_name, after_word, introduced
from reachy_mind.speech.heard import Heard, Say

if TYPE_CHECKING:
    from reachy_mind.mind import Mind
    from reachy_mind.speech.partner import Partner

ACKNOWLEDGED_S = 0.08
"""Without a word of the answer, and with something being done, after so long it is said that it was heard."""
UNACKNOWLEDGED = frozenset({"speak", "stop", "do_nothing"})
"""Tools that are heard or seen at once, or should not be."""
AWAKE_S = 30.0
"""For so long after the last words it need not be called again."""

SHORTEST_S = 0.1
"""A voice that ends sooner after the wake word was noticed said no more. Seven synthetic ones that said no more ended
up to 0.33 s before that, and none after it; those that said "stop" ended 0.17 s after it, and later."""


class Answering:
    """One conversation. `at_robot`: whoever listens hears what tools say aloud, too. `called`: all that is said is said
    to the robot, whatever `speech.wake` is. `partner`: who hears and speaks in the place of our own ears and voice,
    while that is there."""

    def __init__(
        self, mind: Mind, conversation: str, *, at_robot: bool, called: bool = False, partner: Partner | None = None
    ) -> None:
        self._mind, self.conversation, self._at_robot, self._called = mind, conversation, at_robot, called
        self._settings = mind.configuration.settings.speech
        self._woken_at = self._awake_until = -math.inf
        self._acknowledged = 0
        self._partner = partner
        self.person = ""
        """Who said who they are."""

    @property
    def awake(self) -> bool:
        """Whether what is said now is said to the robot, without calling it first."""
        return self._called or self._settings.wake not in ("name", "word") or time.monotonic() < self._awake_until

    @property
    def _speaks_itself(self) -> bool:
        """Then it is not for another voice to say "okay"."""
        return self._partner is not None and self._partner.present

    def woken(self, at: float) -> None:
        """The wake word was heard, at that monotonic time."""
        self._woken_at, self._awake_until = at, max(self._awake_until, at + AWAKE_S)

    def addressed(self, heard: Heard) -> str | None:
        """What was said to the robot, empty when it was only called; None when it has to be called and was not. A stop
        is for it whoever it was called for."""
        if self._settings.wake == "name" and (called := after_name(heard.text)) is not None:
            return called
        if not self.awake:
            return heard.text if is_stop(heard.text) else None
        if self._settings.wake == "word" and self._woken_at >= heard.began_at:
            return self._after_word(heard)
        return heard.text

    def _after_word(self, heard: Heard) -> str:
        """What followed the wake word; by its time, when the ears made something else of it."""
        followed = after_word(heard.text, self._settings.wake_word)
        if followed is not None:
            return followed
        only_called = 0 < heard.ended_at < self._woken_at + SHORTEST_S
        return "" if only_called else heard.text

    async def answer(self, text: str, heard: Heard) -> AsyncGenerator[Say | Response, None]:
        """What to say, piece by piece, and the response at last."""
        self.person = introduced(text) or self.person
        self._awake_until = time.monotonic() + AWAKE_S
        thoughts = self._mind.stream(
            text,
            conversation=self.conversation,
            person=self.person,
            heard=heard.reply_heard,
            context={
                "spoken": True,
                "continues": heard.continues,
                "items": heard.items,
                "sounded": heard.sounded,
            },
        )
        async with contextlib.aclosing(thoughts) as answer:
            waiting = asyncio.ensure_future(anext(answer, None))
            aloud, silent = "", not self._speaks_itself
            try:
                done, _ = await asyncio.wait([waiting], timeout=ACKNOWLEDGED_S)
                if not done and silent and self._mind.doing == "acting":
                    silent = False
                    yield Say(self._acknowledgement(), whole=True)
                while (thought := await waiting) is not None:
                    if isinstance(thought, Called):
                        aloud = _said_aloud(thought) if self._at_robot else ""
                        if silent and self._changed_something(thought):
                            silent = False
                            yield Say(self._acknowledgement(), whole=True)
                    elif isinstance(thought, Said) and thought.text and thought.text.strip() != aloud:
                        silent = False
                        yield Say(thought.text, source=thought.item)
                    elif isinstance(thought, Voiced):
                        silent = False
                        yield Say("", source=thought.item, pcm=thought.pcm, rate=thought.rate)
                    elif isinstance(thought, Response):
                        yield thought
                    waiting = asyncio.ensure_future(anext(answer, None))
            finally:
                if not waiting.done():
                    waiting.cancel()
                    await asyncio.wait([waiting])
        self._awake_until = time.monotonic() + AWAKE_S

    def _changed_something(self, called: Called) -> bool:
        """Whether there is something to say "okay" to, which is heard sooner than a sentence about it."""
        call = called.call
        if call.outcome.status not in ("ok", "started") or call.name in UNACKNOWLEDGED:
            return False
        tool, _ = self._mind.toolbox.registry.find(call.name)
        return not tool.read_only

    def _acknowledgement(self) -> str:
        said = acknowledgements(self._settings.language)
        self._acknowledged += 1
        return said[self._acknowledged % len(said)] + " "


def _said_aloud(called: Called) -> str:
    """What a brain would say about a text that was just spoken: whoever heard that need not be told."""
    call = called.call
    data = call.outcome.data if call.name == "speak" and call.outcome.status == "ok" else None
    return str(data.get("message", "")) if isinstance(data, dict) else ""
