"""`VirtualClock`: the time of a trial. It advances when nothing real is under way, as far as the next timer.

Real work is what takes real time: work in threads of an executor, and the watched child processes. While any of it is
under way the clock stands still. `patched` makes the `time` module of this process follow the clock; the standard
library's own waits in threads (`threading`, `queue`, `subprocess`) stay real.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import concurrent.futures.thread
import contextlib
import heapq
import itertools
import queue  # noqa: F401 -- it must have the real clock: imported before that is replaced
import subprocess  # noqa: F401 -- the same
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from reachy_mind.workshop.trial.child_activity import ChildActivity

MONOTONIC_START = 10_000.0
"""The monotonic time at the start of a trial: the same in each, and long after boot."""
_NANO = 1_000_000_000
_CLOCK_IDS = ("CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME")
_REAL = {name: getattr(time, name) for name in dir(time) if callable(getattr(time, name))}
real_monotonic: Callable[[], float] = _REAL["monotonic"]
real_sleep: Callable[[float], None] = _REAL["sleep"]

Result = TypeVar("Result")


class VirtualClock:
    """Virtual seconds since the start. `epoch`: the Unix time at the start, else the present."""

    def __init__(self, *, epoch: float | None = None) -> None:
        self.epoch = float(int(_REAL["time"]())) if epoch is None else epoch
        self._now = 0.0
        self._real_since: float | None = None
        self._real_users = 0
        self._lock = threading.Lock()
        self._real_work = 0
        self._sleepers: list[tuple[float, int, threading.Event, bool]] = []
        self._numbers = itertools.count()
        self._in_work = threading.local()
        self._children: dict[int, ChildActivity] = {}
        self._ended: set[int] = set()
        self.loop_thread: int | None = None

    # Readings

    @property
    def elapsed(self) -> float:
        """Virtual seconds since the start."""
        return self._now if self._real_since is None else self._now + real_monotonic() - self._real_since

    def monotonic(self) -> float:
        return MONOTONIC_START + self.elapsed

    def time(self) -> float:
        return self.epoch + self.elapsed

    # Advance

    def advance_to(self, elapsed: float) -> None:
        """Advance to this many seconds since the start and wake the threads whose sleep has ended."""
        self._now = max(self._now, elapsed)
        with self._lock:
            while self._sleepers and self._sleepers[0][0] <= self._now:
                _, _, woken, in_work = heapq.heappop(self._sleepers)
                self._real_work += in_work
                woken.set()

    @property
    def next_wake(self) -> float | None:
        """When the first sleep of a thread ends, in seconds since the start."""
        with self._lock:
            return self._sleepers[0][0] if self._sleepers else None

    def sleep(self, seconds: float) -> None:
        """`time.sleep`. In the event loop's thread it advances the clock; another thread waits for that."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if self._real_since is not None:
            real_sleep(seconds)
        elif self.loop_thread is None or self.loop_thread == threading.get_ident():
            self.advance_to(self._now + seconds)
        else:
            woken, in_work = threading.Event(), bool(getattr(self._in_work, "on", False))
            with self._lock:
                heapq.heappush(self._sleepers, (self._now + seconds, next(self._numbers), woken, in_work))
                self._real_work -= in_work
            woken.wait()

    @contextlib.contextmanager
    def real_time(self) -> Iterator[None]:
        """Let the clock run with real time for the duration of a `with`: to start processes, for example."""
        self._begin_real_time()
        try:
            yield
        finally:
            self._end_real_time()

    def _begin_real_time(self) -> None:
        self._real_users += 1
        if self._real_since is None:
            self._real_since = real_monotonic()

    def _end_real_time(self) -> None:
        self._real_users -= 1
        if not self._real_users:
            self._now, self._real_since = self.elapsed, None

    @property
    def runs_with_real_time(self) -> bool:
        return self._real_since is not None

    # Real work

    def watch(self, pid: int) -> None:
        """Hold the clock while this process computes. From its end to `unwatch` the clock runs with real time."""
        self._children[pid] = ChildActivity(pid)

    def unwatch(self, pid: int) -> None:
        """The process has ended, and that was noticed."""
        self._children.pop(pid, None)
        if pid in self._ended:
            self._ended.remove(pid)
            self._end_real_time()

    def busy(self) -> bool:
        """Whether real work is under way."""
        with self._lock:
            if self._real_work > 0:
                return True
        for pid, child in list(self._children.items()):
            match child.state():
                case "runs":
                    return True
                case "ended":
                    del self._children[pid]
                    self._ended.add(pid)
                    self._begin_real_time()
                    return True
        return False

    def submit(
        self,
        submit: Callable[..., concurrent.futures.Future[None]],
        work: Callable[..., Result],
        *args: Any,
        **kwargs: Any,
    ) -> concurrent.futures.Future[Result]:
        """`Executor.submit` of work that holds the clock until its result was delivered."""
        outer: concurrent.futures.Future[Result] = concurrent.futures.Future()

        def run() -> None:
            if not outer.set_running_or_notify_cancel():
                return
            self._in_work.on = True
            try:
                result = work(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 -- it belongs to whoever waits for the result
                outer.set_exception(error)
            else:
                outer.set_result(result)
            finally:
                self._in_work.on = False

        def ended(inner: concurrent.futures.Future[None]) -> None:
            if inner.cancelled():
                outer.cancel()
            with self._lock:
                self._real_work -= 1

        with self._lock:
            self._real_work += 1
        try:
            inner = submit(run)
        except BaseException:
            with self._lock:
                self._real_work -= 1
            raise
        inner.add_done_callback(ended)
        return outer

    @contextlib.asynccontextmanager
    async def wall_timeout(self, seconds: float) -> AsyncIterator[None]:
        """`asyncio.timeout` in real seconds. Raises TimeoutError."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(None) as limit:

            def expire() -> None:
                if not ended:
                    limit.reschedule(loop.time())

            ended = False
            timer = _real_timer(seconds, expire)
            try:
                yield
            finally:
                ended = True
                timer.cancel()

    async def real_pause(self, seconds: float) -> None:
        """Wait for real seconds, without holding the clock."""
        over = asyncio.Event()
        timer = _real_timer(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()

    # The `time` module

    @contextlib.contextmanager
    def patched(self) -> Iterator[None]:
        """Make `time` and the executors of threads follow this clock for the duration of a `with`."""
        executor = concurrent.futures.thread.ThreadPoolExecutor
        submit = executor.submit

        def counted(pool: Any, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
            return self.submit(lambda run: submit(pool, run), work, *args, **kwargs)

        for name, function in self._functions().items():
            setattr(time, name, function)
        executor.submit = counted  # type: ignore[method-assign]
        try:
            yield
        finally:
            executor.submit = submit  # type: ignore[method-assign]
            for name in self._functions():
                setattr(time, name, _REAL[name])

    def _functions(self) -> dict[str, Callable[..., Any]]:
        def at(moment: float | None) -> float:
            return self.time() if moment is None else moment

        clocks = {getattr(time, name): self.monotonic for name in _CLOCK_IDS if hasattr(time, name)}
        clocks[getattr(time, "CLOCK_REALTIME", 0)] = self.time

        def clock_gettime(clock: int) -> float:
            value: float = clocks[clock]() if clock in clocks else _REAL["clock_gettime"](clock)
            return value

        return {
            "time": self.time,
            "time_ns": lambda: int(self.time() * _NANO),
            "monotonic": self.monotonic,
            "monotonic_ns": lambda: int(self.monotonic() * _NANO),
            "perf_counter": self.monotonic,
            "perf_counter_ns": lambda: int(self.monotonic() * _NANO),
            "sleep": self.sleep,
            "clock_gettime": clock_gettime,
            "clock_gettime_ns": lambda clock: int(clock_gettime(clock) * _NANO),
            "localtime": lambda moment=None: _REAL["localtime"](at(moment)),
            "gmtime": lambda moment=None: _REAL["gmtime"](at(moment)),
            "ctime": lambda moment=None: _REAL["ctime"](at(moment)),
            "asctime": lambda parts=None: _REAL["asctime"](parts or _REAL["localtime"](self.time())),
            "strftime": lambda form, parts=None: _REAL["strftime"](form, parts or _REAL["localtime"](self.time())),
        }


def _real_timer(seconds: float, callback: Callable[[], None]) -> threading.Timer:
    """Have `callback` called in this event loop after so many real seconds."""
    loop = asyncio.get_running_loop()

    def fire() -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(callback)

    timer = threading.Timer(seconds, fire)
    timer.daemon = True
    timer.start()
    return timer
