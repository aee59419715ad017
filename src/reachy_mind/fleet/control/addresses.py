"""Addresses of webhooks and sounds: which of them may be asked. Whoever names one must not reach a private network.

The host's name is resolved once, every address it has must be public, and the connection is made to an address that was
checked: a name that changes its address in between gains nothing. The owner of the control plane can list hosts that
are private on purpose, as `HOST` or `HOST:PORT`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final

import httpx

from reachy_mind.errors import InvalidParameter

MAX_URL_CHARS: Final = 2000
PORTS: Final = {"http": 80, "https": 443}
NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
LOCAL: Final = tuple(map(ipaddress.IPv6Network, ("::/96", "64:ff9b:1::/48")))
"""IPv6 addresses that stand for an IPv4 address, of this network for all that is known."""

Lookup = Callable[[str, int], Awaitable[list[str]]]
"""The addresses of a host. Raises OSError."""


class AddressRefused(InvalidParameter):
    """An address that must not be asked."""


class AddressUnknown(AddressRefused):
    """A host whose name has no address, at least not now."""


@dataclass(frozen=True)
class CheckedUrl:
    """A URL, and the addresses of its host, which may be connected to."""

    url: httpx.URL
    addresses: tuple[str, ...]

    @property
    def host(self) -> str:
        return _host(self.url)

    @property
    def host_header(self) -> str:
        return self.url.netloc.decode("ascii")

    def target(self, number: int = 0) -> httpx.URL:
        """The URL with one of the addresses in place of the host; the numbers begin again after the last."""
        address = self.addresses[number % len(self.addresses)]
        host = f"[{address}]" if ":" in address else address
        port = f":{self.url.port}" if self.url.port is not None else ""
        return self.url.copy_with(netloc=f"{host}{port}".encode())


async def lookup(host: str, port: int) -> list[str]:
    """The addresses of a host, as this computer resolves it."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


async def check_url(url: str, allowed: Collection[str]) -> None:
    """Raises InvalidParameter for a URL that must not be asked; `allowed`: hosts that may be private."""
    await resolve(url, allowed)


async def resolve(url: str, allowed: Collection[str], using: Lookup = lookup) -> CheckedUrl:
    """Check a URL and find the address to connect to. Raises AddressRefused."""
    parsed = parse(url)
    host, port = _host(parsed), parsed.port or PORTS[parsed.scheme]
    bracketed = f"[{host}]" if ":" in host else host
    listed = not {host, bracketed, f"{bracketed}:{port}"}.isdisjoint(name.lower() for name in allowed)
    if parsed.scheme != "https" and not listed:
        raise AddressRefused(f"{bracketed[:100]} is asked without encryption", hint="use https://")
    try:
        addresses = await using(host, port)
    except (OSError, UnicodeError) as error:
        raise AddressUnknown(f"{bracketed[:100]} is not known: {error}", hint="is the name right?") from None
    if not addresses or not (listed or all(map(is_public, addresses))):
        raise AddressRefused(
            f"{bracketed[:100]} is on a private network",
            hint="whoever runs the control plane can list such hosts in its setting webhook_hosts",
        )
    return CheckedUrl(parsed, tuple(addresses))


def parse(url: str) -> httpx.URL:
    """Raises AddressRefused for what is no plain http(s) URL."""
    if len(url) > MAX_URL_CHARS or not url.isascii() or not url.isprintable() or set(url) & set(' \\"<>^`{|}'):
        raise AddressRefused("this is no web address", hint=f"https://HOST/..., at most {MAX_URL_CHARS} characters")
    try:
        parsed = httpx.URL(url)
        port = parsed.port or 0
    except (httpx.InvalidURL, ValueError) as error:
        raise AddressRefused(f"this is no web address: {str(error)[:100]}", hint="https://HOST/...") from None
    host = _host(parsed)
    if parsed.scheme not in PORTS or not host or "%" in host or not 0 <= port < 1 << 16:
        raise AddressRefused("an address begins with https:// and a host", hint="https://HOST/...")
    if parsed.userinfo:
        raise AddressRefused("an address has no password in it", hint="sign messages with a secret instead")
    return parsed


def is_public(address: str) -> bool:
    """Whether an address, and the IPv4 address in it if there is one, is one of the internet."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.is_site_local or any(found in network for network in LOCAL):
            return False
        translated = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF) if found in NAT64 else None
        found = found.ipv4_mapped or found.sixtofour or translated or found
    return found.is_global and not found.is_multicast


def _host(url: httpx.URL) -> str:
    return url.raw_host.decode("ascii").lower().rstrip(".")
