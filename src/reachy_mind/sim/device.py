"""`DaemonIdentity`: the daemon's name, media state, and the app that holds the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from reachy_mind.body import protocol

Volume = Annotated[int, Field(ge=0, le=100)]
RobotName = Annotated[str, Field(min_length=1, max_length=64)]


@dataclass
class DaemonIdentity:
    """Kept in memory only: every start has the defaults."""

    name: str = "reachy_mini_sim"
    first_wake_up_done: bool = False
    media_released: bool = False
    holder: str | None = None

    def lock(self) -> protocol.AppLock:
        return protocol.AppLock(state="local_app" if self.holder else "free", holder_name=self.holder)
