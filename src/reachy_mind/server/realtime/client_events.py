"""What a Realtime client sends: frames of text, each a JSON object with a type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reachy_mind.server.realtime.items import RefusedEvent

BETA_FIELDS = ("modalities", "input_audio_format", "output_audio_format")


def parse_event(frame: str | bytes) -> Mapping[str, Any]:
    """Raises RefusedEvent."""
    try:
        event = json.loads(frame)
    except (ValueError, RecursionError):
        raise RefusedEvent("invalid_json", "a frame that is no JSON", hint="events are JSON objects in text") from None
    if not isinstance(event, Mapping):
        raise RefusedEvent("invalid_json", "a frame that is no JSON object", hint="events are JSON objects in text")
    return event


def is_beta(session: Mapping[str, Any]) -> bool:
    """Whether only the protocol's beta has these fields."""
    return any(name in session for name in BETA_FIELDS)
