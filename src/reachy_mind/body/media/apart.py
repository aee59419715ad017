"""`apart`: calls of a sound library that may never come back, in threads that nobody has to wait for.

A device that is unplugged at the wrong moment leaves PortAudio waiting for a thread of its own that never ends, and a
sound server that hangs is waited for without end. Whoever called is told so, and the program can still end.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

from reachy_mind.errors import NotReady

T = TypeVar("T")
PATIENCE_S = 5.0


async def apart(
    work: Callable[[], T],
    what: str,
    undo: Callable[[T], object] = lambda made: None,  # noqa: ARG005
    patience_s: float | None = None,
) -> T:
    """What `work` gives; `undo` gets it when it comes after nobody waits any more. Raises what `work` does, and
    NotReady, naming `what` it was for, when it takes too long."""
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
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is waited for
            failed = error
        with contextlib.suppress(RuntimeError):  # the loop was closed: the program ends
            loop.call_soon_threadsafe(settle, made, failed)

    threading.Thread(target=run, daemon=True, name=what).start()
    try:
        async with asyncio.timeout(PATIENCE_S if patience_s is None else patience_s):
            return await done
    except TimeoutError:
        raise NotReady(f"{what}: the sound system does not answer", hint="is its server alive?") from None
