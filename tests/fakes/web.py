"""The services of the web that the tools ask, in one small server: SearXNG, Brave Search, DuckDuckGo, Open-Meteo.

Each answers on its own path in the format its documentation describes (SearXNG's `search?format=json`, Brave's
`web.results`, Open-Meteo's `results` and `current`/`daily`). DuckDuckGo documents no format: its page and its challenge
are rebuilt from what readers of it publicly report. Nothing here was checked against the real services.
"""

from __future__ import annotations

import contextlib
import gzip
import html
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from tests.fakes.served import Served

Answer = Callable[["Request"], None]
KEY = "brave-key-for-tests"

RESULTS = [
    {
        "title": "Reachy Mini & friends",
        "url": "https://robots.example/mini?a=1&b=2",
        "words": "A <b>small</b> robot for the desk.",
    },
    {"title": "Desk robots", "url": "http://desk.example/", "words": "Ten of them, compared."},
    {"title": "Antennas", "url": "https://antennas.example/why", "words": "Why robots have two."},
]


@dataclass(frozen=True)
class Asked:
    """One request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str] = field(default_factory=dict)


class Web(Served):
    """Use as `with Web() as web`; then `web.settings()` are the settings that lead to it."""

    def __init__(self) -> None:
        self.results: list[dict[str, Any]] = list(RESULTS)
        self.manners: dict[str, Answer] = {}
        """How to answer on a path instead."""
        self.asked: list[Asked] = []
        super().__init__(type("Handler", (Request,), {"web": self}))

    def settings(self, **more: str) -> dict[str, str]:
        """Flags for `config.load`; DuckDuckGo is asked unless `more` says otherwise."""
        paths = {"brave_url": "brave", "duckduckgo_url": "html/", "geocoding_url": "geo", "forecast_url": "forecast"}
        return {f"web.{name}": f"{self.url}/{path}" for name, path in paths.items()} | {
            f"web.{name}": value for name, value in more.items()
        }


class Request(BaseHTTPRequestHandler):
    """One request; an `Answer` gets it."""

    web: Web

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._answer(urlsplit(self.path).query)

    def do_POST(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def send(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def send_json(self, content: Any, status: int = 200) -> None:
        self.send(json.dumps(content).encode(), status, Content_Type="application/json; charset=utf-8")

    def _answer(self, query: str) -> None:
        path = urlsplit(self.path).path
        asked = {name: values[0] for name, values in parse_qs(query).items()}
        self.web.asked.append(Asked(self.command, path, asked, {k.lower(): v for k, v in self.headers.items()}))
        routes: dict[str, Callable[[dict[str, str]], None]] = {
            "/searx/search": self._searxng,
            "/brave": self._brave,
            "/html/": self._duckduckgo,
            "/geo": self._places,
            "/forecast": self._forecast,
        }
        if path in self.web.manners:
            self.web.manners[path](self)
        elif path in routes:
            routes[path](asked)
        else:
            self.send(b"no such page", 404)

    def _searxng(self, asked: dict[str, str]) -> None:
        if asked.get("format") != "json":
            self.send(b"<html>the page for people</html>")
            return
        results = [
            {
                "url": result["url"],
                "title": result["title"],
                "content": result["words"],
                "engine": "wikipedia",
                "template": "default.html",
                "engines": ["wikipedia"],
                "positions": [1],
                "score": 1.0,
                "category": "general",
            }
            for result in self.web.results
        ]
        about = {"answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": []}
        self.send_json({"query": asked["q"], "number_of_results": 0, "results": results, **about})

    def _brave(self, asked: dict[str, str]) -> None:
        if self.headers.get("X-Subscription-Token") != KEY:
            error = {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The provided subscription token is invalid."}
            self.send_json({"type": "ErrorResponse", "error": {**error, "status": 422}}, 422)
            return
        found: dict[str, Any] = {"type": "search", "query": {"original": asked["q"], "more_results_available": False}}
        results = [
            {
                "type": "search_result",
                "title": html.escape(result["title"]),
                "url": result["url"],
                "description": result["words"].replace("<b>", "<strong>").replace("</b>", "</strong>"),
                "is_live": False,
                "language": "en",
            }
            for result in self.web.results[: int(asked.get("count", "20"))]
        ]
        if results:
            found["web"] = {"type": "search", "results": results, "family_friendly": True}
        self.send_json(found)

    def _duckduckgo(self, asked: dict[str, str]) -> None:
        self.send(duckduckgo_page(asked.get("q", ""), self.web.results).encode(), Content_Type="text/html")

    def _places(self, asked: dict[str, str]) -> None:
        known = [
            place("Paris", 48.85341, 2.3488, "France", "FR", "Île-de-France", "Europe/Paris"),
            place("Paris", 33.66094, -95.55551, "United States", "US", "Texas", "America/Chicago"),
        ]
        results = [entry for entry in known if entry["name"].casefold() == asked["name"].casefold()]
        self.send_json(({"results": results} if results else {}) | {"generationtime_ms": 0.5})

    def _forecast(self, asked: dict[str, str]) -> None:
        if not -90 <= float(asked["latitude"]) <= 90:
            self.send_json({"error": True, "reason": "Latitude must be in range of -90 to 90°."}, 400)
            return
        current = {"temperature_2m": 12.3, "apparent_temperature": 9.1, "relative_humidity_2m": 71}
        current |= {"weather_code": 61, "wind_speed_10m": 14.4}
        daily = {
            "time": ["2026-03-03", "2026-03-04", "2026-03-05"],
            "weather_code": [61, 2, 0],
            "temperature_2m_max": [14.2, 16.0, 18.1],
            "temperature_2m_min": [7.6, 6.1, 5.0],
            "precipitation_probability_max": [80, 10, None],
        }
        self.send_json(
            {
                "latitude": float(asked["latitude"]),
                "longitude": float(asked["longitude"]),
                "generationtime_ms": 0.1,
                "utc_offset_seconds": 3600,
                "timezone": "Europe/Paris",
                "timezone_abbreviation": "CET",
                "elevation": 38.0,
                "current_units": {"time": "iso8601", "temperature_2m": "°C", "wind_speed_10m": "km/h"},
                "current": {"time": "2026-03-03T14:30", "interval": 900, **current},
                "daily_units": {"time": "iso8601", "temperature_2m_max": "°C"},
                "daily": daily,
            }
        )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the parent's name
        pass


def place(
    name: str, latitude: float, longitude: float, country: str, code: str, admin1: str, timezone: str
) -> dict[str, Any]:
    """A place as Open-Meteo describes it."""
    about = {"country": country, "country_code": code, "admin1": admin1, "timezone": timezone}
    return {"id": 1, "name": name, "latitude": latitude, "longitude": longitude, "feature_code": "PPL", **about}


def duckduckgo_page(query: str, results: list[dict[str, Any]]) -> str:
    """The page without scripts: an advertisement first, as it comes, then the results."""
    advertisement = (
        '<div class="result results_links results_links_deep result--ad">'
        '<h2 class="result__title"><a rel="nofollow" class="result__a" '
        'href="https://duckduckgo.com/y.js?ad_domain=shop.example&amp;ad_provider=x">Buy robots</a></h2>'
        '<a class="result__snippet" href="https://duckduckgo.com/y.js?ad_domain=shop.example">Cheap robots</a></div>'
    )
    blocks = [
        f'<div class="result results_links results_links_deep web-result "><div class="links_main links_deep '
        f'result__body"><!-- this is the visible part --><h2 class="result__title">\n<a rel="nofollow" '
        f'class="result__a" href="//duckduckgo.com/l/?uddg={quote(result["url"], safe="")}&amp;rut=0123abcd">'
        f'{html.escape(result["title"])}</a>\n</h2><div class="result__extras"><a class="result__url" '
        f'href="//duckduckgo.com/l/?uddg=x">{html.escape(result["url"])}</a></div>'
        f'<a class="result__snippet" href="//duckduckgo.com/l/?uddg={quote(result["url"], safe="")}">'
        f'{result["words"]}</a><div class="clear"></div></div></div>'
        for result in results
    ]
    none = '<div class="no-results">No results.</div>'
    body = advertisement + "".join(blocks) if blocks else none
    title = html.escape(query)
    return (
        f'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">\n<html><head><title>{title} at DuckDuckGo'
        f'</title></head><body><form action="/html/" method="post"></form><div id="links" class="results">{body}'
        "</div></body></html>"
    )


# Bad manners


def status(code: int) -> Answer:
    return lambda request: request.send(b"no", code)


def content(text: str | bytes, code: int = 200) -> Answer:
    return lambda request: request.send(text.encode() if isinstance(text, str) else text, code)


def challenge(code: int) -> Answer:
    """What DuckDuckGo sends to those it takes for programs."""
    form = '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html" method="POST">'
    return content(f'<html><body>{form}<div class="anomaly-modal__title">Bots</div></form></body></html>', code)


def endless(request: Request) -> None:
    """Sends for as long as anybody listens."""
    request.send_response(200)
    request.end_headers()
    while True:
        request.wfile.write(b"[" * 65536)


def swollen(request: Request) -> None:
    """A small answer, and a right one for every service, that unpacks to 50 MB."""
    nothing = b"""{"results": [], "page": "<div class='no-results'></div>"}"""
    request.send(gzip.compress(nothing + b" " * 50_000_000), Content_Encoding="gzip")


def packed(text: str) -> Answer:
    """Compressed, although nobody asked for that."""
    return lambda request: request.send(gzip.compress(text.encode()), Content_Encoding="gzip")


def silent(until: threading.Event) -> Answer:
    """Says nothing before `until` is set."""

    def answer(request: Request) -> None:
        until.wait(60)

    return answer


def redirected(url: str) -> Answer:
    return lambda request: request.send(b"", 302, Location=url)
