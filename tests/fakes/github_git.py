"""git over HTTP, as GitHub serves it: real git's own program for web servers on a bare repository.

Whoever pushes, or reads what is private, needs the token as the password, as on GitHub.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from tests.fakes.github_branches import BareRepository

ADDRESS = re.compile(r"/(?P<name>[\w.-]+/[\w.-]+?)\.git/(?P<service>info/refs|git-upload-pack|git-receive-pack)")


def answer(
    request: BaseHTTPRequestHandler, bare: BareRepository, service: str, raw: bytes, token: str, *, private: bool
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and content."""
    query = urlsplit(request.path).query
    writes = "git-receive-pack" in (service, query.removeprefix("service="))
    sent = request.headers.get("Authorization", "")
    if (writes or private or sent) and not _is_of(token, sent):
        return 401, {"WWW-Authenticate": 'Basic realm="GitHub"'}, b"Invalid username or token.\n"
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PROJECT_ROOT": str(bare.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{bare.path.name}/{service}",
        "REQUEST_METHOD": request.command,
        "QUERY_STRING": query,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(raw)),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
        **({"REMOTE_USER": "me"} if writes else {}),
    }
    done = subprocess.run(
        ("git", "http-backend"),  # noqa: S607
        input=raw,
        env=environment,
        capture_output=True,
        timeout=20,
        check=True,
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
    status = int(headers.pop("Status", "200").split()[0])
    return status, headers, content


def _is_of(token: str, sent: str) -> bool:
    kind, _, secret = sent.partition(" ")
    try:
        return kind.casefold() == "basic" and base64.b64decode(secret).decode().partition(":")[2] == token
    except ValueError:
        return False
