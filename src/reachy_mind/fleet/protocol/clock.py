"""The payloads of `clock.ping` and `clock.pong`: four times from which a device estimates the hub's clock.

All in milliseconds, with a fraction: `t0` and `t3` (when the answer came, never sent) by the device's monotonic clock,
`t1` (arrival) and `t2` (answer) by the hub's clock, since 1970.
"""

from __future__ import annotations

import time
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Milliseconds = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e15)]


class ClockPing(BaseModel):
    """A device asks for the time."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    t0: Milliseconds


class ClockPong(BaseModel):
    """The hub's answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    t0: Milliseconds
    t1: Milliseconds
    t2: Milliseconds


def hub_time_ms() -> float:
    """The hub's clock: as `now_ms`, with a fraction."""
    return time.time() * 1000
