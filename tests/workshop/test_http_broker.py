"""HTTP for sandboxed code: only named hosts, never the local network unless its port was named."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from reachy_mind.errors import BadAnswer, InvalidParameter, MindError, TimedOut
from reachy_mind.tools.toolbox import Denied
from reachy_mind.workshop import http_broker
from reachy_mind.workshop.capabilities import Capabilities
from reachy_mind.workshop.http_broker import HttpBroker


class Site(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked; redirects; sends too much; never answers."""

    seen: ClassVar[list[tuple[str, str, bytes]]] = []
    hang = threading.Event()

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.seen.append((self.command, self.headers["Host"], self.rfile.read(length)))
        if self.path.startswith("/redirect/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/redirect/"))
            self.end_headers()
            return
        if self.path == "/hang":
            self.hang.wait(20)
        body = b"x" * (6 << 20) if self.path == "/large" else f"{self.command} {self.path}".encode()
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    Site.hang.set()
    server.shutdown()
    server.server_close()


async def ask(allowed: str, url: str, hosts: tuple[str, ...] = (), /, **args: Any) -> dict[str, Any]:
    return await HttpBroker(Capabilities.parse(allowed), hosts).request({"method": "GET", "url": url} | args)


async def test_a_named_host_is_asked(port: int) -> None:
    url = f"http://localhost:{port}/page"
    answer = await ask(f"http:localhost:{port}", url, params=[["q", "a b"]])
    assert (answer["status"], answer["content"]) == (200, b"GET /page?q=a+b") and answer["url"].startswith(url)
    assert Site.seen[-1][1] == f"localhost:{port}"
    posted = await ask(f"http:localhost:{port}", url, method="POST", form={"a": "1"})
    assert posted["content"] == b"POST /page" and Site.seen[-1][2] == b"a=1"
    assert (await ask("http", f"http://localhost:{port}/missing", (f"localhost:{port}",)))["status"] == 404
    assert (await ask(f"http:localhost:{port}", url, method="HEAD"))["content"] == b""


@pytest.mark.parametrize(
    ("allowed", "hosts"),
    [
        ("", ()),
        ("http", ()),
        ("http:example.org", ()),
        ("", ("localhost:PORT",)),  # the setting counts only with the capability
        ("http:localhost:1", ()),
        ("http", ("localhost",)),  # the local network has to be named with its port
        ("http:localhost", ()),
    ],
)
async def test_any_other_is_not(port: int, allowed: str, hosts: tuple[str, ...]) -> None:
    before = len(Site.seen)
    with pytest.raises(Denied):
        await ask(allowed, f"http://localhost:{port}/", tuple(host.replace("PORT", str(port)) for host in hosts))
    assert len(Site.seen) == before


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "0", "169.254.169.254", "localhost.", "2130706433"])
async def test_other_spellings_of_this_machine(port: int, host: str) -> None:
    with pytest.raises(MindError):
        await ask("http,http:localhost,http:example.org", f"http://{host}:{port}/")


async def test_a_name_that_leads_into_the_local_network(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """The name of a stranger's server may resolve to an address of ours."""
    import asyncio

    async def resolved(*_: Any, **__: Any) -> list[Any]:
        return [(0, 0, 0, "", ("127.0.0.1", port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolved)
    with pytest.raises(Denied, match="this network"):
        await ask("http:rebound.example", "http://rebound.example/")


@pytest.mark.parametrize("there", ["http://example.org/", "http://127.0.0.1/", "ftp://localhost/"])
async def test_a_redirect_stays_on_its_host(port: int, there: str) -> None:
    base = f"http://localhost:{port}"
    assert (await ask(f"http:localhost:{port}", f"{base}/redirect//other"))["content"] == b"GET /other"
    with pytest.raises(BadAnswer):
        await ask(f"http:localhost:{port}", f"{base}/redirect/{there}")


@pytest.mark.parametrize(
    "args",
    [
        {"method": "DELETE"},
        {"method": None},
        {"url": "file:///etc/passwd"},
        {"url": "http://user:secret@localhost/"},
        {"url": 5},
        {"url": "http://" + "a" * 5000},
        {"headers": {"Host": "example.org"}},
        {"headers": {"X": "a\r\nHost: b"}},
        {"headers": {"X": 5}},
        {"headers": [1]},
        {"body": "text"},
        {"body": b"x" * (2 << 20)},
        {"form": {"a": 1}},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"params": [["a"]]},
    ],
    ids=lambda args: next(iter(args)),
)
async def test_requests_that_are_none(port: int, args: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        await ask(f"http:localhost:{port}", f"http://localhost:{port}/", **args)


async def test_an_answer_has_its_limits(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadAnswer, match="more than"):
        await ask(f"http:localhost:{port}", f"http://localhost:{port}/large")
    monkeypatch.setattr(http_broker, "MAX_TIMEOUT_S", 0.3)
    with pytest.raises(TimedOut):
        await ask(f"http:localhost:{port}", f"http://localhost:{port}/hang", timeout=1000)
