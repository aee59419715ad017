# range: {"unguarded": false, "killed": true, "timeout": 2}
"""Ignores and blocks all signals, also those of its limits, and goes on computing."""

import contextlib
import signal


def ignore_everything(targets: dict) -> dict:
    """Concentrate."""
    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, lambda *_: None)
    with contextlib.suppress(OSError, ValueError):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    print("PRIMITIVE blocked", flush=True)
    while True:
        sum(range(1000))
