"""The body of an error response: ours, and under `/v1` also with the fields that OpenAI's clients read."""

from __future__ import annotations

from typing import Any

from reachy_mind.errors import MindError

COMPATIBLE = "/v1/"
"""Where the paths of the OpenAI API begin."""
TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def is_compatible(path: str) -> bool:
    return path.startswith(COMPATIBLE)


def error_body(error: MindError, status: int, path: str) -> dict[str, Any]:
    """OpenAI's clients show the message alone, so that it has the hint too."""
    about: dict[str, Any] = error.as_dict()
    if is_compatible(path):
        message = f"{error.message}; {error.hint}" if error.hint else error.message
        kind = TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
        about |= {"message": message, "type": kind, "param": None}
    return {"error": about}
