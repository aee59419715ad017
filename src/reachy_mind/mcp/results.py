"""An outcome of the gate as an MCP client is told of it: structured, as text, and pictures as pictures.

Text that came from elsewhere (a page, a sign in a picture, another server) stays a value in the data; nothing of it is
ever said as ours.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

import mcp_types as types

from reachy_mind.config import Home
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.output import text

LARGEST_PICTURE = 8 << 20
_LOOKS = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png", b"GIF8": "image/gif"}


def result(outcome: Outcome, home: Home) -> types.CallToolResult:
    """May read a picture from disk: call it in a thread."""
    found = picture(outcome.data, home)
    told: dict[str, Any] = outcome.as_dict()
    if found is not None and isinstance(outcome.data, dict):
        told["data"] = {key: value for key, value in outcome.data.items() if key != "image"}
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text(_said(told)))]
    if found is not None:
        data, mime = found
        content.append(types.ImageContent(type="image", data=base64.b64encode(data).decode(), mime_type=mime))
    failed = outcome.status in ("error", "denied", "cancelled")
    return types.CallToolResult(content=content, structured_content=told, is_error=failed)


def _said(told: dict[str, Any]) -> dict[str, Any]:
    """What a model needs to know of it."""
    if told["error"] is not None:
        return {"status": told["status"], "error": told["error"]}
    return {"status": told["status"], "data": told["data"]}


def picture(data: Any, home: Home) -> tuple[bytes, str] | None:
    """The picture that an outcome carries or names, and its kind: `image` in base64, or a `photo` that was kept."""
    if not isinstance(data, dict):
        return None
    encoded, name = data.get("image"), data.get("photo")
    found = b""
    if isinstance(encoded, str) and encoded:
        try:
            found = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            found = b""  # what was too long for an outcome was cut
    if not found and isinstance(name, str) and name:
        found = _kept(home.folder / "photos", name)
    for start, mime in _LOOKS.items():
        if found.startswith(start) and len(found) <= LARGEST_PICTURE:
            return found, mime
    return None


def _kept(folder: Path, name: str) -> bytes:
    """A photo of that name, and nothing else on this disk."""
    file = folder / name
    try:
        if file.resolve().parent != folder.resolve() or file.stat().st_size > LARGEST_PICTURE:
            return b""
        return file.read_bytes()
    except (OSError, ValueError):
        return b""
