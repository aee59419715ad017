"""`DeviceParts`: what a connection of a device works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.hub_time import HubTimePort
from reachy_mind.fleet.device.inbox import Inbox
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.device.twin import DeviceTwin
from reachy_mind.fleet.protocol.audio import AudioFrame
from reachy_mind.fleet.protocol.frame import Frame


@dataclass
class LinkCounters:
    """Counted since the link was made."""

    attempts: int = 0
    connects: int = 0
    by_http: int = 0
    """Connections by HTTP requests, out of `connects`."""
    new_epochs: int = 0
    sent: int = 0
    """Events, with repetitions."""
    acknowledged: int = 0
    """Acknowledgements of the hub; one may be for many events."""
    commands: int = 0
    closes: dict[int, int] = field(default_factory=dict)
    """Connections that the hub closed, by code."""


class LinkListener(Protocol):
    """Hears what the hub says besides events and state. Its methods must not wait."""

    def message(self, frame: Frame) -> None:
        """A message without a number that the link itself has no use for."""
        ...

    def sound(self, frame: AudioFrame) -> None: ...

    def connection_lost(self) -> None:
        """The connection has ended; another one will be opened."""
        ...


@dataclass
class DeviceParts:
    """`vitals`: more for the heartbeat, such as `temperature_c`; `hub_time`: told the hub's time."""

    store: DeviceStore
    outbox: Outbox
    inbox: Inbox
    twin: DeviceTwin
    clock: HubClock
    vitals: Callable[[], Mapping[str, Any]] | None = None
    hub_time: HubTimePort | None = None
    counters: LinkCounters = field(default_factory=LinkCounters)
    listeners: list[LinkListener] = field(default_factory=list)
