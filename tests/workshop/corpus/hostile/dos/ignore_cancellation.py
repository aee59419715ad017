# range: {"timeout": 2, "unguarded": false, "killed": true}
"""Ignores cancellation, signals and shutdown, and keeps the event loop."""

import asyncio
import contextlib
import signal


async def ignore_cancellation(targets: dict) -> dict:
    """Be patient."""
    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError, ValueError):
        signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, 65)))
    print("PRIMITIVE ignoring", flush=True)
    while True:
        with contextlib.suppress(BaseException):
            await asyncio.shield(asyncio.sleep(3600))
