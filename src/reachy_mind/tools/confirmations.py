"""`Confirmations`: a person says yes or no, out of band; the first answer wins, and no answer is no.

A channel is a way to reach people: a terminal, an open page. Whoever opens one shows what is asked and passes the
answer on. With no channel open there is nobody to ask, and the answer is no at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from reachy_mind.errors import MindError, NotReady
from reachy_mind.events import Bus, ConfirmationAnswered, ConfirmationAsked

WAIT_S = 60.0
MOST_PENDING = 50


class NotConfirmed(MindError):
    """A person said no, or nobody said anything."""

    code = "NOT_CONFIRMED"


@dataclass(frozen=True)
class Confirmation:
    """What a person is asked."""

    id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    consequence: str
    reason: str
    expires_at: float
    conversation: str = ""


@dataclass
class _Pending:
    asked: Confirmation
    answer: asyncio.Future[tuple[bool, str]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Confirmations:
    """What waits for a person, and the channels that reach one."""

    def __init__(self, bus: Bus, *, wait_s: float = WAIT_S) -> None:
        self._bus = bus
        self.wait_s = wait_s
        self._channels: dict[str, int] = {}
        self._own: dict[str, tuple[bool, str] | None] = {}
        self._pending: dict[str, _Pending] = {}

    @contextlib.contextmanager
    def channel(self, name: str) -> Iterator[None]:
        """For as long as it is open, people can be asked by this way (it listens to `ConfirmationAsked`)."""
        self._channels[name] = self._channels.get(name, 0) + 1
        try:
            yield
        finally:
            self._channels[name] -= 1
            if not self._channels[name]:
                del self._channels[name]
            self._give_up()

    @contextlib.contextmanager
    def own(self, call_id: str, *, answered: tuple[bool, str] | None = None) -> Iterator[None]:
        """As `channel`, for what one call asks and nothing else: who made it has a person at hand.

        `answered`: what that person has said already, and who they are; then nobody else is asked.
        """
        self._own[call_id] = answered
        try:
            yield
        finally:
            del self._own[call_id]
            self._give_up()

    def _give_up(self) -> None:
        """What nobody is left to be asked about is answered no."""
        if not self._channels:
            for waiting in list(self._pending.values()):
                if waiting.asked.call_id not in self._own:
                    self._settle(waiting, approved=False, by="")

    @property
    def channels(self) -> tuple[str, ...]:
        return tuple(self._channels)

    @property
    def pending(self) -> list[Confirmation]:
        return [waiting.asked for waiting in self._pending.values()]

    async def ask(
        self,
        *,
        call_id: str,
        tool: str,
        arguments: dict[str, Any],
        consequence: str,
        reason: str,
        conversation: str = "",
    ) -> str:
        """Who said yes. Raises NotConfirmed, with who said no or why nobody could."""
        if not self._channels and call_id not in self._own:
            raise NotConfirmed(
                f"{tool} needs a person's yes, and there is nobody to ask",
                hint="open the page or a chat, or change its tier in permissions.yaml",
            )
        if (answered := self._own.get(call_id)) is not None:
            return _heard(tool, *answered)
        if len(self._pending) >= MOST_PENDING:
            raise NotConfirmed(f"{len(self._pending)} questions are waiting already", hint="answer those first")
        expires_at = time.time() + self.wait_s
        asked = Confirmation(uuid4().hex, call_id, tool, arguments, consequence, reason, expires_at, conversation)
        waiting = self._pending[asked.id] = _Pending(asked)
        self._bus.publish(
            ConfirmationAsked(
                confirmation_id=asked.id,
                call_id=call_id,
                tool=tool,
                arguments=arguments,
                consequence=consequence,
                reason=reason,
                expires_at=expires_at,
                conversation=conversation,
            )
        )
        try:
            await asyncio.wait([waiting.answer], timeout=self.wait_s)
            if not waiting.answer.done():
                self._settle(waiting, approved=False, by="")
                raise NotConfirmed(f"nobody answered for {tool} within {self.wait_s:g} s", hint="ask for it again")
            approved, by = waiting.answer.result()
        finally:
            if self._pending.pop(asked.id, None) is not None and not waiting.answer.done():
                waiting.answer.cancel()  # the call itself was cancelled
                self._bus.publish(ConfirmationAnswered(confirmation_id=asked.id, approved=False, by=""))
        return _heard(tool, approved, by)

    def answer(self, confirmation_id: str, *, approved: bool, by: str) -> None:
        """A person's answer. Raises NotReady when it was answered already, or too late."""
        waiting = self._pending.get(confirmation_id)
        if waiting is None or waiting.answer.done():
            raise NotReady("this question is not open any more", hint="it was answered, or its time was over")
        self._settle(waiting, approved=approved, by=by)

    def _settle(self, waiting: _Pending, *, approved: bool, by: str) -> None:
        if not waiting.answer.done():
            waiting.answer.set_result((approved, by))
            self._pending.pop(waiting.asked.id, None)
            self._bus.publish(ConfirmationAnswered(confirmation_id=waiting.asked.id, approved=approved, by=by))


def _heard(tool: str, approved: bool, by: str) -> str:
    """Who said yes. Raises NotConfirmed."""
    if not approved:
        said = f"{by} said no to {tool}" if by else f"nobody was left to ask about {tool}"
        raise NotConfirmed(said, hint="ask for it again if it was a mistake")
    return by
