"""`HubAddress`: where the control plane is, and how it is reached: TLS, unless it is on this machine."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx

from reachy_mind.access.loopback import is_loopback
from reachy_mind.errors import ConfigError

CONNECT_PATH: Final = "/fleet/v1/device/connect"
EXCHANGE_PATH: Final = "/fleet/v1/device/exchange"
HTTP_TIMEOUT_S: Final = 15.0
_URL = re.compile(r"[^\s\x00-\x20\x7f\\@?#]+")
"""Without a user, a query and a fragment, and without what a parser would leave out."""
_SECURE = {"http": False, "ws": False, "https": True, "wss": True}


@dataclass(frozen=True)
class HubAddress:
    """`url`: http, https, ws or wss; `ca`: a file with the certificate authority to trust in place of the system's.

    Raises ConfigError for an address that is none, or without TLS on another machine, unless `insecure`.
    """

    url: str
    ca: Path | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            host, _ = parts.hostname or "", parts.port  # raises ValueError for a port that is none
            host.encode("idna")  # raises UnicodeError, a ValueError, for a name that is none
            is_one = bool(_URL.fullmatch(self.url)) and bool(host) and parts.scheme in _SECURE
        except ValueError:
            is_one = False
        if not is_one:
            raise ConfigError(f"{self.url[:200]} is no address of a control plane", hint="such as https://fleet.home")
        if not _SECURE[parts.scheme] and not is_loopback(host) and not self.insecure:
            raise ConfigError(
                f"{self.url[:200]} has no TLS: everybody on the network could read the device's token",
                hint="use https://, or allow it with --insecure",
            )

    def http_url(self, path: str) -> str:
        return self._url("http", path)

    def socket_url(self) -> str:
        return self._url("ws", CONNECT_PATH)

    @cached_property
    def tls(self) -> ssl.SSLContext | None:
        """None without TLS. Raises ConfigError when the file of the authority can't be used."""
        if not _SECURE[urlsplit(self.url).scheme]:
            return None
        try:
            return ssl.create_default_context(cafile=self.ca)
        except OSError as error:
            raise ConfigError(f"{self.ca} can't be used: {error}", hint="it has a certificate as PEM text") from error

    def client(self, token: str | None = None, timeout: float = HTTP_TIMEOUT_S) -> httpx.AsyncClient:
        """For requests to the hub, with the device's token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        verify = self.tls if self.tls is not None else False  # without TLS there is no certificate to check
        return httpx.AsyncClient(headers=headers, verify=verify, timeout=timeout, trust_env=False)

    def _url(self, scheme: str, path: str) -> str:
        parts = urlsplit(self.url)
        return f"{scheme}{'s' if _SECURE[parts.scheme] else ''}://{parts.netloc}{parts.path.rstrip('/')}{path}"
