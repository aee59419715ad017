"""`RequestQuota`: GitHub's limits of requests, as its answers tell them.

The primary limit counts the requests of an hour (`X-RateLimit-*`), secondary ones keep bursts away (`Retry-After`, or a
message alone). GitHub may ban who goes on asking, so nothing is sent before the time that it named.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from reachy_mind.developer.github.errors import RateLimited

UNNAMED_WAIT_S = 60.0
"""GitHub's advice for a secondary limit that names no time."""
LONGEST_S = 7200.0
"""The primary limit is one of an hour: a time that is later is a mistake."""
_SAID = ("rate limit", "abuse detection")


class RequestQuota:
    """The limits of one token."""

    def __init__(self) -> None:
        self._retry_at = 0.0

    def read(self, status: int, headers: Mapping[str, str], body: Any) -> float | None:
        """Note what an answer says. Returns the seconds to wait when the request was refused for its limit."""
        left, reset = _number(headers, "x-ratelimit-remaining"), _number(headers, "x-ratelimit-reset")
        now = time.time()
        refused = status in (403, 429) and ("retry-after" in headers or left == 0 or status == 429 or _is_said(body))
        if left == 0 and reset is not None and reset > now:
            self._retry_at = max(self._retry_at, min(reset, now + LONGEST_S))
        if not refused:
            return None
        wait = _number(headers, "retry-after")
        if wait is None:
            wait = max(reset - now, 0.0) + 1.0 if left == 0 and reset is not None else UNNAMED_WAIT_S
        wait = min(wait, LONGEST_S)
        self._retry_at = max(self._retry_at, now + wait)
        return wait

    @property
    def wait_s(self) -> float:
        """Seconds until the next request is allowed; 0: now."""
        return max(self._retry_at - time.time(), 0.0)


def rate_limited(wait_s: float) -> RateLimited:
    """The error for a wait that is too long."""
    retry_at = time.time() + wait_s
    when = time.strftime("%H:%M:%S", time.localtime(retry_at))
    minutes = round(wait_s / 60)
    long = f"{minutes} minute{'s' if minutes != 1 else ''}" if minutes else f"{round(wait_s)} seconds"
    return RateLimited(
        f"GitHub allows no more requests before {when}, in about {long}",
        hint="ask again then; without a token there are only 60 requests an hour",
        retry_at=retry_at,
    )


def _number(headers: Mapping[str, str], name: str) -> float | None:
    try:
        found = float(headers[name])
    except (KeyError, ValueError):
        return None
    return found if 0 <= found < 1e11 else None


def _is_said(body: Any) -> bool:
    message = body.get("message") if isinstance(body, dict) else None
    return isinstance(message, str) and any(words in message.casefold() for words in _SAID)
