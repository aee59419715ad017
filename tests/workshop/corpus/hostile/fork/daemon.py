"""Detaches itself by a double fork into a session of its own."""

import os
import time


def daemon(targets: dict) -> dict:
    """Stay around."""
    print("PRIMITIVE", os.setsid, flush=True)
    said = []
    try:
        os.setsid()
        said.append("session")
    except OSError as error:
        said.append(str(error))
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(0.5)
                for path in targets["markers"].values():
                    try:
                        open(path, "w").write("daemon")
                    except OSError:
                        pass
                time.sleep(2)
            os._exit(0)
        print("EVIDENCE forked")
    except OSError as error:
        said.append(str(error))
    return {"said": said}
