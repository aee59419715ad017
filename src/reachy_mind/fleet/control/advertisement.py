"""Tells the local network by mDNS where a control plane is, unless it serves this machine alone."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from reachy_mind import log
from reachy_mind.access import lan
from reachy_mind.access.loopback import is_loopback
from reachy_mind.fleet.control.binding import Binding
from reachy_mind.fleet.protocol.mdns import AUTHORITY, PATH, SERVICE_TYPE, TLS, authority_digest

_log = log.get(__name__)


@contextlib.asynccontextmanager
async def advertised(bound: Binding, node: str, *, interfaces: Sequence[str] = ()) -> AsyncIterator[bool]:
    """Whether it is told; a network that can't do it is only logged.

    `interfaces`: addresses of this machine to tell it at. Without any, a control plane on loopback is not told of, nor
    one behind a proxy: where that is only its owner knows.
    """
    if not interfaces and (is_loopback(bound.host) or bound.context is None):
        yield False
        return
    from zeroconf import Error, ServiceInfo  # noqa: PLC0415 -- not for one on loopback
    from zeroconf.asyncio import AsyncZeroconf  # noqa: PLC0415 -- as above

    try:
        network = AsyncZeroconf(interfaces=list(interfaces)) if interfaces else AsyncZeroconf()
    except OSError as error:
        _log.warning("the network can't be told of this control plane", reason=str(error))
        yield False
        return
    try:
        info = ServiceInfo(
            SERVICE_TYPE,
            f"{node}.{SERVICE_TYPE}",
            port=bound.port,
            addresses=[socket.inet_pton(_family(each), each) for each in interfaces or _addresses(bound.host)],
            properties=await asyncio.to_thread(_properties, bound),
            server=f"{node.lower()}.local.",
        )
        told = False
        try:
            await network.async_register_service(info, allow_name_change=True)
            told = True
        except (Error, OSError) as error:
            _log.warning("the network can't be told of this control plane", reason=f"{type(error).__name__}: {error}")
        yield told
        if told:
            await network.async_unregister_service(info)
    finally:
        await network.async_close()


def _properties(bound: Binding) -> dict[str, str]:
    found = {TLS: "1" if bound.context is not None else "0", PATH: urlsplit(bound.public_url).path}
    if bound.authority:
        found[AUTHORITY] = authority_digest(Path(bound.authority))
    return found


def _addresses(host: str) -> list[str]:
    return list(lan.addresses()) if ipaddress.ip_address(host).is_unspecified else [host]


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
