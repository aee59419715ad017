"""This machine as others on its network know it: its addresses and names, and a socket for them."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Iterable

import psutil

from reachy_mind.errors import ConfigError, PortTaken
from reachy_mind.loopback import is_loopback, listen


def addresses() -> list[str]:
    """IPv4 addresses that others can reach, those of home networks first."""
    found = [
        each.address
        for card in psutil.net_if_addrs().values()
        for each in card
        if each.family == socket.AF_INET and not is_loopback(each.address)
    ]
    return sorted(dict.fromkeys(found), key=lambda address: not ipaddress.ip_address(address).is_private)


def names(more: Iterable[str] = ()) -> list[str]:
    """What this machine is called: by itself, by its neighbours (mDNS), and by whoever set `server.names`."""
    own = socket.gethostname().lower()
    called = [own, f"{own.removesuffix('.local')}.local"] if own and not is_loopback(own) else []
    return list(dict.fromkeys([*called, *(name.lower() for name in more)]))


def listen_on(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """Sockets for this machine's own programs and for its network, on the same port: the nearer address wins.

    Raises PortTaken, and ConfigError when there is no such address here.
    """
    try:
        if port:
            socket.create_server((host, port)).close()  # two that share a port don't notice a third
        near = listen(port, shared=True)
        far = socket.create_server((host, near.getsockname()[1]), reuse_port=True)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            hint = "choose another one with --port"
            raise PortTaken(f"port {port} can't be used: another program has it", hint=hint) from error
        raise ConfigError(f"server.host: {host} can't be listened on: {error}", hint="0.0.0.0 means all") from error
    far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return near, far
