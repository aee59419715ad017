"""`ToolThreads`: threads for guest tools, each with an event loop of its own, and a timeout for each call.

Guest tools block: they sleep, wait for a page, compute. In these threads they block only themselves. A call ends at its
timeout even when the tool does not; a thread that does not respond is abandoned, and the next call gets a new one. When
too many threads are stuck, calls are refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import ctypes
import math
import threading
import time
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

from reachy_mind import log
from reachy_mind.errors import MindError, NotReady, TimedOut
from reachy_mind.tools import fork_guard
from reachy_mind.tools.definition import ToolError

MAX_STUCK_THREADS = 4
ANSWER_TIMEOUT_S = 0.25
"""How long a thread may take to answer that it is free: it only has to reach its next `await`."""
CANCEL_TIMEOUT_S = 0.4
"""How long a cancelled tool may take to end: less than `CANCEL_TIMEOUT_S` of the runner."""

_log = log.get(__name__)

CoroutineFactory = Callable[[], Coroutine[Any, Any, Any]]


class ThreadAbandoned(BaseException):
    """Raised in an abandoned thread."""


class ThreadCall:
    """One call in a tool thread, as the main thread sees it."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._main = asyncio.get_running_loop()
        self.ended: asyncio.Future[tuple[Any, BaseException | None]] = self._main.create_future()
        self.started = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.dropped = False
        self._claimed = threading.Lock()

    def claim(self) -> bool:
        """Whether the caller is the first to claim the call: its thread to start it, or the main thread to move it."""
        return self._claimed.acquire(blocking=False)

    def report_started(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._main.call_soon_threadsafe(self.started.set)

    def report(self, result: Any, error: BaseException | None) -> None:
        """Report the result from any thread; the first report wins."""
        with contextlib.suppress(RuntimeError):  # the main loop is closed
            self._main.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if not self.ended.done():
            self.ended.set_result((result, error))

    def cancel(self) -> None:
        self.dropped = True
        if self.task is not None:
            self.task.cancel()


class ToolThread:
    """A thread that runs an event loop until `end`."""

    def __init__(self, name: str, *, alone: bool) -> None:
        self.alone, self.abandoned, self.blocked_by = alone, False, ""
        self.calls: set[ThreadCall] = set()
        self.loop = asyncio.new_event_loop()
        fork_guard.guard(self.loop)
        self._ending = False
        self._thread = threading.Thread(target=self._run_loop, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def begin(self, make: CoroutineFactory, call: ThreadCall) -> None:
        """Start a call, in a copy of the caller's context."""
        self.calls.add(call)

        def start() -> None:
            if not call.dropped and call.claim():
                call.task = self.loop.create_task(_run_call(make, call), name=call.what)
                call.report_started()

        self.loop.call_soon_threadsafe(start, context=contextvars.copy_context())

    async def answers(self, timeout_s: float) -> bool:
        """Whether its event loop responds within the timeout."""
        main = asyncio.get_running_loop()
        answered = asyncio.Event()

        def answer() -> None:
            with contextlib.suppress(RuntimeError):
                main.call_soon_threadsafe(answered.set)

        try:
            self.loop.call_soon_threadsafe(answer)
            async with asyncio.timeout(timeout_s):
                await answered.wait()
        except (RuntimeError, TimeoutError):
            return False
        return True

    def end(self) -> None:
        """Cancel what is left and end, as soon as its event loop runs."""
        self._ending = True
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.loop.stop)

    def abandon(self, blocked_by: str) -> None:
        """Stop waiting for it. Code that computes is interrupted; code that sleeps ends when it wakes."""
        self.abandoned, self.blocked_by = True, blocked_by
        for call in list(self.calls):
            call.report(None, NotReady(f"{call.what} was held up by {blocked_by}", hint="try it again"))
        self.end()
        interrupt(self._thread)

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self._ending:
            try:
                self.loop.run_forever()
            except BaseException as error:  # noqa: BLE001 -- a guest task tried to exit: it ends, the process does not
                _log.warning("a guest tool left its thread", error=f"{type(error).__name__}: {error}"[:200])
        with contextlib.suppress(BaseException):
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left and not self.abandoned:
                self.loop.run_until_complete(asyncio.wait(left, timeout=1.0))
        with contextlib.suppress(BaseException):
            self.loop.close()


def interrupt(thread: threading.Thread) -> None:
    """Raise ThreadAbandoned at the next step of Python code in a thread."""
    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(ThreadAbandoned))


