"""Liveness of worker processes: heartbeats while a call runs, and reports of workers that hang, die and return.

A model may work for minutes, so the time of a call says little. A worker that lives sends a heartbeat every second or
uses processor time; one that does neither is stopped or deadlocked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import psutil

from reachy_mind.events import WorkerChanged

HEARTBEAT_S = 1.0
"""Interval of a worker's heartbeats during a call."""
SILENCE_S = 2.0
"""A worker is hung after two such intervals without a sign of life. Two, because the first one means nothing when this
process itself was suspended."""


Result = TypeVar("Result")
Listener = Callable[[WorkerChanged], None]
_listeners: list[Listener] = []


def listen(listener: Listener) -> Callable[[], None]:
    """Call `listener` for every worker that hangs, dies or returns; gives a function that ends that."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def report(change: WorkerChanged) -> None:
    for listener in tuple(_listeners):
        listener(change)


class Hung(Exception):
    """The worker gives no sign of life. `began`: it had begun with the call."""

    def __init__(self, *, began: bool) -> None:
        super().__init__("no sign of life")
        self.began = began


class SignsOfLife:
    """Whether a process did anything since the last look."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._processor_s = 0.0
        self._heard = False
        self.ever = False
        """Whether there was a heartbeat at all."""

    def heartbeat(self) -> None:
        self._heard = self.ever = True

    def since_last(self) -> bool:
        heard, self._heard = self._heard, False
        try:
            times = psutil.Process(self._pid).cpu_times()
        except psutil.Error:
            return True  # it is gone: its socket tells
        before, self._processor_s = self._processor_s, times.user + times.system
        return heard or self._processor_s > before


async def until_done_or_silent(exchange: asyncio.Task[Result], signs: SignsOfLife) -> Result:
    """The result of `exchange`. Raises `Hung` when the process gives no sign of life meanwhile; cancels `exchange`
    when it does not finish."""
    try:
        silent = 0
        signs.since_last()
        while silent < 2:
            if (await asyncio.wait([exchange], timeout=SILENCE_S))[0]:
                return exchange.result()
            silent = 0 if signs.since_last() else silent + 1
        raise Hung(began=signs.ever)
    finally:
        if not exchange.done():
            exchange.cancel()
            await asyncio.wait([exchange])
