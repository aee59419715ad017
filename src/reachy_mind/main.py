"""Reachy Mind as an app of the robot's daemon, which starts it as `python -m reachy_mind.main` and ends it with SIGINT.

The vendor's app manager fixes the name of this module and of the class, and reads `custom_app_url` from the text of
this file. It may import the module into its own process, so nothing heavy is imported before `run`.
"""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from typing import Any
from urllib.parse import urlsplit

ReachyMiniApp: Any = getattr(sys.modules.get("reachy_mini"), "ReachyMiniApp", object)
"""The vendor's class in a process that has loaded it, such as the daemon. It is never imported for this: that would
load GStreamer, and its `wrapped_run` opens a second connection to the robot beside ours."""


class ReachyMind(ReachyMiniApp):  # type: ignore[misc]
    """The interface of the vendor's `ReachyMiniApp`: the attributes that the app manager reads, `run` and `stop`."""

    custom_app_url: str | None = "http://0.0.0.0:8042"
    """Where the page is. The vendor's programs put the robot's own address in place of 0.0.0.0."""
    request_media_backend: str | None = "no_media"
    dont_start_webserver: bool = True

    def __init__(self, running_on_wireless: bool = False) -> None:  # noqa: ARG002 -- the vendor's signature
        self.stop_event = threading.Event()
        self.error = ""

    def wrapped_run(self, *_: Any, **__: Any) -> None:
        """`run` without a client of the vendor's, until `stop`. Raises what `run` raises; `error` keeps it as text."""
        try:
            self.run(None, self.stop_event)
        except Exception:
            self.error = traceback.format_exc()
            raise

    def run(self, reachy_mini: Any, stop_event: threading.Event) -> None:
        """Run the mind until `stop_event` is set, at the daemon of `reachy_mini` or else at the one that started us.

        Raises AlreadyRunning, PortTaken, RobotBusy, LinkLost or another MindError when it can't.
        """
        from reachy_mind.cli.hosted import run_hosted  # noqa: PLC0415

        port = urlsplit(self.custom_app_url or "").port
        assert port is not None
        run_hosted(reachy_mini, stop_event, port)

    def stop(self) -> None:
        """Make `run` return. It may be called from a signal handler."""
        self.stop_event.set()


def main() -> int:
    """Run the app until SIGINT or SIGTERM; the exit code."""
    app = ReachyMind()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: app.stop())
    from reachy_mind.errors import MindError  # noqa: PLC0415 -- after the handlers: a stop may come at any time

    try:
        app.wrapped_run()
    except MindError as error:
        sys.stderr.write(f"error: {error.message}\nhint: {error.hint}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
