"""HTTP requests to services on the internet, with a timeout, a size limit and restricted redirects.

`clean` turns content into plain text: no markup, no control characters, limited length. The text is still untrusted.
"""

from __future__ import annotations

import asyncio
import json
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

import httpx

from reachy_mind import __version__
from reachy_mind.errors import BadAnswer, NotReady, TimedOut

TIMEOUT_S = 10.0
MAX_BYTES = 2_000_000
MAX_REDIRECTS = 3
MAX_TAG_CHARS = 2000
AGENT = f"Mozilla/5.0 (compatible; ReachyMind/{__version__})"


@dataclass(frozen=True)
class HttpResponse:
    """A service's response."""

    host: str
    status: int
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    def json(self) -> dict[str, Any]:
        """Raises BadAnswer for anything but a JSON object."""
        try:
            found = json.loads(self.content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise BadAnswer(f"{self.host} did not answer in JSON", hint="is this the address of the right service?")
        return found


async def fetch(
    url: str,
    *,
    params: Mapping[str, str] | None = None,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> HttpResponse:
    """GET `url`, or POST `form` to it. Raises NotReady when the host can't be reached, TimedOut, BadAnswer.

    Any status is returned. A redirect may lead to the same site only, and never from https to http; a request with
    `headers` (a key) is not redirected at all.
    """
    host = url[:100]
    try:
        host = httpx.URL(url).host
        async with asyncio.timeout(timeout_s), _client(timeout_s) as client:
            request = client.build_request("POST" if form else "GET", url, params=params, data=form, headers=headers)
            for _ in range(MAX_REDIRECTS + 1):
                response = await client.send(request, stream=True)
                try:
                    if response.next_request is None:
                        return HttpResponse(host, response.status_code, await _content(response))
                    _check_redirect(request.url, response.next_request.url, keyed=bool(headers))
                    request = response.next_request
                finally:
                    await response.aclose()
    except (TimeoutError, httpx.TimeoutException):
        raise TimedOut(f"{host} did not answer within {timeout_s:g} s", hint="try again in a moment") from None
    except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError) as error:  # the last two: an unusable proxy
        reason = str(error) or type(error).__name__
        raise NotReady(
            f"{host} can't be reached: {reason[:200]}", hint="is this computer connected to the internet?"
        ) from None
    raise BadAnswer(f"{host} redirects without end", hint="try again later")


def _client(timeout_s: float) -> httpx.AsyncClient:
    # Uncompressed, so that a small response can't expand into a large one.
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    return httpx.AsyncClient(timeout=timeout_s, headers=headers)


def _check_redirect(here: httpx.URL, there: httpx.URL, *, keyed: bool) -> None:
    safe = there.scheme == "https" or (there.scheme, here.scheme) == ("http", "http")
    same = here.host == there.host or here.host.endswith(f".{there.host}") or there.host.endswith(f".{here.host}")
    if keyed or not safe or not same:
        raise BadAnswer(f"{here.host} redirects to {there.host[:100]}, which is not followed", hint="check its address")


async def _content(response: httpx.Response) -> bytes:
    content = bytearray()
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > MAX_BYTES:
            raise _too_large(response)
    coding = response.headers.get("Content-Encoding", "identity").lower()
    if coding == "identity":
        return bytes(content)
    if coding not in ("gzip", "deflate"):
        raise BadAnswer(f"{response.url.host} answered in {coding[:40]!r}, which was not asked for")
    try:
        unpacking = zlib.decompressobj(47)  # detects gzip or zlib
        unpacked = unpacking.decompress(content, MAX_BYTES)
    except zlib.error as error:
        raise BadAnswer(f"{response.url.host} sent a damaged answer: {error}", hint="try again") from None
    if unpacking.unconsumed_tail:
        raise _too_large(response)
    return unpacked


def _too_large(response: httpx.Response) -> BadAnswer:
    return BadAnswer(f"{response.url.host} answered with more than {MAX_BYTES} bytes", hint="try again later")


def split_tags(page: str) -> Iterator[tuple[str, bool]]:
    """Split a page into tags (True) and the text between them, in linear time.

    The standard library's parser can take minutes for a small malicious page, so it only gets single tags.
    """
    at = 0
    while (start := page.find("<", at)) >= 0:
        if start > at:
            yield page[at:start], False
        stop = page.find(">", start, start + MAX_TAG_CHARS)
        begins = page[start + 1 : start + 2]
        if stop < 0 or not (begins.isalpha() or begins in "/!?") or "<" in page[start + 1 : stop]:
            yield "<", False
            at = start + 1
        else:
            yield page[start : stop + 1], True
            at = stop + 1
    yield page[at:], False


def clean(text: object, most: int) -> str:
    """Plain text on one line, at most `most` characters."""
    if not isinstance(text, str):
        return ""
    words = unescape("".join("" if tag else piece for piece, tag in split_tags(text[: most * 10])))
    printed = "".join(" " if letter in "\t\r\n" else letter for letter in words)
    # Category C: control, format, surrogate and private-use characters.
    kept = " ".join("".join(letter for letter in printed if unicodedata.category(letter)[0] != "C").split())
    return kept if len(kept) <= most else f"{kept[: most - 1].rstrip()}…"