async def _run_call(make: CoroutineFactory, call: ThreadCall) -> None:
    result, error = None, None
    try:
        result = await make()
    except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001 -- reported to the caller
        error = raised
    except BaseException as raised:  # noqa: BLE001 -- a guest's exit must not end the process
        error = ToolError("TOOL_FAILED", f"{call.what} tried to exit ({type(raised).__name__}: {raised})"[:300])
    call.report(result, error)


class ToolThreads:
    """The threads of one folder of tools. Calls share a thread while it responds; `alone` gets one of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._threads: list[ToolThread] = []
        weakref.finalize(self, _end_all, self._threads)

    async def run(
        self, make: CoroutineFactory, *, what: str, timeout_s: Callable[[], float], alone: bool = False
    ) -> Any:
        """Run a coroutine in a thread. `timeout_s()` is evaluated again when the time is over, as it may have grown.

        Raises what it raises, TimedOut, or NotReady when too many threads are stuck.
        """
        thread, call = await self._start(make, what, alone=alone)
        began = time.monotonic()
        try:
            while not call.ended.done():
                left = timeout_s() - (time.monotonic() - began)
                if left <= 0:
                    raise TimedOut(f"{what} took longer than {timeout_s():g} s", hint="it was given up")
                await asyncio.wait([call.ended], timeout=None if math.isinf(left) else left)
            result, error = call.ended.result()
        finally:
            if not call.ended.done():
                await self._cancel(thread, call)
            thread.calls.discard(call)
            if alone:
                thread.end()
        if error is not None:
            raise error
        return result

    async def _start(self, make: CoroutineFactory, what: str, *, alone: bool) -> tuple[ToolThread, ThreadCall]:
        """Start it in a free thread; try another when that one became busy meanwhile."""
        while True:
            thread, call = await self._free_thread(alone=alone), ThreadCall(what)
            thread.begin(make, call)
            try:
                # Not wait_for, which in Python 3.11 can lose a cancellation.
                async with asyncio.timeout(ANSWER_TIMEOUT_S):
                    await call.started.wait()
            except TimeoutError:
                if call.claim():
                    thread.calls.discard(call)
                    continue
            except asyncio.CancelledError:
                if not call.claim():
                    await self._cancel(thread, call)
                thread.calls.discard(call)
                raise
            return thread, call

    def close(self) -> None:
        """End all free threads; busy ones end when their tool returns."""
        _end_all(self._threads)

    async def _free_thread(self, *, alone: bool) -> ToolThread:
        self._threads[:] = [thread for thread in self._threads if thread.alive]
        shared = [thread for thread in self._threads if not thread.alone and not thread.abandoned]
        free = await asyncio.gather(*(thread.answers(ANSWER_TIMEOUT_S) for thread in shared)) if not alone else []
        for thread, answers in zip(shared, free, strict=False):
            if answers:
                return thread
        stuck = [thread for thread in self._threads if thread.abandoned]
        busy = len(stuck) + free.count(False)
        if busy >= MAX_STUCK_THREADS:
            who = ", ".join(sorted({thread.blocked_by for thread in stuck})) or "its tools"
            raise NotReady(
                f"{busy} threads of {self.name} do not respond ({who})", hint="start again without that tool"
            )
        thread = ToolThread(f"guests of {self.name}", alone=alone)
        self._threads.append(thread)
        return thread

    async def _cancel(self, thread: ToolThread, call: ThreadCall) -> None:
        """Cancel a call. A thread that does not respond is abandoned."""
        call.dropped = True
        with contextlib.suppress(RuntimeError):
            thread.loop.call_soon_threadsafe(call.cancel)
        await asyncio.wait([call.ended], timeout=CANCEL_TIMEOUT_S)
        if call.ended.done():
            return
        if await thread.answers(ANSWER_TIMEOUT_S):
            _log.warning("a guest tool does not end when it is cancelled", tool=call.what)
        elif not thread.abandoned:
            _log.warning("a guest tool blocks its thread, which is abandoned", tool=call.what, threads=self.name)
            thread.abandon(call.what)


def run_in_thread(function: Callable[[], Any], seconds: float, what: str) -> Any:
    """Call a function in a thread of its own, with a timeout. Raises MindError for any error."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001 -- raised in the caller
            errors.append(error)

    thread = threading.Thread(target=work, name=what, daemon=True)
    thread.start()
    thread.join(seconds)
    if results:
        return results[0]
    if errors:
        error = errors[0]
        raise error if isinstance(error, MindError) else MindError(f"{type(error).__name__}: {error}"[:500])
    interrupt(thread)
    raise TimedOut(f"{what} took longer than {seconds:g} s")


def _end_all(threads: list[ToolThread]) -> None:
    for thread in threads:
        thread.end()
