"""A small Hugging Face Hub that takes uploads: repository, large files, commits and tags, and gives them back.

It answers on the routes that the Hub's own client uses (huggingface_hub 0.35), and `make test-lerobot` drives it with
that client: what our upload does to it and what that client does are the same. Never checked against the real Hub.
"""

from __future__ import annotations

import base64
import hashlib
import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.fakes.served import Served

LARGE = (".parquet", ".mp4")
COMMIT = "a" * 40
WRITE = "hf_write"


class WritableHub(Served):
    """Use as `with WritableHub("org/name") as hub`; what was uploaded is in `files`."""

    def __init__(self, dataset: str) -> None:
        self.dataset, self.token = dataset, WRITE
        self.files: dict[str, bytes] = {}
        self.tags: list[str] = []
        self.created: list[dict[str, Any]] = []
        self.stored: dict[str, bytes] = {}
        """Large files by the hash of their content."""
        self.refused: list[str] = []
        """Requests that this does not know, or that lacked the token."""
        super().__init__(type("Handler", (_Upload,), {"hub": self}))

    def answer(self, method: str, path: str, body: bytes) -> Any:  # noqa: PLR0911 -- a table of routes
        """A JSON answer, or the content of a file; None: there is no such route."""
        api = f"/api/datasets/{self.dataset}"
        route = f"{method} {path}"
        if route == "POST /api/repos/create":
            self.created.append(json.loads(body))
            return {"url": f"{self.url}/datasets/{self.dataset}"}
        if route == "POST /api/validate-yaml":
            return {"errors": [], "warnings": []}
        if route == f"POST {api}/preupload/main":
            files = [file["path"] for file in json.loads(body)["files"]]
            modes = {name: "lfs" if name.endswith(LARGE) else "regular" for name in files}
            return {
                "files": [{"path": name, "uploadMode": mode, "shouldIgnore": False} for name, mode in modes.items()]
            }
        if route == f"POST /datasets/{self.dataset}.git/info/lfs/objects/batch":
            return {"transfer": "basic", "objects": [self._wanted(one) for one in json.loads(body)["objects"]]}
        if method == "PUT" and path.startswith("/storage/"):
            assert hashlib.sha256(body).hexdigest() == path.removeprefix("/storage/")
            self.stored[path.removeprefix("/storage/")] = body
            return {}
        if route == "POST /storage/verify":
            assert json.loads(body)["oid"] in self.stored
            return {}
        if route == f"POST {api}/commit/main":
            self._commit([json.loads(line) for line in body.decode().splitlines()])
            return {"commitUrl": f"{self.url}/datasets/{self.dataset}/commit/{COMMIT}", "commitOid": COMMIT}
        if method == "DELETE" and path.startswith(f"{api}/tag/"):
            name = path.removeprefix(f"{api}/tag/")
            if name not in self.tags:
                return None
            self.tags.remove(name)
            return {}
        if route == f"POST {api}/tag/main":
            self.tags.append(json.loads(body)["tag"])
            return {}
        return self._read(path, api) if method in ("GET", "HEAD") else None

    def _read(self, path: str, api: str) -> Any:
        revisions = ("main", COMMIT, *self.tags)
        if path == f"{api}/refs":
            branches = [{"name": "main", "ref": "refs/heads/main", "targetCommit": COMMIT}]
            tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": COMMIT} for tag in self.tags]
            return {"branches": branches, "converts": [], "tags": tags}
        if path in (api, *(f"{api}/revision/{revision}" for revision in revisions)):
            files = [{"rfilename": name} for name in sorted(self.files)]
            return {"id": self.dataset, "sha": COMMIT, "private": True, "tags": [], "siblings": files}
        for revision in revisions:
            start = f"/datasets/{self.dataset}/resolve/{revision}/"
            if path.startswith(start):
                return self.files.get(path.removeprefix(start))
            if path == f"{api}/tree/{revision}":
                return [
                    {"type": "file", "path": name, "size": len(content), "oid": blob_hash(content)}
                    | ({"lfs": {"oid": sha256(content), "size": len(content)}} if name.endswith(LARGE) else {})
                    for name, content in sorted(self.files.items())
                ]
        return None

    def _wanted(self, one: dict[str, Any]) -> dict[str, Any]:
        about = {"oid": one["oid"], "size": one["size"]}
        if one["oid"] in self.stored:
            return about
        upload, verify = {"href": f"{self.url}/storage/{one['oid']}"}, {"href": f"{self.url}/storage/verify"}
        return about | {"actions": {"upload": upload, "verify": verify}}

    def _commit(self, lines: list[dict[str, Any]]) -> None:
        assert lines[0]["key"] == "header" and lines[0]["value"]["summary"]
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "lfsFile":
                self.files[value["path"]] = self.stored[value["oid"]]
            else:
                assert (line["key"], value["encoding"]) == ("file", "base64")
                self.files[value["path"]] = base64.b64decode(value["content"])


class _Upload(BaseHTTPRequestHandler):
    hub: WritableHub
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        storage = path.startswith("/storage/")
        if storage and self.command == "PUT" and "Authorization" in self.headers:
            self.hub.refused.append(f"{self.command} {path} was sent the token")
        if not storage and self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            self.hub.refused.append(f"{self.command} {path} without the token")
            self._send(401, b'{"error": "no access"}', "application/json")
            return
        found = self.hub.answer(self.command, path, body)
        if found is None:
            if self.command != "DELETE":
                self.hub.refused.append(f"{self.command} {path}")
            self._send(404, b'{"error": "not found"}', "application/json", {"X-Error-Code": "RevisionNotFound"})
        elif isinstance(found, bytes):
            about = {"ETag": f'"{sha256(found)}"', "X-Repo-Commit": COMMIT}
            self._send(200, found, "application/octet-stream", about)
        else:
            self._send(200, json.dumps(found).encode(), "application/json")

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_any  # noqa: N815 -- the parent's names

    def _send(self, status: int, content: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the parent's name
        pass


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def blob_hash(content: bytes) -> str:
    """As git names the content of a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
