"""Looks at the compressed picture."""

import base64
import hashlib

from reachy_mini import ReachyMini


def jpeg_size() -> dict:
    """Say how large the compressed picture is."""
    with ReachyMini() as mini:
        data = mini.media.get_frame_jpeg()
    return {"bytes": len(data), "is_jpeg": data[:2] == b"\xff\xd8", "head": base64.b64encode(data[:6]).decode(), "digest": hashlib.sha256(data).hexdigest()[:12]}
