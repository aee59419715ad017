# range: {"unguarded": false}
"""Signals its process group, its session and everybody."""

import os
import signal


def kill_the_group(targets: dict) -> dict:
    """Say goodbye to all."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    print("PRIMITIVE", os.getpgrp(), os.getsid(0), flush=True)
    said = []
    for act in (lambda: os.kill(0, signal.SIGTERM), lambda: os.kill(-1, signal.SIGUSR1), lambda: os.killpg(os.getpgrp(), signal.SIGHUP), lambda: os.kill(-targets["victim"], signal.SIGTERM), lambda: os.kill(-1, signal.SIGKILL), lambda: os.killpg(0, signal.SIGKILL)):
        try:
            said.append(str(act()))
        except OSError as error:
            said.append(str(error))
    return {"said": said}
