"""Web search: a `Searcher` returns titles, addresses and snippets for a query. Providers: SearXNG, Brave, DuckDuckGo.

Nothing here opens the addresses that were found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from reachy_mind.config.settings import WebSettings
from reachy_mind.errors import BadAnswer, NotReady
from reachy_mind.tools.http_request import clean, fetch, split_tags

LONGEST_TITLE, LONGEST_SNIPPET, LONGEST_URL = 150, 400, 500
LONGEST_SAID = 240
"""Characters of the first result's text that are said aloud."""
MOST_TITLES = 3
"""Titles that are said after the first result."""
OTHER_PROVIDERS_HINT = "set web.brave_key or web.searxng_url to search with another service"


@dataclass(frozen=True)
class SearchResult:
    title: str
    url: str
    snippet: str


class Searcher(Protocol):
    @property
    def name(self) -> str: ...

    async def search(self, query: str, count: int) -> list[SearchResult]:
        """At most `count`, best first. Raises NotReady, TimedOut, BadAnswer."""
        ...


def build_searcher(settings: WebSettings) -> Searcher:
    """The searcher the settings choose. Raises NotReady when its key or address is missing."""
    key, url = settings.brave_key.get_secret_value() if settings.brave_key else "", settings.searxng_url
    match settings.search:
        case "brave" if not key:
            raise NotReady("Brave Search needs a key", hint="set web.brave_key (BRAVE_API_KEY)")
        case "searxng" if not url:
            raise NotReady("the address of your SearXNG is not known", hint="set web.searxng_url (SEARXNG_URL)")
        case "brave" | "auto" if key:
            return Brave(settings.brave_url, key)
        case "searxng" | "auto" if url:
            return SearXNG(url)
    return DuckDuckGo(settings.duckduckgo_url)


def sentence(query: str, found: Sequence[SearchResult]) -> str:
    """What was found, to be said: the text of the first result, and the titles of some others."""
    if not found:
        return f"Nothing was found for {query!r}."
    first, *others = found
    many = "one page" if not others else f"{len(found)} pages"
    text = f": {_shortened(first.snippet)}" if first.snippet else "."
    told = f"I found {many} for {query!r}. {'It is' if not others else 'The first is'} {_named(first)}{text}"
    if not others:
        return told
    return (
        f"{told} {'Others are' if len(others) > 1 else 'The other is'} {'; '.join(map(_named, others[:MOST_TITLES]))}."
    )


def _named(result: SearchResult) -> str:
    host = urlsplit(result.url).hostname or ""
    return f"{result.title.rstrip('.')} ({host.removeprefix('www.')})" if result.title != result.url else host


def _shortened(text: str) -> str:
    """The whole sentences that fit into what is said; else its beginning."""
    if len(text) <= LONGEST_SAID:
        return text if text[-1:] in ".!?" else f"{text.rstrip(' .')}."
    cut = text[:LONGEST_SAID]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? "))
    return cut[: end + 1] if end > LONGEST_SAID // 3 else f"{cut.rsplit(' ', 1)[0]} ..."


@dataclass(frozen=True)
class SearXNG:
    """A SearXNG server of the user. It must allow the format `json`, which is off by default."""

    url: str
    name: str = "searxng"

    async def search(self, query: str, count: int) -> list[SearchResult]:
        answer = await fetch(f"{self.url.rstrip('/')}/search", params={"q": query, "format": "json"})
        if answer.status == 403:
            raise NotReady(
                "SearXNG does not let us in", hint="add json to search.formats in its settings.yml, or lift its limiter"
            )
        _check(answer.status, "SearXNG", "look at its log")
        found = answer.json()
        results = _list(found.get("results"))
        failed = found.get("unresponsive_engines")
        if not results and isinstance(failed, list) and failed:
            # Each is [engine, reason]. A search that no engine ran is an error, not an empty result.
            engines = ", ".join(clean(engine[0], 40) for engine in failed[:5] if isinstance(engine, list) and engine)
            raise NotReady(f"SearXNG's engines did not answer: {engines}", hint="try again in a moment")
        return _first(count, ((entry.get("title"), entry.get("url"), entry.get("content")) for entry in results))


