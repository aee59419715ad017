"""What a heartbeat says that a person should look at: an empty battery, heat, an error."""

from __future__ import annotations

from typing import Final

from reachy_mind.fleet.protocol.handshake import Heartbeat

LOW_BATTERY_PERCENT: Final = 20.0
HOT_C: Final = 80.0
"""A Raspberry Pi slows down from here on."""


def of(heartbeat: Heartbeat) -> str:
    """Words with spaces between them: `battery`, `hot`, `error`; empty when all is well."""
    battery, temperature = heartbeat.battery_percent, heartbeat.temperature_c
    found = (
        ("battery", battery is not None and battery < LOW_BATTERY_PERCENT),
        ("hot", temperature is not None and temperature >= HOT_C),
        ("error", heartbeat.state == "error"),
    )
    return " ".join(word for word, is_so in found if is_so)
