"""The exceptions of `requests`."""

from __future__ import annotations

from typing import Any


class RequestException(OSError):
    """Any failure of a request."""

    def __init__(self, *args: Any, response: Any = None, request: Any = None) -> None:
        super().__init__(*args)
        self.response, self.request = response, request


class HTTPError(RequestException):
    """The server answered with an error status."""


class ConnectionError(RequestException):  # noqa: A001 -- the name of the library
    """The host can't be reached, or may not be asked."""


class Timeout(RequestException):
    """The server did not answer in time."""


class ConnectTimeout(ConnectionError, Timeout):
    """The host did not answer in time."""


class ReadTimeout(Timeout):
    """The server did not send its answer in time."""


class TooManyRedirects(RequestException):
    """The server redirects without end, or to another host."""


class InvalidURL(RequestException, ValueError):
    """The address can't be used."""


class MissingSchema(InvalidURL):
    """The address has no http:// or https://."""


class JSONDecodeError(RequestException, ValueError):
    """The answer is no JSON."""
