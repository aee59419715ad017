"""`ControlPlane`: one node of the control plane: its store, bus and hub, and what a route needs of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from reachy_mind.fleet.control.bus import Bus
from reachy_mind.fleet.control.hub import Hub
from reachy_mind.fleet.control.store.store import Store


@dataclass(frozen=True)
class ControlPlane:
    """What every router is given. `public_url`: where devices and browsers reach this control plane."""

    store: Store
    bus: Bus
    hub: Hub
    public_url: str = ""
    webhook_hosts: tuple[str, ...] = field(default=())
    """Hosts on private networks that webhooks may call; others of them are refused."""
