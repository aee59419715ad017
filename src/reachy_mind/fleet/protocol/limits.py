"""Limits of cp1. The hub states those that a device keeps by itself in `welcome`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

SUBPROTOCOL = "cp1"
MAX_TEXT_BYTES = 64 << 10
MAX_BINARY_BYTES = 256 << 10
MAX_DEPTH = 32
"""How deeply the JSON of a frame may nest."""
WINDOW = 32
"""Unacknowledged events of the usual lane."""
MAX_UTTERANCE_BYTES = 1 << 20
HEARTBEAT_S = 30.0
MISSED_HEARTBEATS = 2
"""After so many a device counts as offline."""
PING_INTERVAL_S, PING_TIMEOUT_S, CLOSE_TIMEOUT_S = 10.0, 5.0, 1.0
EMERGENCY_ACK_S = 2.0
"""Without an acknowledgement by then an emergency is sent over every other way, too."""
FIRST_DELAY_S, MAX_DELAY_S = 0.5, 15.0
"""Between attempts to connect."""


class ConnectionLimits(BaseModel):
    """What a device may send."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    rate_per_s: float = 20.0
    burst: int = 60
    audio_bytes_per_s: int = 64 << 10
    window: int = WINDOW
    max_text_bytes: int = MAX_TEXT_BYTES
    heartbeat_s: float = HEARTBEAT_S
