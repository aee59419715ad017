"""A file server on the loopback that can misbehave on demand, and small assets to fetch from it."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from reachy_mind import log
from reachy_mind.config.configuration import load
from reachy_mind.models.assets import Asset, HubFile, Part, Source, Unzip
from reachy_mind.models.store import Store


class FileServer:
    """Serves `files` by name. `ranges` off: it ignores Range. `cut[name]`: how many bytes each next answer gets before
    the connection drops. `held[name]`: an answer stops after half of its bytes until `release` is set."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.ranges = True
        self.cut: dict[str, list[int]] = {}
        self.held: set[str] = set()
        self.reached = threading.Event()
        self.release = threading.Event()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/{name}"

    def close(self) -> None:
        self.release.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    owner: FileServer

    def do_GET(self) -> None:
        owner, name = self.owner, self.path.lstrip("/")
        wanted = self.headers.get("Range")
        owner.requests.append((name, wanted))
        if name not in owner.files:
            self.send_error(404)
            return
        body, start = owner.files[name], 0
        if wanted and owner.ranges:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        self.send_header("Content-Type", "text/html" if name.endswith(".html") else "application/octet-stream")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self._send(name, body[start:])

    def _send(self, name: str, body: bytes) -> None:
        cuts = self.owner.cut.get(name)
        if cuts:
            self.wfile.write(body[: cuts.pop(0)])
            self.close_connection = True
        elif name in self.owner.held:
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            self.owner.reached.set()
            self.owner.release.wait()
            self.close_connection = True
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture(autouse=True)
def _logs_on_stderr() -> Iterator[None]:
    log.configure("warning")
    yield
    log.configure("error")  # a command run here may have left them on a stream that is closed by now


@pytest.fixture
def server() -> Iterator[FileServer]:
    made = FileServer()
    yield made
    made.close()


@pytest.fixture
def noise() -> Callable[[int, int], bytes]:
    """Bytes that don't compress, the same in every run."""
    return lambda size, seed=0: hashlib.shake_256(bytes([seed])).digest(size)


@pytest.fixture
def zipped() -> Callable[[dict[str, bytes]], bytes]:
    def make(files: dict[str, bytes]) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return buffer.getvalue()

    return make


@pytest.fixture
def asset_of() -> Callable[..., Asset]:
    """An asset called `tiny` with one part that holds `content`."""

    def make(content: bytes, *sources: Source, **changes: Any) -> Asset:
        part = Part("tiny.zip", hashlib.sha256(content).hexdigest(), len(content), sources)
        fields: dict[str, Any] = {
            "name": "tiny",
            "task": "testing",
            "summary": "A tiny asset",
            "licence": "CC0-1.0",
            "licence_url": "https://creativecommons.org/publicdomain/zero/1.0/",
            "parts": (part,),
            "layout": (Unzip("data/*", strip="data/", skip=("*.bak",)),),
            "unpacked_size": 1_000_000,
        }
        return Asset(**(fields | changes))

    return make


@pytest.fixture
def content(zipped: Callable[..., bytes], noise: Callable[..., bytes]) -> bytes:
    """A zip of about 300 kB: two files to keep, two to leave."""
    return zipped(
        {
            "data/a.txt": b"hello",
            "data/deep/b.bin": noise(300_000),
            "data/a.txt.bak": b"old",
            "other/c.txt": b"not ours",
        }
    )


@pytest.fixture
def hub_asset(server: FileServer, content: bytes, asset_of: Callable[..., Asset]) -> Asset:
    """`tiny`, to be had from the file server."""
    server.files["tiny.zip"] = content
    return asset_of(content, HubFile(server.url("tiny.zip")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A models folder that does not exist yet."""
    return tmp_path / "home" / "models"


@pytest.fixture
def robot_description() -> tuple[Store, str]:
    """The real asset, where it has been pulled already."""
    store = Store(load().models_folder)
    if store.status("robot-description").state != "ready":
        pytest.skip("robot-description has not been pulled on this machine")
    return store, "robot-description"
