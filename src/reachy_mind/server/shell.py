"""The page's shell: those of its files that an installed page keeps, and the service worker that keeps them.

Its version is a digest of them all, and stands in the worker: when any has changed, a browser fetches them anew.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

KINDS = frozenset({".html", ".js", ".css", ".svg", ".png", ".woff2", ".webmanifest"})
OTHERS = frozenset({"docs.html", "docs.js", "service-worker.js", "swagger-ui"})
"""Files and folders that the page itself has no use for."""


def files(web: Path) -> dict[str, Path]:
    """Each with the path it is served at."""
    found = (file for file in sorted(web.rglob("*")) if file.suffix in KINDS and file.is_file())
    inside = {file.relative_to(web): file for file in found}
    kept = {place: file for place, file in inside.items() if OTHERS.isdisjoint(place.parts)}
    return {"/" if place == Path("index.html") else f"/web/{place.as_posix()}": file for place, file in kept.items()}


def worker(web: Path) -> str:
    """The service worker's source, with what it is to keep."""
    digest, kept = hashlib.sha256(), files(web)
    for place, file in kept.items():
        content = file.read_bytes()
        digest.update(f"{place} {len(content)}\n".encode() + content)
    shell = {"version": digest.hexdigest()[:16], "files": list(kept)}
    return f"const SHELL = {json.dumps(shell)};\n{(web / 'service-worker.js').read_text(encoding='utf-8')}"
