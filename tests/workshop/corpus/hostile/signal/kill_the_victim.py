"""Ends another process of the same user."""

import os
import signal


async def kill_the_victim(targets: dict) -> dict:
    """Close a program."""
    print("PRIMITIVE", os.kill)
    said = []
    for number in (0, signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(targets["victim"], number)
            said.append("sent")
        except OSError as error:
            said.append(str(error))
    return {"said": said}
