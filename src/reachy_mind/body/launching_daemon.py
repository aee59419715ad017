"""The daemon that an app belongs to: that of the vendor's robot object, or the one whose process started this one."""

from __future__ import annotations

import contextlib
import ipaddress
from typing import Any

import httpx
import psutil
from pydantic import ValidationError

from reachy_mind.body import protocol
from reachy_mind.body.address import Address

PROBE_TIMEOUT_S = 3.0


def address_of(robot: Any) -> Address | None:
    """The daemon that the vendor's `ReachyMini` is connected to; None without such an object."""
    for place in (getattr(robot, "client", None), robot):
        host, port = getattr(place, "host", None), getattr(place, "port", None)
        if isinstance(host, str) and isinstance(port, int):
            return Address(host, port)
    return None


def launching_daemon() -> Address:
    """The daemon among the processes that started this one, by the ports where they listen; else the usual address.

    The vendor's own apps take port 8000 for granted. On Windows a launcher stands between a program and its parent.
    """
    for process in psutil.Process().parents():
        for address in _listening(process):
            if _is_daemon(address):
                return address
    return Address("127.0.0.1")


def _listening(process: psutil.Process) -> list[Address]:
    """Where a process accepts TCP connections; nothing for one that belongs to somebody else."""
    found = []
    with contextlib.suppress(psutil.Error):
        for each in process.net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN:
                ip = ipaddress.ip_address(each.laddr.ip)
                everywhere = "127.0.0.1" if ip.version == 4 else "::1"
                found.append(Address(everywhere if ip.is_unspecified else str(ip), each.laddr.port))
    return found


def _is_daemon(address: Address) -> bool:
    with contextlib.suppress(httpx.HTTPError, ValidationError):
        answer = httpx.get(f"{address.http}{protocol.STATUS_ROUTE}", timeout=PROBE_TIMEOUT_S, trust_env=False)
        protocol.DaemonStatus.model_validate_json(answer.content)
        return True
    return False
