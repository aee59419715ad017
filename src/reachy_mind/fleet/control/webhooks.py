"""Webhooks: a POST with JSON, signed, to an address that was checked.

`X-Reachy-Signature: t=SECONDS,v1=HEX` is there when the webhook has a secret: HEX is the HMAC-SHA256 of
`SECONDS.BODY`. The receiver compares it, and refuses what is older than some minutes. `X-Reachy-Delivery` is the same
in every repetition of one message.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import httpx

from reachy_mind.fleet.control.addresses import (
    AddressRefused,
    AddressUnknown,
    CheckedUrl,
    Lookup,
    lookup,
    parse,
    resolve,
)

TIMEOUT_S: Final = 5.0
ATTEMPTS: Final = 3
PAUSE_S: Final = 0.5
"""Before the second attempt; twice as long before the third."""
AGENT: Final = "reachy-mind-fleet"
_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True)
class DeliveryOutcome:
    """What became of a message."""

    delivered: bool
    said: str


def signature(secret: str, seconds: int, body: bytes) -> str:
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def shown(url: str) -> str:
    """A URL without what may be secret in it: for logs and lists."""
    try:
        parsed = parse(url)
    except AddressRefused:
        return "?"
    return f"{parsed.scheme}://{parsed.netloc.decode('ascii')}"


async def post(
    url: str,
    payload: dict[str, Any],
    *,
    secret: str | None,
    delivery: str,
    allowed: Collection[str],
    using: Lookup = lookup,
    pause_s: float = PAUSE_S,
) -> DeliveryOutcome:
    """Deliver a message. Never raises for what the address or its host does."""
    body = json.dumps(payload, ensure_ascii=False).encode()
    said = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            await asyncio.sleep(pause_s * attempt)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                checked = await resolve(url, allowed, using)
                status = await _send(checked, attempt, body, secret, delivery)
        except AddressUnknown as error:
            said = error.message
        except AddressRefused as error:
            return DeliveryOutcome(delivered=False, said=f"refused: {error.message}")
        except (TimeoutError, httpx.TimeoutException):
            said = f"no answer within {TIMEOUT_S:g} s"
        except (httpx.HTTPError, ValueError) as error:
            said = f"can't be reached: {str(error)[:200] or type(error).__name__}"
        else:
            if 200 <= status < 300:
                return DeliveryOutcome(delivered=True, said=f"delivered ({status})")
            said = "it redirects, which is not followed" if 300 <= status < 400 else f"it answered {status}"
            if status not in _AGAIN:
                break
    return DeliveryOutcome(delivered=False, said=said)


async def _send(checked: CheckedUrl, attempt: int, body: bytes, secret: str | None, delivery: str) -> int:
    """The status of the answer; nothing else of it is read."""
    headers = {
        "Host": checked.host_header,
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "X-Reachy-Delivery": delivery,
    }
    if secret:
        headers["X-Reachy-Signature"] = signature(secret, int(time.time()), body)
    async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False, follow_redirects=False) as client:
        request = client.build_request("POST", checked.target(attempt), headers=headers, content=body)
        request.extensions["sni_hostname"] = checked.host
        response = await client.send(request, stream=True)
        await response.aclose()
        return response.status_code
