"""A small Hugging Face Hub for tests: one dataset, its list of files and their contents, and bad manners on demand.

It answers on the routes of the real one (`/api/datasets/ORG/NAME/tree/main`, `/datasets/ORG/NAME/resolve/main/PATH`),
in pages, with files above a size described as large ones. `make test-vendor` reads its lists with the Hub's own client;
nothing here was checked against the real Hub.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.served import Served

PAGE = 3
LARGE = 4000

Answer = Callable[["Request"], None]


class Hub(Served):
    """Use as `with Hub("org/name") as hub`; then fill `hub.files`."""

    def __init__(self, dataset: str) -> None:
        self.dataset = dataset
        self.files: dict[str, bytes] = {}
        self.listed: list[dict[str, Any]] = []
        """Entries of the list that are said to be there, besides `files`."""
        self.manners: dict[str, Answer] = {}
        """How to answer for a route or a file's path instead."""
        self.asked: list[tuple[str, str]] = []
        """Every request: its path and its Authorization header."""
        super().__init__(_handler(self))

    @property
    def fetched(self) -> list[str]:
        """The files that were asked for, in order."""
        start = f"/datasets/{self.dataset}/resolve/main/"
        return [unquote(path.removeprefix(start)) for path, _ in self.asked if path.startswith(start)]

    def all_nodes(self) -> list[dict[str, Any]]:
        """Every file, and the folders it is in, as with `recursive=true`."""
        folders = {
            "/".join(parts[:depth])
            for path in self.files
            for parts in [path.split("/")]
            for depth in range(1, len(parts))
        }
        described = [{"type": "directory", "path": path, "oid": "0" * 40, "size": 0} for path in sorted(folders)]
        return [*described, *(node(path, content) for path, content in self.files.items()), *self.listed]

    def nodes(self, folder: str) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for path, content in self.files.items():
            if folder and not path.startswith(f"{folder}/"):
                continue
            rest = path.removeprefix(f"{folder}/") if folder else path
            if "/" in rest:
                inner = f"{folder}/{rest.split('/')[0]}".strip("/")
                found[inner] = {"type": "directory", "path": inner, "oid": "0" * 40, "size": 0}
            else:
                found[path] = node(path, content)
        return [*found.values(), *(self.listed if not folder else [])]


def node(path: str, content: bytes, **lies: Any) -> dict[str, Any]:
    """A file as the Hub describes it."""
    oid = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    described = {"type": "file", "path": path, "size": len(content), "oid": oid}
    if len(content) > LARGE:
        sha256 = hashlib.sha256(content).hexdigest()
        described["lfs"] = {"oid": sha256, "size": len(content), "pointerSize": 130}
    return described | lies


class Request(BaseHTTPRequestHandler):
    """One request; an `Answer` gets it."""

    hub: Hub

    def do_GET(self) -> None:
        with contextlib.suppress(ConnectionError):
            self._get()

    def send(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def _get(self) -> None:
        hub, split = self.hub, urlsplit(self.path)
        hub.asked.append((split.path, self.headers.get("Authorization", "")))
        tree, files = f"/api/datasets/{hub.dataset}/tree/main", f"/datasets/{hub.dataset}/resolve/main/"
        name = unquote(split.path.removeprefix(files)) if split.path.startswith(files) else split.path
        if name in hub.manners:
            hub.manners[name](self)
        elif split.path.startswith(tree):
            query = {name: values[0] for name, values in parse_qs(split.query).items()}
            self._send_page(split.path.removeprefix(tree).strip("/"), **query)
        elif name in hub.files:
            self.send(hub.files[name])
        else:
            self.send(b'{"error":"Repository not found"}', 404)

    def _send_page(self, folder: str, cursor: str = "0", recursive: str = "false") -> None:
        nodes, start = self.hub.all_nodes() if recursive == "true" else self.hub.nodes(folder), int(cursor)
        following = f"{self.hub.url}{urlsplit(self.path).path}?recursive={recursive}&cursor={start + PAGE}"
        headers = {"Link": f'<{following}>; rel="next"'} if start + PAGE < len(nodes) else {}
        self.send(json.dumps(nodes[start : start + PAGE]).encode(), **headers)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the parent's name
        pass


def _handler(hub: Hub) -> type[Request]:
    return type("Handler", (Request,), {"hub": hub})


# Bad manners


def status(code: int) -> Answer:
    return lambda request: request.send(b"no", code)


def cut_short(content: bytes) -> Answer:
    """Says how long it is, sends half of it, and hangs up."""

    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[: len(content) // 2])

    return answer


def endless(request: Request) -> None:
    """Sends for as long as anybody listens."""
    request.send_response(200)
    request.end_headers()
    while True:
        request.wfile.write(b"[" * 65536)


def redirected(url: str) -> Answer:
    return lambda request: request.send(b"", 302, Location=url)
