# range: {"unguarded": false}
"""Ends its parent, so that no tool runs any more."""

import os
import signal


def kill_the_parent(targets: dict) -> dict:
    """Grow up."""
    print("PRIMITIVE", os.getppid(), os.getpid(), flush=True)
    said = []
    for pid in {os.getppid(), targets["host"], 1, 2}:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            if pid == os.getpid():
                continue
            try:
                os.kill(pid, number)
                said.append(f"sent to {pid}")
            except OSError as error:
                said.append(str(error))
    return {"said": said}
