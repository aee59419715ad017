"""`ControlPlane`: one node of the control plane: its store, bus and hub, and what a route needs of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from reachy_mind.fleet.control.bus import NodeBus
from reachy_mind.fleet.control.hub import DeviceHub
from reachy_mind.fleet.control.store.store import FleetStore


@dataclass(frozen=True)
class ControlPlane:
    """What every router is given. `public_url`: where devices and browsers reach this control plane."""

    store: FleetStore
    bus: NodeBus
    hub: DeviceHub
    public_url: str = ""
    webhook_hosts: tuple[str, ...] = field(default=())
    """Hosts on private networks that webhooks may call; others of them are refused."""
