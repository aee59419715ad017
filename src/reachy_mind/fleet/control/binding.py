"""`Binding`: where a control plane listens, whether it speaks TLS there, and how others reach it."""

from __future__ import annotations

import errno
import ipaddress
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from reachy_mind.access import lan
from reachy_mind.access.certificate import Certificate
from reachy_mind.access.loopback import is_loopback
from reachy_mind.config.fleet_settings import FleetSettings
from reachy_mind.errors import ConfigError, PortTaken
from reachy_mind.fleet.control.local_operator import fleet_folder
from reachy_mind.storage.home import Home

SEND_BUFFER: Final = 256 << 10
"""Of each connection in the kernel, which otherwise keeps megabytes for a peer that does not read."""


@dataclass(frozen=True)
class Binding:
    """`local_url`: for commands on this machine, with `authority`, the file to trust (empty: the system's)."""

    host: str
    port: int
    context: ssl.SSLContext | None
    public_url: str
    local_url: str
    authority: str = ""
    fingerprint: str = ""

    def listen(self) -> socket.socket:
        """Raises PortTaken, and ConfigError when this machine does not have the address."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            listener = socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                hint = "choose another one with --port"
                raise PortTaken(f"port {self.port} can't be used: another program has it", hint=hint) from error
            raise ConfigError(f"fleet.host: can't listen on {self.host}: {error}", hint="0.0.0.0 means all") from error
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)  # connections inherit it
        return listener


def choose(settings: FleetSettings, home: Home) -> Binding:
    """Without TLS only on loopback, or behind a proxy that has it. Raises ConfigError."""
    host, port = settings.host, settings.port
    _check_host(host)
    everywhere = ipaddress.ip_address(host).is_unspecified
    here = "127.0.0.1" if everywhere else host
    if settings.certificate is not None or settings.key_file is not None:
        context = _context(settings.certificate, settings.key_file)
        if settings.public_url is None:
            raise ConfigError(
                "a certificate of your own needs the name it is for", hint="--public-url https://NAME[:PORT]"
            )
        _check_https(settings)
        return Binding(host, port, context, settings.public_url, settings.public_url)
    if settings.behind_proxy or is_loopback(host):
        url = f"http://{_bracketed(here)}:{port}"
        if settings.behind_proxy and settings.public_url is None:
            raise ConfigError("behind a proxy only you know the address", hint="--public-url https://NAME")
        return Binding(host, port, None, settings.public_url or url, url)
    _check_https(settings)
    named = urlsplit(settings.public_url or "").hostname
    certificate = Certificate(
        Home(fleet_folder(home)), [*_hosts(host, everywhere=everywhere), *([named] if named else [])]
    )
    found = certificate.context()
    outside = next(iter(lan.addresses()), here) if everywhere else host
    return Binding(
        host,
        port,
        found,
        settings.public_url or f"https://{_bracketed(outside)}:{port}",
        f"https://{_bracketed(here)}:{port}",
        str(certificate.authority_file),
        certificate.fingerprint(),
    )


def _hosts(host: str, *, everywhere: bool) -> list[str]:
    return [*(lan.addresses() if everywhere else [host]), *lan.names()]


def _check_host(host: str) -> None:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise ConfigError(f"fleet.host: {host} is no address", hint="0.0.0.0 means all") from None


def _check_https(settings: FleetSettings) -> None:
    if settings.public_url is not None and not settings.public_url.startswith("https://"):
        hint = "--public-url https://..., or --behind-proxy when another program speaks TLS for it"
        raise ConfigError("tokens don't travel a network without TLS: fleet.public_url is not https", hint=hint)


def _context(certificate: Path | None, key: Path | None) -> ssl.SSLContext:
    if certificate is None or key is None:
        raise ConfigError("a certificate needs its private key", hint="--certificate FILE --key-file FILE")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        hint = "both are PEM files, and belong together"
        raise ConfigError(f"{certificate} and {key} can't be used: {error}", hint=hint) from error
    return context


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
