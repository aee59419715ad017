"""Waiting for something that happens elsewhere: always with a deadline, and a failure that says what never came."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

import pytest

DEADLINE_S = 30.0
"""Far more than anything here takes on a loaded machine, and less than the time limit of a test."""
POLL_S = 0.01

Condition = Callable[[], object]


async def until(condition: Callable[[], object | Awaitable[object]], within: float = DEADLINE_S) -> None:
    """Return once the condition, a coroutine function perhaps, is true. Fail with its source after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        met = condition()
        if inspect.isawaitable(met):
            met = await met
        if met:
            return
        if time.monotonic() > deadline:
            _fail(condition, within)
        await asyncio.sleep(POLL_S)


def until_sync(condition: Condition, within: float = DEADLINE_S) -> None:
    """The same where no event loop runs."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            _fail(condition, within)
        time.sleep(POLL_S)


async def settled() -> None:
    """Return once the event loop has nothing ready to run: every task has gone as far as it can without the outside.

    A fixed number of rounds: callbacks that schedule callbacks are a handful deep, never dozens.
    """
    for _ in range(50):
        await asyncio.sleep(0)


def _fail(condition: Callable[[], object], within: float) -> None:
    try:
        what = " ".join(inspect.getsource(condition).split())
    except OSError:
        what = repr(condition)
    pytest.fail(f"this was not so within {within:g} s: {what}", pytrace=True)
