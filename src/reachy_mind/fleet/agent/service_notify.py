"""`ServiceNotify`: tells systemd that the agent is ready, and that it is alive (sd_notify)."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping

from reachy_mind import log

_log = log.get(__name__)


class ServiceNotify:
    """Does nothing where systemd has not started the process."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        mine = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        usec = environ.get("WATCHDOG_USEC", "")
        self._watchdog_s = int(usec) / 1e6 if mine and usec.isdecimal() else 0.0

    @property
    def is_service(self) -> bool:
        return bool(self._address)

    def tell(self, **about: str) -> None:
        """Such as READY="1", STATUS="connected"."""
        if not self._address:
            return
        text = "\n".join(f"{name}={' '.join(value.split())}" for name, value in about.items())
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as datagrams:
                datagrams.settimeout(0.0)
                datagrams.sendto(text.encode(), self._address)
        except OSError as error:
            _log.warning("systemd can't be told", reason=str(error))

    async def keep_alive(self, healthy: Callable[[], bool]) -> None:
        """Tell the watchdog twice in its time that the event loop runs, as long as the agent is healthy."""
        while self._watchdog_s:
            if healthy():
                self.tell(WATCHDOG="1")
            await asyncio.sleep(self._watchdog_s / 2)
