"""`Confirmations`: asks a person for a yes or no, out of band, with a timeout.

A channel is a way to reach people: a terminal, an open page. The code that opens a channel shows the question and
passes the answer on. The first answer wins; no answer within the timeout is a no. With no channel open the call is
denied at once.
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

CONFIRM_TIMEOUT_S = 60.0
"""The default. The setting `tools.confirm_s` changes it."""
MAX_PENDING = 50
SAID_NO = " said no to "
"""In the message of a NotConfirmed when a person refused, and only then."""


class NotConfirmed(MindError):
    """A person said no, or nobody answered in time."""

    code = "NOT_CONFIRMED"


@dataclass(frozen=True)
class Confirmation:
    """A question to a person: may this tool run?"""

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
    confirmation: Confirmation
    answer: asyncio.Future[tuple[bool, str]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Confirmations:
    """Open questions, and the channels that reach people."""

    def __init__(self, bus: Bus, *, timeout_s: float = CONFIRM_TIMEOUT_S) -> None:
        self._bus = bus
        self.timeout_s = timeout_s
        self._channels: dict[str, int] = {}
        self._call_channels: dict[str, tuple[bool, str] | None] = {}
        self._pending: dict[str, _Pending] = {}

    @contextlib.contextmanager
    def channel(self, name: str) -> Iterator[None]:
        """Open a channel for the duration of the `with`. The opener subscribes to `ConfirmationAsked`."""
        self._channels[name] = self._channels.get(name, 0) + 1
        try:
            yield
        finally:
            self._channels[name] -= 1
            if not self._channels[name]:
                del self._channels[name]
            self._deny_unreachable()

    @contextlib.contextmanager
    def call_channel(self, call_id: str, *, answer: tuple[bool, str] | None = None) -> Iterator[None]:
        """A channel for the questions of one call only, whose caller can reach a person.

        `answer` is what that person already said, and their name; then nobody else is asked.
        """
        self._call_channels[call_id] = answer
        try:
            yield
        finally:
            del self._call_channels[call_id]
            self._deny_unreachable()

    def _deny_unreachable(self) -> None:
        """Deny the open questions that no channel can show any more."""
        if not self._channels:
            for waiting in list(self._pending.values()):
                if waiting.confirmation.call_id not in self._call_channels:
                    self._settle(waiting, approved=False, by="")

    @property
    def channels(self) -> tuple[str, ...]:
        return tuple(self._channels)

    @property
    def pending(self) -> list[Confirmation]:
        return [waiting.confirmation for waiting in self._pending.values()]

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
        """Ask, and return the name of the person who said yes. Raises NotConfirmed with the reason."""
        if not self._channels and call_id not in self._call_channels:
            raise NotConfirmed(
                f"{tool} needs a person's yes, and there is nobody to ask",
                hint="open the page or a chat, or change its tier in permissions.yaml",
            )
        if (answer := self._call_channels.get(call_id)) is not None:
            return _require_approval(tool, *answer)
        if len(self._pending) >= MAX_PENDING:
            raise NotConfirmed(f"{len(self._pending)} questions are waiting already", hint="answer those first")
        expires_at = time.time() + self.timeout_s
        question = Confirmation(uuid4().hex, call_id, tool, arguments, consequence, reason, expires_at, conversation)
        waiting = self._pending[question.id] = _Pending(question)
        self._bus.publish(
            ConfirmationAsked(
                confirmation_id=question.id,
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
            await asyncio.wait([waiting.answer], timeout=self.timeout_s)
            if not waiting.answer.done():
                self._settle(waiting, approved=False, by="")
                raise NotConfirmed(f"nobody answered for {tool} within {self.timeout_s:g} s", hint="ask for it again")
            approved, by = waiting.answer.result()
        finally:
            if self._pending.pop(question.id, None) is not None and not waiting.answer.done():
                waiting.answer.cancel()  # the call itself was cancelled
                self._bus.publish(ConfirmationAnswered(confirmation_id=question.id, approved=False, by=""))
        return _require_approval(tool, approved, by)

    def answer(self, confirmation_id: str, *, approved: bool, by: str) -> None:
        """Take a person's answer. Raises NotReady when the question was answered before or has expired."""
        waiting = self._pending.get(confirmation_id)
        if waiting is None or waiting.answer.done():
            raise NotReady("this question is not open any more", hint="it was answered, or its time was over")
        self._settle(waiting, approved=approved, by=by)

    def _settle(self, waiting: _Pending, *, approved: bool, by: str) -> None:
        if not waiting.answer.done():
            waiting.answer.set_result((approved, by))
            self._pending.pop(waiting.confirmation.id, None)
            self._bus.publish(ConfirmationAnswered(confirmation_id=waiting.confirmation.id, approved=approved, by=by))


def _require_approval(tool: str, approved: bool, by: str) -> str:
    """The name of the person who said yes. Raises NotConfirmed."""
    if not approved:
        message = f"{by}{SAID_NO}{tool}" if by else f"nobody was left to ask about {tool}"
        raise NotConfirmed(message, hint="ask for it again if it was a mistake")
    return by
