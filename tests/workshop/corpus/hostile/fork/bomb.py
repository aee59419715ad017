# range: {"unguarded": false, "timeout": 4}
"""Forks without end (with a bound, should it succeed)."""

import os
import time


def bomb(targets: dict) -> dict:
    """Multiply."""
    print("PRIMITIVE", os.fork, flush=True)
    made = 0
    for _ in range(6):
        try:
            if os.fork() == 0:
                made = -1000
            else:
                made += 1
        except OSError as error:
            print(error)
            break
    if made > 0:
        print("EVIDENCE children", made)
    time.sleep(0.2 if made == 0 else 3)
    if made < 0:
        os._exit(0)
    return {"made": made}
