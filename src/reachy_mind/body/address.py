"""`Address`: host and port of a robot's daemon, and the URLs derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from reachy_mind.body.protocol import DEFAULT_PORT, SDK_SOCKET
from reachy_mind.errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int = DEFAULT_PORT

    @classmethod
    def parse(cls, text: str) -> Address:
        """HOST, HOST:PORT or [IPV6]:PORT."""
        try:
            parts = urlsplit(f"//{text}")
            if parts.hostname and not (parts.path or parts.query or parts.username):
                return cls(parts.hostname, parts.port or DEFAULT_PORT)
        except ValueError:
            pass
        raise InvalidParameter(f"{text!r} is not a robot address", hint="HOST or HOST:PORT")

    @property
    def http(self) -> str:
        return f"http://{self}"

    @property
    def socket(self) -> str:
        return f"ws://{self}{SDK_SOCKET}"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
