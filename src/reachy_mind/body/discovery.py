"""Discovers robots on the local network by mDNS, which the vendor's daemon announces."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from zeroconf import ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from reachy_mind.body.protocol import SERVICE_TYPE
from reachy_mind.errors import HardwareError


@dataclass(frozen=True, slots=True)
class DiscoveredRobot:
    """A robot that answered, with its mDNS properties."""

    name: str
    address: str
    port: int
    properties: dict[str, str] = field(default_factory=dict)


async def discover(timeout: float = 3.0, interfaces: list[str] | None = None) -> list[DiscoveredRobot]:
    """All robots that answer within `timeout` seconds. Raises HardwareError when this machine has no network."""
    names: set[str] = set()

    def heard(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:  # noqa: ARG001
        if state_change is not ServiceStateChange.Removed:
            names.add(name)

    try:
        network = AsyncZeroconf(interfaces=interfaces) if interfaces else AsyncZeroconf()
    except OSError as error:
        raise HardwareError(f"can't search the network: {error}", hint="name the robot: --robot HOST") from error
    try:
        browser = AsyncServiceBrowser(network.zeroconf, SERVICE_TYPE, handlers=[heard])
        await asyncio.sleep(timeout)
        await browser.async_cancel()
        found = await asyncio.gather(*(_resolve(network, name) for name in sorted(names)))
    finally:
        await network.async_close()
    return [robot for robot in found if robot is not None]


async def _resolve(network: AsyncZeroconf, name: str) -> DiscoveredRobot | None:
    info = AsyncServiceInfo(SERVICE_TYPE, name)
    if not await info.async_request(network.zeroconf, 1000) or not info.parsed_addresses():
        return None
    properties = {k.decode(): v.decode(errors="replace") for k, v in info.properties.items() if v is not None}
    label = properties.get("robot_name", name.removesuffix(f".{SERVICE_TYPE}"))
    return DiscoveredRobot(label, info.parsed_addresses()[0], info.port or 0, properties)
