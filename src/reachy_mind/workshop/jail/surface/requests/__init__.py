"""HTTP requests for sandboxed code, with the names of the library `requests`. The host makes them.

Only hosts that the owner or the tool's capabilities name are asked; addresses of the local network are refused.
"""

from __future__ import annotations

import importlib
import json as json_library
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

from . import exceptions
from .exceptions import ConnectionError, HTTPError, JSONDecodeError, RequestException, Timeout  # noqa: A004

__all__ = [
    "ConnectionError",
    "HTTPError",
    "JSONDecodeError",
    "RequestException",
    "Response",
    "Session",
    "Timeout",
    "codes",
    "exceptions",
    "get",
    "head",
    "post",
    "request",
]


codes = SimpleNamespace(**{status.name.lower(): status.value for status in HTTPStatus})
"""Statuses by name, such as `codes.ok`."""


class Headers(dict[str, str]):
    """Headers by name, whatever the case."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__({name.lower(): value for name, value in given.items()})

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


class Response:
    """The answer of a server."""

    def __init__(self, status: int, url: str, headers: Mapping[str, str], content: bytes) -> None:
        self.status_code, self.url, self.content = status, url, content
        self.headers = Headers(headers)
        self.encoding = "utf-8"
        self.history: list[Response] = []

    @property
    def text(self) -> str:
        return self.content.decode(self.encoding or "utf-8", "replace")

    @property
    def reason(self) -> str:
        try:
            return HTTPStatus(self.status_code).phrase
        except ValueError:
            return ""

    @property
    def ok(self) -> bool:
        """Whether the status is no error."""
        return self.status_code < 400

    def json(self, **options: Any) -> Any:
        """The content as JSON. Raises JSONDecodeError."""
        try:
            return json_library.loads(self.content, **options)
        except ValueError as error:
            raise JSONDecodeError(str(error), response=self) from None

    def raise_for_status(self) -> None:
        """Raises HTTPError for an error status."""
        if not self.ok:
            raise HTTPError(f"{self.status_code} {self.reason} for {self.url}", response=self)

    def iter_lines(self, decode_unicode: bool = False) -> Iterator[Any]:
        yield from self.text.splitlines() if decode_unicode else self.content.splitlines()

    def iter_content(self, chunk_size: int = 1024) -> Iterator[bytes]:
        for start in range(0, len(self.content), max(chunk_size, 1)):
            yield self.content[start : start + max(chunk_size, 1)]

    def close(self) -> None:
        """No effect: the answer is here already."""

    def __bool__(self) -> bool:
        return self.ok

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Response [{self.status_code}]>"


def request(
    method: str,
    url: str,
    params: Any = None,
    data: Any = None,
    json: Any = None,
    headers: Mapping[str, str] | None = None,
    timeout: Any = None,
    **_: Any,
) -> Response:
    """Make a request. Raises RequestException; other options of the library have no effect."""
    given = dict(headers or {})
    body: Any = data.encode() if isinstance(data, str) else data
    if json is not None:
        body = json_library.dumps(json).encode()
        given.setdefault("Content-Type", "application/json")
    form = None
    if isinstance(body, Mapping):
        form = {str(name): str(value) for name, value in body.items()}
        body = None
    seconds = max(timeout) if isinstance(timeout, (tuple, list)) else timeout
    args = {
        "method": method.upper(),
        "url": str(url),
        "params": _pairs(params),
        "form": form,
        "body": body,
        "headers": {str(name): str(value) for name, value in given.items()},
        "timeout": seconds,
    }
    try:
        answer = _channel().call("http.request", args)
    except Exception as error:  # noqa: BLE001 -- raised again as one of the library's
        raise _failure(error) from None
    return Response(answer["status"], answer["url"], answer["headers"], answer["content"])


def get(url: str, params: Any = None, **options: Any) -> Response:
    """GET a page."""
    return request("GET", url, params=params, **options)


def head(url: str, **options: Any) -> Response:
    """Ask only for the headers of a page."""
    return request("HEAD", url, **options)


def post(url: str, data: Any = None, json: Any = None, **options: Any) -> Response:
    """POST a form, bytes or JSON."""
    return request("POST", url, data=data, json=json, **options)


class Session:
    """Requests with common headers."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}

    def request(self, method: str, url: str, headers: Mapping[str, str] | None = None, **options: Any) -> Response:
        return request(method, url, headers={**self.headers, **(headers or {})}, **options)

    def get(self, url: str, **options: Any) -> Response:
        return self.request("GET", url, **options)

    def head(self, url: str, **options: Any) -> Response:
        return self.request("HEAD", url, **options)

    def post(self, url: str, **options: Any) -> Response:
        return self.request("POST", url, **options)

    def close(self) -> None:
        """No effect: the host keeps no connection."""

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _pairs(params: Any) -> list[list[str]]:
    pairs = params.items() if isinstance(params, Mapping) else params or ()
    found: list[list[str]] = []
    for name, value in pairs:
        several = value if isinstance(value, (list, tuple)) else (value,)
        found += [[str(name), str(one)] for one in several if one is not None]
    return found


def _failure(error: Exception) -> Exception:
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    if not isinstance(code, str) or not isinstance(message, str):
        return error
    kinds: dict[str, type[RequestException]] = {
        "TIMEOUT": Timeout,
        "INVALID_PARAMETER": exceptions.InvalidURL,
        "BAD_ANSWER": exceptions.TooManyRedirects,
    }
    return kinds.get(code, ConnectionError)(message)


def _channel() -> Any:
    """The worker's channel to its host; only the sandbox has one."""
    try:
        return importlib.import_module("channel")
    except ModuleNotFoundError:
        return importlib.import_module("jail.channel")
