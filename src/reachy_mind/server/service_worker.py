"""The service worker of the installed page, and the list of files that it caches (the app shell).

The list's version, part of the worker's source, is a digest of all files: when one changes, browsers fetch them again.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

SUFFIXES = frozenset({".html", ".js", ".css", ".svg", ".png", ".woff2", ".webmanifest"})
EXCLUDED = frozenset({"docs.html", "docs.js", "service-worker.js", "swagger-ui"})
"""Files and folders that the page itself does not use."""


def shell_files(web: Path) -> dict[str, Path]:
    """The files to cache, by the path they are served at."""
    found = (file for file in sorted(web.rglob("*")) if file.suffix in SUFFIXES and file.is_file())
    inside = {file.relative_to(web): file for file in found}
    kept = {place: file for place, file in inside.items() if EXCLUDED.isdisjoint(place.parts)}
    return {"/" if place == Path("index.html") else f"/web/{place.as_posix()}": file for place, file in kept.items()}


def worker_source(web: Path) -> str:
    """The service worker's source, with the list of files to cache."""
    digest, kept = hashlib.sha256(), shell_files(web)
    for place, file in kept.items():
        content = file.read_bytes()
        digest.update(f"{place} {len(content)}\n".encode() + content)
    shell = {"version": digest.hexdigest()[:16], "files": list(kept)}
    return f"const SHELL = {json.dumps(shell)};\n{(web / 'service-worker.js').read_text(encoding='utf-8')}"
