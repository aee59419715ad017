"""`Room`: threads in which other people's tools run, each with an event loop of its own.

Such tools block: they sleep, wait for a page, compute. Here they hold up nobody but themselves. A call ends when its
time is over, whether the tool agrees or not; a thread that does not come back is given up, and the next call gets a new
one. There are only so many of those: then calls are refused until one comes back.
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
from reachy_mind.tools import forks
from reachy_mind.tools.definition import ToolError

MOST_STUCK = 4
ANSWER_S = 0.25
"""How long a thread may take to say that it is free: it only has to reach its next `await`."""
END_S = 0.4
"""How long a cancelled tool may take to end: less than the gate waits for it."""

_log = log.get(__name__)

Make = Callable[[], Coroutine[Any, Any, Any]]


class GivenUp(BaseException):
    """Raised in a thread that nobody waits for any more."""


class Stay:
    """One call in a guest thread, as the main thread sees it."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._main = asyncio.get_running_loop()
        self.ended: asyncio.Future[tuple[Any, BaseException | None]] = self._main.create_future()
        self.begun = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.dropped = False
        self._claimed = threading.Lock()

    def claim(self) -> bool:
        """Whether whoever asks decides if it begins: the thread, or the main one that takes it elsewhere."""
        return self._claimed.acquire(blocking=False)

    def tell_begun(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._main.call_soon_threadsafe(self.begun.set)

    def tell(self, result: Any, error: BaseException | None) -> None:
        """How it ended; from any thread, the first to say so counts."""
        with contextlib.suppress(RuntimeError):  # the mind is gone
            self._main.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if not self.ended.done():
            self.ended.set_result((result, error))

    def cancel(self) -> None:
        self.dropped = True
        if self.task is not None:
            self.task.cancel()


class Thread:
    """A thread that runs an event loop until it is told to end."""

    def __init__(self, name: str, *, alone: bool) -> None:
        self.alone, self.given_up, self.held_by = alone, False, ""
        self.stays: set[Stay] = set()
        self.loop = asyncio.new_event_loop()
        forks.guard(self.loop)
        self._ending = False
        self._thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def begin(self, make: Make, stay: Stay) -> None:
        """Start a call, in a copy of the caller's context."""
        self.stays.add(stay)

        def start() -> None:
            if not stay.dropped and stay.claim():
                stay.task = self.loop.create_task(_inside(make, stay), name=stay.what)
                stay.tell_begun()

        self.loop.call_soon_threadsafe(start, context=contextvars.copy_context())

    async def answers(self, within: float) -> bool:
        """Whether it is free to do something now."""
        main = asyncio.get_running_loop()
        answered = asyncio.Event()

        def answer() -> None:
            with contextlib.suppress(RuntimeError):
                main.call_soon_threadsafe(answered.set)

        try:
            self.loop.call_soon_threadsafe(answer)
            async with asyncio.timeout(within):
                await answered.wait()
        except (RuntimeError, TimeoutError):
            return False
        return True

    def end(self) -> None:
        """Cancel what is left and end, when it comes to it."""
        self._ending = True
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.loop.stop)

    def give_up(self, held_by: str) -> None:
        """Nobody waits for it any more; code that computes is interrupted, code that sleeps ends when it wakes."""
        self.given_up, self.held_by = True, held_by
        for stay in list(self.stays):
            stay.tell(None, NotReady(f"{stay.what} was held up by {held_by}", hint="try it again"))
        self.end()
        interrupt(self._thread)

    def _live(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self._ending:
            try:
                self.loop.run_forever()
            except BaseException as error:  # noqa: BLE001 -- a task of theirs tried to exit: it ends, we do not
                _log.warning("a guest tool left its thread", error=f"{type(error).__name__}: {error}"[:200])
        with contextlib.suppress(BaseException):
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left and not self.given_up:
                self.loop.run_until_complete(asyncio.wait(left, timeout=1.0))
        with contextlib.suppress(BaseException):
            self.loop.close()


def interrupt(thread: threading.Thread) -> None:
    """Raise GivenUp at the next step of Python code in a thread."""
    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(GivenUp))


