"""Virtual time inside a worker: `time`, `datetime`, asyncio's timers and the timeouts of threads follow the host.

The host has the clock. To wait is to call `clock.sleep`, and every reply of the host tells the time. Code that only
reads the clock, again and again, waits too: after so many readings some time passes.

    clock.sleep {until, waiter}    answered at that Unix time. A later call of the same waiter ends the earlier one.
"""

from __future__ import annotations

import _thread
import contextlib
import datetime as datetime_module
import itertools
import queue  # noqa: F401  (its own name for the clock is replaced with all others)
import random
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable
from datetime import date as _real_date
from datetime import datetime as _real_datetime
from typing import Any

MONOTONIC_START = 10_000.0
LEAST_WAIT_S = 1e-6
"""More than the resolution of a Unix time as a float: every wait comes to an end."""
READS = 200
"""So many readings of the clock in a row, without a call of the host, count as waiting."""
READ_STEP_S, READ_SHARE = 0.01, 0.01
"""Time that then passes: at least this, and this share of the time that was waited so already."""

_REAL: dict[str, Any] = {name: getattr(time, name) for name in dir(time) if callable(getattr(time, name))}
_NANO = 1_000_000_000
_real_wait, _real_join = threading.Condition.wait, threading.Thread.join
_RealSelector: Any = selectors.DefaultSelector
_waiters = itertools.count(1)


class _Clock:
    """The time of the host, as it was told last."""

    def __init__(self, channel: Any, now: float) -> None:
        self.channel = channel
        self.start = self.now = now
        self._reads = 0
        self._waited_since = now
        self._waiting = False

    def told(self, now: float) -> None:
        """The host's time, with a reply."""
        self.now = max(self.now, now)
        if not self._waiting:
            self._reads, self._waited_since = 0, self.now

    def read(self) -> float:
        self._reads += 1
        if self._reads >= READS and not self._waiting:
            self._reads, self._waiting = 0, True
            try:
                self.sleep(max(READ_STEP_S, READ_SHARE * (self.now - self._waited_since)))
            finally:
                self._waiting = False
        return self.now

    def monotonic(self) -> float:
        return MONOTONIC_START + self.read() - self.start

    def sleep(self, seconds: float) -> None:
        """Wait, in this thread."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if seconds == 0:
            self.read()
            return
        until = self.now + max(seconds, LEAST_WAIT_S)
        self.channel.call("clock.sleep", {"until": until, "waiter": 0})
        self.told(until)

    def begin_sleep(self, until: float, waiter: int, resume: Callable[[dict[str, Any]], None]) -> None:
        """Have `resume` called, in the channel's thread, at that time or when the same waiter begins another sleep."""
        self.channel.begin("clock.sleep", {"until": until, "waiter": waiter}, resume)

    def end_sleep(self, waiter: int) -> None:
        self.begin_sleep(0.0, waiter, lambda _: None)


_clock: _Clock


def install(channel: Any, now: float) -> None:
    """Replace the clocks and waits of this process. Called once, before the code is loaded."""
    global _clock  # noqa: PLW0603
    _clock = _Clock(channel, float(now))
    channel.on_now = _clock.told
    random.seed(0)  # a trial that is run again does the same
    _replace_functions(_functions(_clock))
    threading.Condition.wait = _wait  # type: ignore[assignment, method-assign]
    threading.Thread.join = _join  # type: ignore[assignment, method-assign]
    selectors.DefaultSelector = _Selector  # type: ignore[misc]
    datetime_module.datetime = _Datetime  # type: ignore[misc]
    datetime_module.date = _Date  # type: ignore[misc]


def _functions(clock: _Clock) -> dict[str, Callable[..., Any]]:
    def at(moment: float | None) -> float:
        return clock.read() if moment is None else moment

    def clock_gettime(number: int) -> float:
        if number == time.CLOCK_REALTIME:
            return clock.read()
        known = {getattr(time, f"CLOCK_{name}", None) for name in ("MONOTONIC", "MONOTONIC_RAW", "BOOTTIME")}
        value: float = clock.monotonic() if number in known else _REAL["clock_gettime"](number)
        return value

    return {
        "time": clock.read,
        "time_ns": lambda: int(clock.read() * _NANO),
        "monotonic": clock.monotonic,
        "monotonic_ns": lambda: int(clock.monotonic() * _NANO),
        "perf_counter": clock.monotonic,
        "perf_counter_ns": lambda: int(clock.monotonic() * _NANO),
        "sleep": clock.sleep,
        "clock_gettime": clock_gettime,
        "clock_gettime_ns": lambda number: int(clock_gettime(number) * _NANO),
        "localtime": lambda moment=None: _REAL["localtime"](at(moment)),
        "gmtime": lambda moment=None: _REAL["gmtime"](at(moment)),
        "ctime": lambda moment=None: _REAL["ctime"](at(moment)),
        "asctime": lambda parts=None: _REAL["asctime"](parts or _REAL["localtime"](clock.read())),
        "strftime": lambda form, parts=None: _REAL["strftime"](form, parts or _REAL["localtime"](clock.read())),
    }


