"""`ActivityFile`: the activity that a device takes part in, on its disk: after a restart it goes on with it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind import log
from reachy_mind.errors import ConfigError
from reachy_mind.fleet.activities.payloads import PrepareActivity
from reachy_mind.storage.files import read_own_file, write_text_atomically

KEPT_ENDED: Final = 16
"""Activities that have ended; a command that comes again does not begin them anew."""

_log = log.get(__name__)


class StoredActivity(BaseModel):
    """`at`: the time of the hub's clock at which the timeline stands, or stood, at `position_ms`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    prepared: PrepareActivity
    phase: Literal["preparing", "running", "paused"] = "preparing"
    at: float = 0.0
    position_ms: int = 0
    times_ms: tuple[int, ...] = ()
    ready_said: bool = False

    @property
    def id(self) -> str:
        return self.prepared.activity


class DeviceActivityState(BaseModel):
    """What the file has."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    current: StoredActivity | None = None
    ended: Annotated[tuple[str, ...], Field(max_length=KEPT_ENDED)] = ()


class ActivityFile:
    """Written whole, on disk when `save` returns."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def load(self) -> DeviceActivityState:
        """A damaged file counts as none: the device waits for the next activity."""
        try:
            found = await asyncio.to_thread(read_own_file, self._file)
            return DeviceActivityState.model_validate_json(found[0]) if found is not None else DeviceActivityState()
        except (ConfigError, ValidationError) as error:
            _log.error("the state of the activity can't be read", reason=str(error))
            return DeviceActivityState()

    async def save(self, state: DeviceActivityState) -> None:
        """Raises ConfigError when the disk refuses."""
        await asyncio.to_thread(write_text_atomically, self._file, state.model_dump_json(), mode=0o600)