async def _inside(make: Make, stay: Stay) -> None:
    result, error = None, None
    try:
        result = await make()
    except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001 -- told to whoever called
        error = raised
    except BaseException as raised:  # noqa: BLE001 -- an exit of theirs is none of ours
        error = ToolError("TOOL_FAILED", f"{stay.what} tried to exit ({type(raised).__name__}: {raised})"[:300])
    stay.tell(result, error)


class Room:
    """The threads of one folder of tools. Calls share a thread as long as it answers; `alone` has one of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._threads: list[Thread] = []
        weakref.finalize(self, _end_all, self._threads)

    async def run(self, make: Make, *, what: str, allowed: Callable[[], float], alone: bool = False) -> Any:
        """Run it in a thread of this room, for as long as `allowed()` says, which is asked again when that is over.

        Raises what it raises, TimedOut, or NotReady when too many threads are stuck.
        """
        thread, stay = await self._begun(make, what, alone=alone)
        began = time.monotonic()
        try:
            while not stay.ended.done():
                left = allowed() - (time.monotonic() - began)
                if left <= 0:
                    raise TimedOut(f"{what} took longer than {allowed():g} s", hint="it was given up")
                await asyncio.wait([stay.ended], timeout=None if math.isinf(left) else left)
            result, error = stay.ended.result()
        finally:
            if not stay.ended.done():
                await self._drop(thread, stay)
            thread.stays.discard(stay)
            if alone:
                thread.end()
        if error is not None:
            raise error
        return result

    async def _begun(self, make: Make, what: str, *, alone: bool) -> tuple[Thread, Stay]:
        """Begin it in a thread that is free, and still is when its turn comes: another call may be quicker."""
        while True:
            thread, stay = await self._free(alone=alone), Stay(what)
            thread.begin(make, stay)
            try:
                async with asyncio.timeout(ANSWER_S):  # not wait_for, which in Python 3.11 can lose a cancellation
                    await stay.begun.wait()
            except TimeoutError:
                if stay.claim():
                    thread.stays.discard(stay)
                    continue
            except asyncio.CancelledError:
                if not stay.claim():
                    await self._drop(thread, stay)
                thread.stays.discard(stay)
                raise
            return thread, stay

    def close(self) -> None:
        """End all threads that are free; the others end when they come to it."""
        _end_all(self._threads)

    async def _free(self, *, alone: bool) -> Thread:
        self._threads[:] = [thread for thread in self._threads if thread.alive]
        shared = [thread for thread in self._threads if not thread.alone and not thread.given_up]
        free = await asyncio.gather(*(thread.answers(ANSWER_S) for thread in shared)) if not alone else []
        for thread, answers in zip(shared, free, strict=False):
            if answers:
                return thread
        stuck = [thread for thread in self._threads if thread.given_up]
        busy = len(stuck) + free.count(False)
        if busy >= MOST_STUCK:
            who = ", ".join(sorted({thread.held_by for thread in stuck})) or "its tools"
            raise NotReady(
                f"{busy} threads of {self.name} do not come back ({who})", hint="start again without that tool"
            )
        thread = Thread(f"guests of {self.name}", alone=alone)
        self._threads.append(thread)
        return thread

    async def _drop(self, thread: Thread, stay: Stay) -> None:
        """Cancel a call; if its thread does not even hear that, the thread is given up."""
        stay.dropped = True
        with contextlib.suppress(RuntimeError):
            thread.loop.call_soon_threadsafe(stay.cancel)
        await asyncio.wait([stay.ended], timeout=END_S)
        if stay.ended.done():
            return
        if await thread.answers(ANSWER_S):
            _log.warning("a guest tool does not end when it is cancelled", tool=stay.what)
        elif not thread.given_up:
            _log.warning("a guest tool holds its thread, which is given up", tool=stay.what, room=self.name)
            thread.give_up(stay.what)


def apart(function: Callable[[], Any], seconds: float, what: str) -> Any:
    """Call it in a thread of its own, and not wait longer than that. Raises MindError for whatever went wrong."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001 -- told to whoever called
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


def _end_all(threads: list[Thread]) -> None:
    for thread in threads:
        thread.end()
