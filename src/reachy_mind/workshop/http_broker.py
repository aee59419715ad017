"""`HttpBroker`: HTTP requests for sandboxed code, made by the host.

Only named hosts are asked: those of the setting `workshop.http_hosts` with the capability `http`, and those of
`http:HOST[:PORT]`. An address of the local machine or network is refused, unless exactly that host was named with its
port or as an address. The address that was checked is the one that is connected to. Redirects stay on the same host.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from reachy_mind.errors import BadAnswer, InvalidParameter, NotReady, TimedOut
from reachy_mind.tools.http_request import AGENT
from reachy_mind.tools.sdk import arguments
from reachy_mind.tools.toolbox import Denied
from reachy_mind.workshop.capabilities import Capabilities

METHODS = ("GET", "HEAD", "POST")
MAX_RESPONSE_BYTES, MAX_BODY_BYTES = 4 << 20, 1 << 20
DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S = 10.0, 30.0
MAX_REDIRECTS = 3
MAX_HEADERS, MAX_HEADER_CHARS, MAX_URL_CHARS = 30, 2000, 4000
HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")
HOST_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "upgrade", "proxy-authorization", "te", "trailer"}
)
"""Headers that only the host sets."""
PORTS = {"http": 80, "https": 443}
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
LOCAL = tuple(map(ipaddress.IPv6Network, ("::/96", "64:ff9b:1::/48")))
"""IPv6 addresses that stand for an IPv4 address, of this network for all that is known."""


@dataclass(frozen=True)
class HttpBroker:
    """The requests of one run."""

    capabilities: Capabilities
    hosts: Collection[str] = ()

    PARAMETERS = ("method", "url", "params", "form", "body", "headers", "timeout")

    async def request(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Make a request. Returns status, url, headers and content. Raises a MindError."""
        method = arguments.choice("method", args.get("method"), METHODS)
        url = _url(args.get("url"), args.get("params"))
        headers, body = _headers(args.get("headers")), _body(args)
        wanted = args.get("timeout")
        timeout = DEFAULT_TIMEOUT_S if wanted is None else arguments.number("timeout", wanted, 0.0, 3600.0)
        timeout = min(max(timeout, 0.1), MAX_TIMEOUT_S)
        try:
            async with asyncio.timeout(timeout), httpx.AsyncClient(timeout=timeout, trust_env=False) as client:
                return await self._follow(client, method, url, headers, body)
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(f"{url.host} did not answer within {timeout:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise NotReady(f"{url.host} can't be reached: {str(error)[:200] or type(error).__name__}") from None

    async def _follow(
        self, client: httpx.AsyncClient, method: str, url: httpx.URL, headers: dict[str, str], body: dict[str, Any]
    ) -> dict[str, Any]:
        for _ in range(MAX_REDIRECTS + 1):
            address = await self._address(url)
            port = f":{url.port}" if url.port is not None else ""
            own = {"User-Agent": AGENT, "Accept-Encoding": "identity"} | headers | {"Host": url.netloc.decode()}
            host = f"[{address}]" if ":" in address else address
            target = url.copy_with(netloc=f"{host}{port}".encode())
            request = client.build_request(method, target, headers=own, **body)
            request.extensions["sni_hostname"] = url.host
            response = await client.send(request, stream=True)
            try:
                if response.is_redirect and "location" in response.headers:
                    there = url.join(response.headers["location"])
                    if there.host != url.host or PORTS.get(there.scheme) is None or there.port != url.port:
                        raise BadAnswer(f"{url.host} redirects to another host, which is not followed")
                    method = "GET" if response.status_code == 303 else method
                    url = there
                    continue
                content = await _content(response)
                return {
                    "status": response.status_code,
                    "url": str(url),
                    "headers": {name[:100]: value[:MAX_HEADER_CHARS] for name, value in response.headers.items()},
                    "content": content,
                }
            finally:
                await response.aclose()
        raise BadAnswer(f"{url.host} redirects without end")

    async def _address(self, url: httpx.URL) -> str:
        """The address to connect to. Raises Denied for a host that was not named, or a private address."""
        port = url.port or PORTS[url.scheme]
        host = url.host.lower().rstrip(".")
        bracketed = f"[{host}]" if ":" in host else host
        explicit = f"{bracketed}:{port}" in self.capabilities.hosts or (
            bracketed in self.capabilities.hosts and port in PORTS.values()
        )
        allowed = {name.lower() for name in self.hosts} if "http" in self.capabilities.granted else set()
        if not explicit and not {bracketed, f"{bracketed}:{port}"} & allowed:
            hint = "a person allows it: --allow http:HOST, or the setting workshop.http_hosts"
            raise Denied(f"{bracketed[:100]}:{port} is not a host that this code may ask", hint=hint)
        named = (
            f"{bracketed}:{port}" in self.capabilities.hosts or f"{bracketed}:{port}" in allowed or _is_address(host)
        )
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise NotReady(f"{host[:100]} is not known: {error}", hint="is this computer connected?") from None
        for *_, place in found:
            if named or is_public(str(place[0])):
                return str(place[0])
        raise Denied(f"{host[:100]} is an address of this network", hint="allow it with its port: http:HOST:PORT")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_public(address: str) -> bool:
    """Whether an address, and the IPv4 address in it if there is one, is of the internet."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found.is_site_local or any(found in network for network in LOCAL):
            return False
        translated = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF) if found in NAT64 else None
        found = found.ipv4_mapped or found.sixtofour or translated or found
    return found.is_global and not found.is_multicast


def _url(given: Any, params: Any) -> httpx.URL:
    text = arguments.text("url", given, MAX_URL_CHARS)
    try:
        url = httpx.URL(text)
        if isinstance(params, list) and params:
            if len(params) > 100 or not all(
                isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)
                for pair in params
            ):
                raise InvalidParameter("params are pairs of texts")
            url = url.copy_merge_params([(name, value) for name, value in params])
    except (httpx.InvalidURL, ValueError, TypeError, UnicodeError) as error:
        raise InvalidParameter(f"that is no address: {str(error)[:200]}") from None
    if url.scheme not in PORTS or not url.host or url.userinfo:
        raise InvalidParameter("an address begins with http:// or https:// and has no password in it")
    if len(str(url)) > MAX_URL_CHARS:
        raise InvalidParameter("the address is too long")
    return url


def _headers(given: Any) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, dict) or len(given) > MAX_HEADERS:
        raise InvalidParameter(f"headers are at most {MAX_HEADERS} texts by name")
    for name, value in given.items():
        if not isinstance(name, str) or not HEADER_NAME.fullmatch(name) or name.lower() in HOST_HEADERS:
            raise InvalidParameter(f"the header {str(name)[:60]!r} can't be set")
        if not isinstance(value, str) or len(value) > MAX_HEADER_CHARS or not value.isprintable():
            raise InvalidParameter(f"the header {name} can't have that value")
    return dict(given)


def _body(args: Mapping[str, Any]) -> dict[str, Any]:
    """What is posted, as the client takes it: a form or bytes."""
    form, body = args.get("form"), args.get("body")
    if form is not None:
        texts = isinstance(form, dict) and all(isinstance(one, str) for pair in form.items() for one in pair)
        if not texts or sum(len(name) + len(value) for name, value in form.items()) > MAX_BODY_BYTES:
            raise InvalidParameter("a form is texts by name, at most 1 MB")
        return {"data": form}
    if body is None:
        return {}
    if not isinstance(body, bytes | bytearray) or len(body) > MAX_BODY_BYTES:
        raise InvalidParameter("a body is bytes, at most 1 MB")
    return {"content": bytes(body)}


async def _content(response: httpx.Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > MAX_RESPONSE_BYTES:
            raise BadAnswer(f"the answer has more than {MAX_RESPONSE_BYTES >> 20} MB", hint="ask for less")
    return bytes(content)