def _replace_functions(functions: dict[str, Callable[..., Any]]) -> None:
    """Replace functions of `time` in every module that has them, by whatever name."""
    replacements = {id(_REAL[name]): function for name, function in functions.items()}
    for module in list(sys.modules.values()):
        content = getattr(module, "__dict__", None)
        if module is None or content is None or content.get("_REAL") is _REAL:
            continue
        for name, value in list(content.items()):
            replacement = replacements.get(id(value))
            if replacement is not None:
                setattr(module, name, replacement)


# Threads


def _wait(condition: Any, timeout: float | None = None) -> bool:
    """`threading.Condition.wait`: a timeout passes on the clock."""
    if timeout is None or timeout <= 0:
        return bool(_real_wait(condition, timeout))
    if not condition._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    woken = _thread.allocate_lock()
    woken.acquire()
    condition._waiters.append(woken)
    saved, waiter = condition._release_save(), next(_waiters)

    def resume(_: dict[str, Any]) -> None:
        with contextlib.suppress(RuntimeError):  # it was notified meanwhile
            woken.release()

    try:
        _clock.begin_sleep(_clock.now + max(timeout, LEAST_WAIT_S), waiter, resume)
        woken.acquire()
    finally:
        condition._acquire_restore(saved)
        notified = woken not in condition._waiters
        if not notified:
            condition._waiters.remove(woken)
    if notified:
        _clock.end_sleep(waiter)
    return notified


def _join(thread: threading.Thread, timeout: float | None = None) -> None:
    """`threading.Thread.join`: a timeout passes on the clock."""
    if timeout is None or timeout <= 0:
        _real_join(thread, timeout)
        return
    until = _clock.now + timeout
    while thread.is_alive() and _clock.now < until:
        _clock.sleep(min(until - _clock.now, max(READ_STEP_S, timeout / 100)))
    _real_join(thread, 0)


# Event loops


class _Selector(_RealSelector):  # type: ignore[misc]
    """The selector of event loops: its timeouts pass on the clock."""

    def __init__(self) -> None:
        super().__init__()
        self._waiter = next(_waiters)
        self._due = 0.0
        self._bell, self._wire = socket.socketpair()
        for end in (self._bell, self._wire):
            end.setblocking(False)  # noqa: FBT003
        super().register(self._bell, selectors.EVENT_READ)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return self._events(0)
        events = self._events(0)
        if events or timeout is None:
            return events or self._events(None)
        due = self._due = _clock.now + max(timeout, LEAST_WAIT_S)
        _clock.begin_sleep(due, self._waiter, lambda _: self._ring(due))
        while not events and _clock.now < due:
            events = self._events(None)
        return events

    def _ring(self, due: float) -> None:
        """Wake the selector, in the channel's thread, if it still waits for this moment."""
        if self._due == due:
            _clock.told(due)
            with contextlib.suppress(OSError):
                self._wire.send(b"!")

    def _events(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        found: list[tuple[selectors.SelectorKey, int]] = super().select(timeout)
        others = [(key, mask) for key, mask in found if key.fileobj is not self._bell]
        if len(others) < len(found):
            with contextlib.suppress(OSError):
                self._bell.recv(64)
        return others

    def close(self) -> None:
        if self._due:
            _clock.end_sleep(self._waiter)
        super().close()
        self._bell.close()
        self._wire.close()


# Dates


class _DatetimeMeta(type):
    """Values made before, or by C code, are instances too."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _real_datetime if issubclass(cls, _real_datetime) else _real_date)


class _Date(_real_date, metaclass=_DatetimeMeta):
    @classmethod
    def today(cls) -> Any:
        return cls.fromtimestamp(_clock.read())

    def __repr__(self) -> str:
        return f"datetime.{super().__repr__()}"


class _Datetime(_real_datetime, metaclass=_DatetimeMeta):
    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return cls.fromtimestamp(_clock.read(), tz)

    @classmethod
    def utcnow(cls) -> Any:
        return cls.fromtimestamp(_clock.read(), datetime_module.UTC).replace(tzinfo=None)

    @classmethod
    def today(cls) -> Any:
        return cls.now()

    def __repr__(self) -> str:
        return f"datetime.{super().__repr__()}"


for _kind, _name in ((_Date, "date"), (_Datetime, "datetime")):
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = "datetime"
