"""The model hub as far as single files are fetched from it: tree, resolve with its headers and redirect, and the store
of contents on another address, with ranges. Written against the hub's documentation; not checked against the real one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from tests.fakes.served import Served

PAGE = 2


class ModelHub(Served):
    """`files`: contents by `owner/name/path`. Use as a context manager."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.sent: dict[str, bytes] = {}
        """What is really sent for a file, if not its content."""
        self.cut: list[int] = []
        """How many bytes each next download gets before the connection drops."""
        self.held = False
        """Downloads stop after half of their bytes until `release` is set."""
        self.reached, self.release = threading.Event(), threading.Event()
        self.has_tree = True
        self.gated = ""
        """The token without which nothing is given."""
        self.asked: list[tuple[str, str, str, str]] = []
        """Every request: method, path, Range and Authorization."""
        self.contents = Served(type("Contents", (_Contents,), {"hub": self}))
        super().__init__(type("Handler", (_Handler,), {"hub": self}))

    def __enter__(self) -> Self:
        self.contents.__enter__()
        return super().__enter__()

    def __exit__(self, *about: object) -> None:
        self.release.set()
        super().__exit__(*about)
        self.contents.__exit__(*about)

    @property
    def downloads(self) -> list[str]:
        """The Range of every download, in order."""
        return [wanted for method, path, wanted, _ in self.asked if method == "GET" and path.startswith("/contents/")]


class _Request(BaseHTTPRequestHandler):
    hub: ModelHub

    def note(self) -> None:
        headers = self.headers
        asked = (self.command, self.path, headers.get("Range", ""), headers.get("Authorization", ""))
        self.hub.asked.append(asked)

    def send(self, status: int, content: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


class _Handler(_Request):
    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.note()
        split, hub = urlsplit(self.path), self.hub
        path = unquote(split.path)
        if hub.gated and self.headers.get("Authorization") != f"Bearer {hub.gated}":
            self.send(401, b'{"error":"Access to this model is restricted."}')
        elif path.startswith("/api/models/") and "/tree/main" in path and hub.has_tree:
            self._tree(path.removeprefix("/api/models/").split("/tree/")[0], parse_qs(split.query))
        elif "/resolve/main/" in path and (name := path[1:].replace("/resolve/main/", "/")) in hub.files:
            content = hub.files[name]
            self.send(
                302,
                Location=f"{hub.contents.url}/contents/{name}?Signature=abc",
                X_Linked_Etag=f'"{hashlib.sha256(content).hexdigest()}"',
                X_Linked_Size=str(len(content)),
                X_Repo_Commit="0" * 40,
            )
        else:
            self.send(404, b'{"error":"Repository not found"}')

    def _tree(self, repository: str, query: dict[str, list[str]]) -> None:
        small = (".gitattributes", "README.md")
        entries: list[dict[str, Any]] = [{"type": "file", "oid": "1" * 40, "size": 10, "path": name} for name in small]
        for name, content in self.hub.files.items():
            if name.startswith(f"{repository}/"):
                large = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 135}
                path = name.removeprefix(f"{repository}/")
                entries.append({"type": "file", "oid": "2" * 40, "size": len(content), "path": path, "lfs": large})
        start = int(query.get("cursor", ["0"])[0])
        following = f"{self.hub.url}/api/models/{repository}/tree/main?cursor={start + PAGE}"
        links = {"Link": f'<{following}>; rel="next"'} if start + PAGE < len(entries) else {}
        self.send(200, json.dumps(entries[start : start + PAGE]).encode(), Content_Type="application/json", **links)


class _Contents(_Request):
    def do_GET(self) -> None:
        self.note()
        hub, name = self.hub, unquote(urlsplit(self.path).path).removeprefix("/contents/")
        content = hub.sent.get(name, hub.files[name])
        start = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").removesuffix("-"))
        self.send_response(206 if "Range" in self.headers else 200)
        if "Range" in self.headers:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        content = content[start:]
        with contextlib.suppress(ConnectionError):
            if hub.cut:
                self.wfile.write(content[: hub.cut.pop(0)])
                self.close_connection = True
            elif hub.held:
                self.wfile.write(content[: len(content) // 2])
                self.wfile.flush()
                hub.reached.set()
                hub.release.wait(30)
                self.close_connection = True
            else:
                self.wfile.write(content)