@dataclass(frozen=True)
class Brave:
    """The Brave Search API, with a key."""

    url: str
    key: str
    name: str = "brave"

    async def search(self, query: str, count: int) -> list[SearchResult]:
        headers = {"X-Subscription-Token": self.key, "Accept": "application/json"}
        params = {"q": query, "count": str(count), "text_decorations": "false"}
        answer = await fetch(self.url, params=params, headers=headers)
        if answer.status in (401, 403) or (answer.status == 422 and b"TOKEN" in answer.content):
            raise NotReady("Brave Search refuses the key", hint="check web.brave_key (BRAVE_API_KEY)")
        _check(answer.status, "Brave Search", "try again later")
        web = answer.json().get("web")  # left out when nothing was found
        results = _list(web.get("results")) if isinstance(web, dict) else []
        return _first(count, ((entry.get("title"), entry.get("url"), entry.get("description")) for entry in results))


@dataclass(frozen=True)
class DuckDuckGo:
    """DuckDuckGo's page for browsers without scripts. It needs no key, but has a rate limit."""

    url: str
    name: str = "duckduckgo"

    async def search(self, query: str, count: int) -> list[SearchResult]:
        answer = await fetch(self.url, form={"q": query})
        page = answer.text
        # A captcha page has no results, and its status does not say so.
        challenge = "anomaly-modal" in page or "/anomaly.js" in page
        if answer.status == 202 or (challenge and "result__a" not in page):
            raise NotReady(
                "DuckDuckGo does not answer programs at the moment", hint=f"wait a while, or {OTHER_PROVIDERS_HINT}"
            )
        _check(answer.status, "DuckDuckGo", OTHER_PROVIDERS_HINT)
        reader = _Results()
        results = reader.read(page)
        if not results and not reader.none_found:
            raise BadAnswer("DuckDuckGo's page has changed: no results can be read from it", hint=OTHER_PROVIDERS_HINT)
        return _first(count, results)


class _Results(HTMLParser):
    """Parses the results of DuckDuckGo's page: links `a.result__a`, each followed by an `a.result__snippet`."""

    def __init__(self) -> None:
        super().__init__()
        self.none_found = False
        self._found: list[dict[str, str]] = []
        self._into = ""

    def read(self, page: str) -> list[tuple[str, str, str]]:
        for piece, tag in split_tags(page):
            if not tag:
                if self._into and self._found:
                    self._found[-1][self._into] += piece
            elif piece[:3].lower() == "</a":
                self._into = ""
            elif "result" in piece:
                self.feed(piece)
                self.reset()  # an unclosed tag must not swallow the next
        return [(result["title"], result["url"], result["snippet"]) for result in self._found]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        classes = about.get("class", "").split()
        if "no-results" in classes or "result--no-result" in classes:
            self.none_found = True
        if tag != "a":
            return
        if "result__a" in classes:
            self._found.append({"title": "", "url": _target_url(about.get("href", "")), "snippet": ""})
            self._into = "title"
        elif "result__snippet" in classes and self._found:
            self._into = "snippet"


def _target_url(href: str) -> str:
    """The address behind DuckDuckGo's own link; empty for an advertisement, which leads through `y.js`."""
    url = urlsplit(f"https:{href}" if href.startswith("//") else href)
    if url.path == "/l/":
        return next(iter(parse_qs(url.query, max_num_fields=20).get("uddg", [])), "")
    return "" if url.path == "/y.js" else href


def _check(status: int, who: str, hint: str) -> None:
    if status == 429:
        raise NotReady(f"{who} was asked too often", hint="wait a minute")
    if not 200 <= status < 300:
        raise BadAnswer(f"{who} answered with an error ({status})", hint=hint)


def _list(entries: object) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _first(count: int, results: Iterable[tuple[object, object, object]]) -> list[SearchResult]:
    """The first `count` results with a web address, without duplicates, their texts cleaned."""
    found: dict[str, SearchResult] = {}
    for title, url, snippet in results:
        address = _address(url)
        if address and address not in found:
            found[address] = SearchResult(
                clean(title, LONGEST_TITLE) or address, address, clean(snippet, LONGEST_SNIPPET)
            )
        if len(found) >= count:
            break
    return list(found.values())


def _address(url: object) -> str:
    """`url` if it is a web address, else empty."""
    if not isinstance(url, str) or len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        return ""
    try:
        split = urlsplit(url)
        whole = split.scheme in ("http", "https") and bool(split.hostname) and "@" not in split.netloc
    except ValueError:
        return ""
    return url if whole else ""
