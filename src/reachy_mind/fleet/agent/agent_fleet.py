"""`AgentFleet`: the agent's side of the fleet: its store, who it is, and the link, for as long as the agent runs.

A disk that refuses, an identity that is not there yet, a control plane that moved: the agent goes on, and its buttons
work. Only a second agent on the same store is an error.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.device_activities import DeviceActivities
from reachy_mind.fleet.agent.agent_identity import agent_identity
from reachy_mind.fleet.agent.discovery import find_moved
from reachy_mind.fleet.agent.uplink import AgentUplink
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.inbox import Handler
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.device.twin import TwinApplier
from reachy_mind.storage.database import DatabaseError

LOOK_S: Final = 2.0
"""How often an identity is looked for that is not there yet, or that the control plane refuses."""
STORE_RETRY_S: Final = 10.0
SEARCH_AFTER_S: Final = 60.0
"""After so long without a connection it is searched where the control plane is, and again after ten times that."""

_log = log.get(__name__)


class AgentFleet:
    """`run` it. `on_change` is called when `state` or `reason` has changed."""

    def __init__(
        self,
        configuration: Configuration,
        folder: Path,
        uplink: AgentUplink,
        applier: TwinApplier,
        *,
        handlers: Mapping[str, Handler],
        activities: Callable[[Outbox, ClockEstimate, ClipCache], DeviceActivities],
        caps: list[str],
        vitals: Callable[[], Mapping[str, Any]],
        on_change: Callable[[], None],
    ) -> None:
        self._configuration, self._folder, self._uplink, self._applier = configuration, folder, uplink, applier
        self._handlers, self._caps, self._vitals, self._on_change = handlers, caps, vitals, on_change
        self._make_activities = activities
        self.activities: DeviceActivities | None = None
        self.link: DeviceLink | None = None
        self.connected = asyncio.Event()
        self.state = "starting"
        """starting, no store, not enrolled, offline, connecting, connected, refused"""
        self.reason = ""

    async def run(self) -> None:
        """Until cancelled. Raises AlreadyRunning."""
        while True:
            try:
                async with DeviceStore(self._folder / "device.db") as store:
                    await self._serve(store)
            except DatabaseError as error:
                _log.error("the device's store can't be used; trying again", reason=error.message, hint=error.hint)
                self._show("no store", error.message)
            await asyncio.sleep(STORE_RETRY_S)

    @property
    def identity(self) -> DeviceIdentity | None:
        return self.link.identity if self.link is not None else None

    def beat(self) -> None:
        """The device's state has changed."""
        if self.link is not None:
            self.link.beat()

    async def _serve(self, store: DeviceStore) -> None:
        outbox, hub_time = Outbox(store), ClockEstimate()
        with self._uplink.attached(outbox):
            identity = await self._identified()
            clips = ClipCache(self._folder / "clips", lambda: (link.identity.address, link.identity.token))
            activities = self._make_activities(outbox, hub_time, clips)
            link = DeviceLink(
                store,
                identity,
                self._applier,
                handlers={**self._handlers, **activities.handlers()},
                caps=self._caps,
                personas=self._folder / "personas",
                vitals=self._vitals,
                on_change=self._note_link,
                outbox=outbox,
                hub_time=hub_time,
            )
            self.link, self.activities, self._uplink.hurry = link, activities, link.hurry
            try:
                async with activities, link:
                    self._note_link()
                    await self._look_after(link)
            finally:
                self.link, self.activities, self._uplink.hurry = None, None, lambda: None
                self.connected.clear()

    async def _identified(self) -> DeviceIdentity:
        """Who this device is, as soon as somebody has said so."""
        while True:
            try:
                identity = await asyncio.to_thread(agent_identity, self._configuration)
                reason = "reachy-mind device enroll ADDRESS CODE"
            except MindError as error:
                identity, reason = None, f"{error.message}: {error.hint}"
            if identity is not None:
                return identity
            self._show("not enrolled", reason)
            await asyncio.sleep(LOOK_S)

    async def _look_after(self, link: DeviceLink) -> None:
        """Take up a new identity, and search a control plane that moved."""
        search_at = time.monotonic() + SEARCH_AFTER_S
        while True:
            await asyncio.sleep(LOOK_S)
            if link.state == "connected":
                search_at = time.monotonic() + SEARCH_AFTER_S
            elif link.state == "refused":
                identity = await self._identified()
                if identity.token != link.identity.token:
                    link.identity = identity
                    link.hurry()
            elif self._configuration.settings.device.discovery and time.monotonic() >= search_at:
                search_at = time.monotonic() + 10 * SEARCH_AFTER_S
                moved = await find_moved(link.identity)
                if moved is not None:
                    _log.info("the control plane was found at another address", url=moved.url)
                    link.identity = moved
                    link.hurry()

    def _note_link(self) -> None:
        if self.link is not None:
            (self.connected.set if self.link.state == "connected" else self.connected.clear)()
            self._show(self.link.state, self.link.reason)

    def _show(self, state: str, reason: str) -> None:
        if (state, reason) != (self.state, self.reason):
            self.state, self.reason = state, reason
            self._on_change()
