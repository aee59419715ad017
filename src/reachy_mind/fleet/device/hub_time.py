"""`HubTimePort`: who wants to know the hub's time exactly. A connection asks the hub, and hands on its answers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from reachy_mind.fleet.protocol.clock import ClockPong

KEPT_QUESTIONS: Final = 16
"""Unanswered questions that are remembered; an answer to another one is none."""


class HubTimePort(Protocol):
    """Times in milliseconds: `t0` and `t3` of this machine's monotonic clock, `t1` and `t2` of the hub's."""

    asked_for: asyncio.Event
    """Set when the next question should not wait any longer."""

    def note(self, t0: float, t1: float, t2: float, t3: float) -> None:
        """An answer came."""
        ...

    def connected(self) -> None:
        """A connection begins: ask some times in quick succession."""
        ...

    def next_s(self) -> float:
        """How long to wait until the next question; called once for each."""
        ...


class TimeQuestions:
    """The questions of one connection. `send` sends one that is stamped with this time."""

    def __init__(self, port: HubTimePort, send: Callable[[float], Awaitable[None]]) -> None:
        self._port, self._send = port, send
        self._open: deque[float] = deque(maxlen=KEPT_QUESTIONS)

    async def run(self) -> None:
        """Ask until cancelled. Raises what `send` raises."""
        self._port.connected()
        while True:
            t0 = monotonic_ms()
            self._open.append(t0)
            await self._send(t0)
            self._port.asked_for.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._port.next_s()):
                    await self._port.asked_for.wait()

    def answered(self, pong: ClockPong, t3: float) -> None:
        """Note an answer that came at `t3`. What was not asked, or was answered before, is ignored."""
        if pong.t0 in self._open:
            self._open.remove(pong.t0)
            self._port.note(pong.t0, pong.t1, pong.t2, t3)


def monotonic_ms() -> float:
    return time.monotonic() * 1000
