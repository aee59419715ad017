"""`VirtualLoop`: an event loop that does not wait for its timers: it advances the `VirtualClock` to the next one.

Sockets and pipes are looked at first, and real work (`VirtualClock.busy`) is waited for in real time.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from reachy_mind.workshop.trial.clock import MONOTONIC_START, VirtualClock, real_sleep

SHORT_WAITS, SHORT_WAIT_S = 40, 0.00005
"""Real work is mostly a few dozen microseconds from its end: so often the loop looks again soon."""
LONG_WAIT_S = 0.002
NOTHING_TO_DO_WAIT_S = 0.02

Result = TypeVar("Result")


class VirtualSelector(selectors.BaseSelector):
    """A selector whose timeouts pass on the clock."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._real = selectors.DefaultSelector()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return self._real.select(0)
        return self._next(timeout)

    def _next(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        due = None if timeout is None else self._clock.elapsed + timeout
        looks = 0
        while True:
            if self._clock.runs_with_real_time:
                left = None if due is None else max(due - self._clock.elapsed, 0.0)
                return self._real.select(left)
            if events := self._real.select(0):
                return events
            if self._clock.busy():
                if events := self._wait(looks):
                    return events
                looks += 1
                continue
            if events := self._real.select(0):  # sent by real work that has just ended
                return events
            moments = [moment for moment in (due, self._clock.next_wake) if moment is not None]
            if moments:
                self._clock.advance_to(min(moments))
                return []
            if events := self._real.select(NOTHING_TO_DO_WAIT_S):
                return events

    def _wait(self, looks: int) -> list[tuple[selectors.SelectorKey, int]]:
        if looks < SHORT_WAITS:
            real_sleep(SHORT_WAIT_S)
            return []
        return self._real.select(LONG_WAIT_S)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        super().__init__(VirtualSelector(clock))

    def time(self) -> float:
        return MONOTONIC_START + self.clock.elapsed

    def run_forever(self) -> None:
        before, self.clock.loop_thread = self.clock.loop_thread, threading.get_ident()
        try:
            super().run_forever()
        finally:
            self.clock.loop_thread = before


def run(main: Callable[[], Coroutine[Any, Any, Result]], clock: VirtualClock) -> Result:
    """Run a coroutine to its end on virtual time, within `clock.patched()`."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(clock)) as runner:
        return runner.run(main())
