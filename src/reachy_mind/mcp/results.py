"""`to_call_result`: a tool's outcome as an MCP result: structured content, text for the model, and images.

Untrusted text (of a web page, in a picture, from another server) stays a value in the data; it never becomes text of
ours.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

import mcp_types as types

from reachy_mind.storage.home import Home
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.result_limits import text

MAX_IMAGE_BYTES = 8 << 20
_SIGNATURES = {b"\xff\xd8\xff": "image/jpeg", b"\x89PNG\r\n\x1a\n": "image/png", b"GIF8": "image/gif"}


def to_call_result(outcome: Outcome, home: Home) -> types.CallToolResult:
    """May read a photo from disk: call it in a thread."""
    image = find_image(outcome.data, home)
    structured: dict[str, Any] = outcome.as_dict()
    if image is not None and isinstance(outcome.data, dict):
        structured["data"] = {key: value for key, value in outcome.data.items() if key != "image"}
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text(_for_model(structured)))]
    if image is not None:
        data, mime = image
        content.append(types.ImageContent(type="image", data=base64.b64encode(data).decode(), mime_type=mime))
    failed = outcome.status in ("error", "denied", "cancelled")
    return types.CallToolResult(content=content, structured_content=structured, is_error=failed)


def _for_model(outcome: dict[str, Any]) -> dict[str, Any]:
    """The part of an outcome that a model needs."""
    if outcome["error"] is not None:
        return {"status": outcome["status"], "error": outcome["error"]}
    return {"status": outcome["status"], "data": outcome["data"]}


def find_image(data: Any, home: Home) -> tuple[bytes, str] | None:
    """The image in an outcome and its MIME type: `image` in base64, or the name of a stored `photo`."""
    if not isinstance(data, dict):
        return None
    encoded, name = data.get("image"), data.get("photo")
    found = b""
    if isinstance(encoded, str) and encoded:
        try:
            found = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            found = b""  # it was too long for an outcome and was cut
    if not found and isinstance(name, str) and name:
        found = _read_photo(home.folder / "photos", name)
    for signature, mime in _SIGNATURES.items():
        if found.startswith(signature) and len(found) <= MAX_IMAGE_BYTES:
            return found, mime
    return None


def _read_photo(folder: Path, name: str) -> bytes:
    """The photo with this name; empty for a path outside the photo folder."""
    file = folder / name
    try:
        if file.resolve().parent != folder.resolve() or file.stat().st_size > MAX_IMAGE_BYTES:
            return b""
        return file.read_bytes()
    except (OSError, ValueError):
        return b""
