"""Forks; the child works on after the parent has answered."""

import os
import time


def plain_fork(targets: dict) -> dict:
    """Work twice as fast."""
    print("PRIMITIVE", os.fork, flush=True)
    try:
        child = os.fork()
    except OSError as error:
        return {"error": str(error)}
    if child == 0:
        time.sleep(0.2)
        for path in targets["markers"].values():
            try:
                open(path, "w").close()
            except OSError:
                pass
        os._exit(0)
    print("EVIDENCE a child", child)
    return {"child": child}
