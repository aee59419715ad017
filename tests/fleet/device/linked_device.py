"""A device with a real link to a hub on loopback, and what the hub has of it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from reachy_mind.fleet.control import downlink, uplink
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.handshake import Desired
from tests.fleet.hub_server import TENANT, HubServer


class AppliesAll:
    """A device that takes every state."""

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:  # noqa: ARG002
        return {}


def identity_of(node: HubServer, device: Device, port: int | None = None) -> DeviceIdentity:
    """`port`: that of a proxy."""
    return DeviceIdentity(f"http://127.0.0.1:{port or node.port}", device.id, node.tokens[device.id])


@contextlib.asynccontextmanager
async def linked(
    file: Path, identity: DeviceIdentity, *, quick: bool = True, **about: Any
) -> AsyncIterator[DeviceLink]:
    """`quick`: it tries again at once; otherwise not before somebody hurries it."""
    delays = ReconnectDelays(0.02, 0.1) if quick else ReconnectDelays(1000, 1000)
    async with DeviceStore(file) as store, DeviceLink(store, identity, AppliesAll(), delays=delays, **about) as link:
        yield link


async def stored(node: HubServer) -> list[dict[str, Any]]:
    """The events that the hub has, oldest first."""
    return (await node.hub.store.read(lambda sql: uplink.listed(sql, TENANT, limit=10_000)))[::-1]


async def numbers(node: HubServer, type_: str = "button.pressed") -> list[Any]:
    """The payloads' `n` of the events that the hub has, in the order in which it stored them."""
    rows = await node.hub.store.read(
        lambda sql: sql.rows("SELECT body FROM uplink WHERE type = ? ORDER BY rowid", type_)
    )
    return [json.loads(row["body"])["n"] for row in rows]


async def order(node: HubServer, device: Device, type_: str, payload: dict[str, Any], **fields: Any) -> str:
    """Send a command; its id."""
    frame = await node.hub.store.write(
        lambda sql: downlink.queue(sql, device.id, TENANT, type_, payload, by="a person", **fields)
    )
    await node.hub.wake(device.id, "command")
    return frame.id


async def outcomes(node: HubServer, device: Device) -> dict[str, str | None]:
    """How each command went, so far."""
    rows = await node.hub.store.read(lambda sql: downlink.listed(sql, TENANT, device.id, limit=1000))
    return {row["id"]: row["status"] for row in rows}
