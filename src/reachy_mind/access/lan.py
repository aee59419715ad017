"""This machine on its local network: its addresses and host names, and the sockets to listen on."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Iterable

import psutil

from reachy_mind.access.loopback import is_loopback, listen
from reachy_mind.errors import ConfigError, PortTaken


def addresses() -> list[str]:
    """IPv4 addresses that other machines can reach, private ones first."""
    found = [
        each.address
        for card in psutil.net_if_addrs().values()
        for each in card
        if each.family == socket.AF_INET and not is_loopback(each.address)
    ]
    return sorted(dict.fromkeys(found), key=lambda address: not ipaddress.ip_address(address).is_private)


def names(more: Iterable[str] = ()) -> list[str]:
    """Host names of this machine: its own, its mDNS name, and those of the setting `server.names` (`more`)."""
    own = socket.gethostname().lower()
    found = [own, f"{own.removesuffix('.local')}.local"] if own and not is_loopback(own) else []
    return list(dict.fromkeys([*found, *(name.lower() for name in more)]))


def listen_on(host: str, port: int) -> tuple[socket.socket, socket.socket]:
    """Two sockets on the same port: on loopback and on `host`; the more specific address wins.

    Raises PortTaken, and ConfigError when this machine does not have the address `host`.
    """
    try:
        if port:
            socket.create_server((host, port)).close()  # with reuse_port a third user of the port would go unnoticed
        loopback = listen(port, shared=True)
        network = socket.create_server((host, loopback.getsockname()[1]), reuse_port=True)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            hint = "choose another one with --port"
            raise PortTaken(f"port {port} can't be used: another program has it", hint=hint) from error
        raise ConfigError(f"server.host: can't listen on {host}: {error}", hint="0.0.0.0 means all") from error
    network.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return loopback, network
