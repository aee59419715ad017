"""`GitHubClient`: asks GitHub's REST API, or that of a GitHub Enterprise server.

Written on httpx and pydantic, which are here anyway. Measured in November 2026 on two cores: githubkit 0.16 adds 42 MB
on disk (29 of them schemas), takes 1.3 to 1.8 s to import and 0.8 s more for the models of issues and pull requests,
and could not be imported at all with the newest hishel that it allows; PyGithub (LGPL) takes 1 to 1.4 s and blocks;
ghapi 1.4 to 2 s, 84 MB of memory; gidgethub is small, but untyped, without waiting for limits, and wants httpx2. This
one takes 15 ms to import in a mind, and 60 ms to open, most of it for certificates.

The token goes to the origin of the base address alone: a redirect to another host (the store of logs) is followed
without it, for downloads only, and a link to a next page elsewhere is refused. What GitHub refuses for its limits is
asked again after the time that it names, if that is short; other failures are retried for GET alone, because nobody
knows whether the rest was done.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from reachy_mind import __version__, log
from reachy_mind.developer.github.errors import (
    TOKEN_HINT,
    GitHubError,
    GitHubOffline,
    GitHubUnavailable,
    TokenMissing,
    TokenRefused,
    error_of,
)
from reachy_mind.developer.github.printable_text import one_line
from reachy_mind.developer.github.rate_limit import RequestQuota, rate_limited
from reachy_mind.errors import BadAnswer, TimedOut

API_VERSION = "2022-11-28"
"""The oldest version: every Enterprise server has it."""
TIMEOUT_S, DOWNLOAD_TIMEOUT_S = 15.0, 60.0
LONGEST_WAIT_S = 10.0
"""For a rate limit; a person waits for the answer."""
MOST_TRIES = 3
RETRY_AFTER_S = 0.5
MAX_JSON_BYTES, MAX_DOWNLOAD_BYTES = 8_000_000, 16_000_000
MAX_REDIRECTS = 3
PAGE_SIZE = 100
MOST_PAGES = 10
MOST_KEPT, MOST_KEPT_BYTES = 64, 200_000
"""Answers that are kept with their ETag: GitHub does not count a request that it answers with "not modified"."""
_TOKEN = re.compile(r"[!-~]{1,500}")
_NEXT = re.compile(r'<([^<>]{1,2000})>\s*;[^,<>]*\brel="?next"?')
_LOOPBACK = ("127.0.0.1", "::1", "localhost")

_log = log.get(__name__)
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Listed(Generic[Model]):
    """Some entries of a list, in its order. `more`: there are others."""

    entries: list[Model]
    more: bool


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes
    ours: bool
    """Whether GitHub itself gave it, and not the place that it redirected to."""

    @property
    def body(self) -> Any:
        """What it says; None when that is no JSON."""
        try:
            return json.loads(self.content) if self.content else None
        except (ValueError, RecursionError):
            return None


class GitHubClient:
    """For one base address and one token. Open it as `async with`; use it in one event loop."""

    def __init__(
        self,
        url: str,
        token: SecretStr | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        longest_wait_s: float = LONGEST_WAIT_S,
    ) -> None:
        self._base = httpx.URL(url.rstrip("/") + "/")
        self._token = _checked(token, self._base)
        self._timeout_s, self._longest_wait_s = timeout_s, longest_wait_s
        self._quota = RequestQuota()
        self._kept: OrderedDict[str, _Answer] = OrderedDict()
        headers = {
            "Accept": "application/vnd.github+json",
            "Accept-Encoding": "identity",  # a small answer can't expand into a large one
            "User-Agent": f"ReachyMind/{__version__}",
            "X-GitHub-Api-Version": API_VERSION,
        }
        self._http = httpx.AsyncClient(timeout=timeout_s, headers=headers, follow_redirects=False)

    async def __aenter__(self) -> GitHubClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    @property
    def web_host(self) -> str:
        """The host of its pages and repositories: github.com for api.github.com."""
        host = self._base.host
        name = host.removeprefix("api.") if host.startswith("api.") else host
        return name if self._base.port is None else f"{name}:{self._base.port}"

    @property
    def has_token(self) -> bool:
        return bool(self._token)

    def require_token(self) -> None:
        """Raises TokenMissing."""
        if not self._token:
            raise TokenMissing("I have no token for GitHub", hint=TOKEN_HINT)

    async def get(self, path: str, model: type[Model], what: str, **params: str) -> Model:
        """What GitHub has at a path. `what` names it in errors. Raises GitHubError, TimedOut, BadAnswer."""
        answer = await self._ask("GET", self._url(path, params), what)
        return self._read(model, answer.body, what)

    async def list(
        self, path: str, model: type[Model], what: str, *, key: str = "", most: int = PAGE_SIZE, **params: str
    ) -> Listed[Model]:
        """At most `most` entries of a list, over its pages. `key`: where the list is in an answer that has more."""
        params |= {"per_page": str(min(most, PAGE_SIZE))}
        url: httpx.URL | None = self._url(path, params)
        entries: list[Model] = []
        for _ in range(MOST_PAGES):
            if url is None or len(entries) >= most:
                break
            answer = await self._ask("GET", url, what)
            body = answer.body
            found = body.get(key) if key and isinstance(body, dict) else body
            if not isinstance(found, list):
                raise _unreadable(what)
            entries += [self._read(model, entry, what) for entry in found]
            url = self._next(answer, what)
        return Listed(entries[:most], more=url is not None or len(entries) > most)

    async def send(self, method: str, path: str, content: Mapping[str, Any], model: type[Model], what: str) -> Model:
        """Change something. Raises TokenMissing before anything is sent, and what `get` raises."""
        self.require_token()
        answer = await self._ask(method, self._url(path, {}), what, content)
        return self._read(model, answer.body, what)

    async def download(self, path: str, what: str) -> bytes:
        """A file behind a redirect: at most its last MAX_DOWNLOAD_BYTES. The token stays with GitHub."""
        answer = await self._ask("GET", self._url(path, {}), what, download=True)
        return answer.content

    def _url(self, path: str, params: Mapping[str, str]) -> httpx.URL:
        """The path is ours, with every name in it quoted by the caller (`path_of`)."""
        return httpx.URL(str(self._base) + path.lstrip("/"), params=dict(params)) if params else self._base.join(path)

    def _next(self, answer: _Answer, what: str) -> httpx.URL | None:
        found = _NEXT.search(answer.headers.get("link", "")[:8000])
        if found is None:
            return None
        url = self._base.join(found[1])
        if not self._is_ours(url):
            raise BadAnswer(f"the next page of {what} is said to be at {url.host[:100]}, where I don't look")
        return url

    def _is_ours(self, url: httpx.URL) -> bool:
        return (url.scheme, url.host, url.port) == (self._base.scheme, self._base.host, self._base.port)

    async def _ask(
        self,
        method: str,
        url: httpx.URL,
        what: str,
        content: Mapping[str, Any] | None = None,
        *,
        download: bool = False,
    ) -> _Answer:
        for attempt in range(1, MOST_TRIES + 1):
            await self._wait(self._quota.wait_s)
            last = attempt == MOST_TRIES
            try:
                answer = await self._follow(method, url, content, what, download=download)
            except (GitHubOffline, TimedOut):
                if method != "GET" or last:
                    raise
            else:
                body = answer.body if answer.status >= 400 else None
                wait_s = self._quota.read(answer.status, answer.headers, body) if answer.ours else None
                if answer.status < 300:
                    return answer
                if wait_s is not None:
                    if last:
                        raise rate_limited(wait_s)
                    continue
                if method != "GET" or answer.status < 500 or last:
                    raise self._error(answer, what)
            await asyncio.sleep(RETRY_AFTER_S * attempt)
        raise GitHubUnavailable("GitHub did not answer", hint="try again in a moment")

    async def _wait(self, seconds: float) -> None:
        """Until GitHub takes requests again. Raises RateLimited when that is too long for a conversation."""
        if seconds > self._longest_wait_s:
            raise rate_limited(seconds)
        if seconds > 0:
            _log.info("GitHub's limit of requests is waited for", seconds=round(seconds, 1))
            await asyncio.sleep(seconds)

    async def _follow(
        self, method: str, url: httpx.URL, content: Mapping[str, Any] | None, what: str, *, download: bool
    ) -> _Answer:
        """The answer at the end of the redirects."""
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._send(method, url, content, download=download)
            if answer.status not in (301, 302, 303, 307, 308) or "location" not in answer.headers:
                if answer.status == 304:
                    return self._kept[str(url)]
                self._keep(method, url, answer, download=download)
                return answer
            there = url.join(answer.headers["location"][:8000])
            if not self._may_follow(method, url, there, answer.status, download=download):
                raise BadAnswer(
                    f"GitHub redirects {what} to {there.host[:100]}, which is not followed",
                    hint="is developer.github_url right?",
                )
            url = there
        raise BadAnswer(f"GitHub redirects {what} without end", hint="try again later")

    def _may_follow(self, method: str, here: httpx.URL, there: httpx.URL, status: int, *, download: bool) -> bool:
        if self._is_ours(here) and self._is_ours(there):
            return method == "GET" or status in (307, 308)  # a renamed repository
        safe = there.scheme == "https" or (there.scheme, here.scheme) == ("http", "http")
        return download and method == "GET" and safe

    async def _send(self, method: str, url: httpx.URL, content: Mapping[str, Any] | None, *, download: bool) -> _Answer:
        """One request. Raises GitHubOffline, TimedOut, BadAnswer."""
        headers = {}
        if self._is_ours(url):
            if self._token:
                headers["Authorization"] = f"Bearer {self._token}"
            kept = self._kept.get(str(url))
            if method == "GET" and not download and kept is not None:
                headers["If-None-Match"] = kept.headers["etag"]
        timeout_s = DOWNLOAD_TIMEOUT_S if download else self._timeout_s
        try:
            request = self._http.build_request(method, url, json=content, headers=headers)
            async with asyncio.timeout(timeout_s):
                response = await self._http.send(request, stream=True)
                try:
                    body = await _content(response, download=download)
                finally:
                    await response.aclose()
        except (TimeoutError, httpx.TimeoutException):
            raise TimedOut(f"GitHub did not answer within {timeout_s:g} s", hint="try again in a moment") from None
        except (httpx.HTTPError, httpx.InvalidURL, ImportError, ValueError) as error:  # the last two: unusable proxies
            reason = self._scrub(one_line(str(error), 200)) or type(error).__name__
            raise GitHubOffline(
                f"{url.host} can't be reached: {reason}", hint="is this computer connected to the internet?"
            ) from None
        lowered = {name.lower(): value for name, value in response.headers.items()}
        return _Answer(response.status_code, lowered, body, self._is_ours(url))

    def _keep(self, method: str, url: httpx.URL, answer: _Answer, *, download: bool) -> None:
        if method == "GET" and not download and answer.status == 200 and "etag" in answer.headers:
            if len(answer.content) <= MOST_KEPT_BYTES:
                self._kept[str(url)] = answer
                self._kept.move_to_end(str(url))
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def _error(self, answer: _Answer, what: str) -> GitHubError:
        if not answer.ours:
            return GitHubUnavailable(f"{what} can't be fetched (status {answer.status})", hint="try again in a moment")
        found = error_of(answer.status, answer.headers, answer.body, what, with_token=self.has_token)
        found.message, found.hint = self._scrub(found.message), self._scrub(found.hint)
        found.args = (found.message,)
        return found

    def _scrub(self, text: str) -> str:
        return text.replace(self._token, "[token]") if self._token else text

    @staticmethod
    def _read(model: type[Model], body: Any, what: str) -> Model:
        try:
            return model.model_validate(body)
        except ValidationError:
            raise _unreadable(what) from None


def _checked(token: SecretStr | None, base: httpx.URL) -> str:
    """The token, where it may be sent to this address. Raises TokenRefused."""
    value = token.get_secret_value().strip() if token is not None else ""
    if value and not _TOKEN.fullmatch(value):
        raise TokenRefused("the token for GitHub has characters that no token has", hint=TOKEN_HINT)
    if value and base.scheme != "https" and base.host not in _LOOPBACK:
        raise TokenRefused(
            f"the token is not sent to {base.host} without encryption", hint="developer.github_url: https://..."
        )
    return value


async def _content(response: httpx.Response, *, download: bool) -> bytes:
    """The body, bounded. Of a download the end is kept: that is where a log tells what went wrong."""
    content = bytearray()
    read = 0
    async for chunk in response.aiter_raw():
        content += chunk
        read += len(chunk)
        if not download and read > MAX_JSON_BYTES:
            raise BadAnswer(f"{response.url.host} answered with more than {MAX_JSON_BYTES} bytes", hint="ask for less")
        if download and len(content) > 2 * MAX_DOWNLOAD_BYTES:
            del content[:-MAX_DOWNLOAD_BYTES]
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise BadAnswer(f"{response.url.host} answered in a form that was not asked for", hint="try again later")
    return bytes(content[-MAX_DOWNLOAD_BYTES:] if download else content)


def _unreadable(what: str) -> BadAnswer:
    return BadAnswer(f"GitHub's answer about {what} can't be read", hint="is developer.github_url the right address?")
