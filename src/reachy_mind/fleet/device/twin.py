"""`DeviceTwin`: the state that the hub wants, stored, applied by a `TwinApplier`, and what came of it.

It is applied again at every start, also without a network: a device that lost its power comes back as it should be. A
personality that could not be fetched, and an applier that broke down, are tried again with growing delays. A reason
that an applier gives is reported, and nothing else: it would say the same again.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from reachy_mind import log
from reachy_mind.cancellation import is_ending
from reachy_mind.errors import MindError
from reachy_mind.fleet.device.damage import making_sense_of
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.personas import PersonaCache, PersonaTexts
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.handshake import Desired, Reported
from reachy_mind.storage.database import DatabaseError

PARTS: Final = ("persona", "config", "volume")
MAX_REASON: Final = 200
RETRY_S: Final = (5.0, 300.0)

_log = log.get(__name__)


class TwinApplier(Protocol):
    """What changes the device."""

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:
        """Make the device so; it may be so already. `persona`: the texts of `desired.persona`; None for none, and when
        they can't be had: then the personality stays as it is.

        Returns why a part ("persona", "config", "volume") could not be applied. It is called again after an error.
        """
        ...


class DeviceTwin:
    """The twin of a store. `run` applies it."""

    def __init__(
        self,
        store: DeviceStore,
        applier: TwinApplier,
        personas: PersonaCache,
        *,
        delays: ReconnectDelays | None = None,
    ) -> None:
        self._store, self._applier, self._personas = store, applier, personas
        self.desired, self.reported = Desired(), Reported()
        self.watchers: list[Callable[[], None]] = []
        """Called when there is something new to report."""
        self._due = asyncio.Event()
        self._delays = delays or ReconnectDelays(*RETRY_S)

    async def load(self) -> None:
        """Read what is stored. Raises DatabaseError."""
        self.desired, self.reported = await self._store.read(_stored)
        if self.desired.version:
            self._due.set()

    async def want(self, desired: Desired) -> None:
        """The hub wants this; older versions are ignored. It is on disk when this returns. Raises DatabaseError."""
        if desired.version <= self.desired.version:
            return
        text = desired.model_dump_json()
        await self._store.write(lambda db: _set(db, "desired", text))
        self.desired = desired
        self._delays.reset()
        self._due.set()

    async def run(self) -> None:
        """Apply what is wanted, until cancelled."""
        retry_s: float | None = None
        while True:
            try:
                async with asyncio.timeout(retry_s):
                    await self._due.wait()
            except TimeoutError:
                pass  # what failed is tried again
            self._due.clear()
            retry_s = self._delays.next_s() if await self._apply() else None

    async def _apply(self) -> bool:
        """Apply the latest state and report it. Returns whether it is worth another try."""
        desired, errors, bundle = self.desired, dict[str, str](), None
        again = False
        if desired.persona is not None:
            try:
                bundle = await self._personas.get(desired.persona)
            except (MindError, OSError) as error:
                errors["persona"] = error.message if isinstance(error, MindError) else f"it can't be kept: {error}"
                again = True
        try:
            errors |= {part: why for part, why in (await self._applier.apply(desired, bundle)).items() if part in PARTS}
        except (Exception, asyncio.CancelledError) as error:
            if is_ending(error):
                raise
            _log.exception("the state can't be applied", version=desired.version)
            errors |= dict.fromkeys(PARTS, f"{type(error).__name__}: {error}")
            again = True
        previous = self.reported
        self.reported = Reported(
            version=desired.version,
            persona=previous.persona if "persona" in errors else desired.persona,
            config=previous.config if "config" in errors else desired.config,
            volume=previous.volume if "volume" in errors else desired.volume,
            errors={part: _sayable(why) for part, why in errors.items()},
        )
        try:
            text = self.reported.model_dump_json()
            await self._store.write(lambda db: _set(db, "reported", text))
        except (DatabaseError, ValueError) as error:
            _log.error("what was applied can't be stored", reason=str(error))
            again = True
        for watcher in self.watchers:
            watcher()
        return again


def _sayable(why: str) -> str:
    """A reason as a report may have it: one line, and short."""
    text = why[:MAX_REASON].encode("utf-8", "replace").decode()
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)


def _stored(db: sqlite3.Connection) -> tuple[Desired, Reported]:
    with making_sense_of("the state"):
        row = db.execute("SELECT desired, reported FROM twin").fetchone()
        desired = Desired.model_validate_json(row["desired"]) if row["desired"] else Desired()
        return desired, Reported.model_validate_json(row["reported"]) if row["reported"] else Reported()


def _set(db: sqlite3.Connection, column: str, text: str) -> None:
    db.execute(f"UPDATE twin SET {column} = ?", (text,))  # noqa: S608 -- "desired" or "reported"
