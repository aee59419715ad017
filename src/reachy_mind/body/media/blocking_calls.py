"""`run_blocking`: calls of a sound library that may hang, in a daemon thread with a timeout.

A device unplugged at the wrong moment leaves PortAudio waiting for its own thread for ever, and so does a sound server
that hangs. The caller gets an error after a timeout, and the daemon thread does not keep the program from ending.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

from reachy_mind.errors import NotReady

T = TypeVar("T")
BLOCKING_CALL_TIMEOUT_S = 5.0


async def run_blocking(
    work: Callable[[], T],
    what: str,
    undo: Callable[[T], object] = lambda made: None,  # noqa: ARG005
    timeout_s: float | None = None,
) -> T:
    """Run `work` in a thread. A result that comes after the timeout goes to `undo`. Raises what `work` raises, and
    NotReady, naming `what`, after the timeout."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(made: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            if error is None:
                threading.Thread(target=undo, args=(made,), daemon=True, name="undo").start()
        elif error is not None:
            done.set_exception(error)
        else:
            done.set_result(made)  # type: ignore[arg-type]

    def run() -> None:
        made: T | None = None
        failed: BaseException | None = None
        try:
            made = work()
        except BaseException as error:  # noqa: BLE001 -- raised in the caller
            failed = error
        with contextlib.suppress(RuntimeError):  # the event loop is closed: the program is ending
            loop.call_soon_threadsafe(settle, made, failed)

    threading.Thread(target=run, daemon=True, name=what).start()
    try:
        async with asyncio.timeout(BLOCKING_CALL_TIMEOUT_S if timeout_s is None else timeout_s):
            return await done
    except TimeoutError:
        raise NotReady(f"{what}: the sound system does not answer", hint="is its server alive?") from None
