"""`limit_response`: for MCP servers that are not ours. A response is limited in size and not compressed.

The library reads a response to its end before it looks at it: an endless one, or a small one that unpacks to gigabytes,
would take all memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

MAX_RESPONSE_BYTES = 16_000_000
"""Also of one event stream: a server that sends more is connected anew."""
HEADERS = {"Accept-Encoding": "identity"}
"""For the requests."""


async def limit_response(response: httpx2.Response) -> None:
    """An event hook of the HTTP client. Raises RemoteProtocolError for a compressed response; reading too large a one
    does so too."""
    if response.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        problem = "it sent a compressed response, which was not asked for"
        raise httpx2.RemoteProtocolError(problem, request=response.request)
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = LimitedStream(response.stream, response.request)


class LimitedStream(httpx2.AsyncByteStream):
    """The body of a response, up to the limit."""

    def __init__(self, stream: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._stream, self._request = stream, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_RESPONSE_BYTES:
                problem = f"it sent more than {MAX_RESPONSE_BYTES} bytes in one response"
                raise httpx2.RemoteProtocolError(problem, request=self._request)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
