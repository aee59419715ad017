"""Finds control planes on the local network by mDNS."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reachy_mind import log
from reachy_mind.errors import HardwareError, MindError
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.protocol.mdns import AUTHORITY, PATH, SERVICE_TYPE, TLS, authority_digest

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncZeroconf

SEARCH_S: Final = 3.0
RESOLVE_MS: Final = 1500
MAX_FOUND: Final = 32

_log = log.get(__name__)


@dataclass(frozen=True)
class FoundHub:
    """A control plane that answered. Nothing that it says of itself is proven: TLS does that."""

    name: str
    url: str
    authority: str


async def find_hubs(seconds: float = SEARCH_S, interfaces: Sequence[str] = ()) -> list[FoundHub]:
    """Those that answer within a while. Raises HardwareError without a network."""
    from zeroconf import ServiceStateChange, Zeroconf  # noqa: PLC0415 -- only where somebody looks
    from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf  # noqa: PLC0415 -- as above

    names: set[str] = set()

    def heard(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:  # noqa: ARG001
        if state_change is not ServiceStateChange.Removed and len(names) < MAX_FOUND:
            names.add(name)

    try:
        network = AsyncZeroconf(interfaces=list(interfaces)) if interfaces else AsyncZeroconf()
    except OSError as error:
        raise HardwareError(f"can't search the network: {error}", hint="give the address yourself") from error
    try:
        browser = AsyncServiceBrowser(network.zeroconf, SERVICE_TYPE, handlers=[heard])
        await asyncio.sleep(seconds)
        await browser.async_cancel()
        found = await asyncio.gather(*(_resolve(network, name) for name in sorted(names)))
    finally:
        await network.async_close()
    return [hub for hub in found if hub is not None]


async def _resolve(network: AsyncZeroconf, name: str) -> FoundHub | None:
    from zeroconf.asyncio import AsyncServiceInfo  # noqa: PLC0415 -- as above

    info = AsyncServiceInfo(SERVICE_TYPE, name)
    if not await info.async_request(network.zeroconf, RESOLVE_MS) or not info.parsed_addresses() or not info.port:
        return None
    told = {
        key.decode(errors="replace"): (value or b"").decode(errors="replace") for key, value in info.properties.items()
    }
    host = info.parsed_addresses()[0]
    place = f"[{host}]" if ":" in host else host
    scheme = "http" if told.get(TLS) == "0" else "https"
    path = told.get(PATH, "").rstrip("/")
    label = name.removesuffix(f".{SERVICE_TYPE}")
    return FoundHub(label, f"{scheme}://{place}:{info.port}{path}", told.get(AUTHORITY, ""))


async def find_moved(identity: DeviceIdentity, interfaces: Sequence[str] = ()) -> DeviceIdentity | None:
    """The identity with the address at which its control plane is now. None when it is not found elsewhere.

    Only for a device that trusts one authority alone: its token is sent to nobody that can't prove to be of it.
    """
    if not identity.ca:
        return None
    try:
        digest = await asyncio.to_thread(authority_digest, Path(identity.ca))
        hubs = await find_hubs(interfaces=interfaces)
    except (MindError, OSError, ValueError) as error:
        _log.debug("the network can't be searched", reason=str(error))
        return None
    for hub in hubs:
        if hub.authority == digest and hub.url.startswith("https://") and hub.url != identity.url:
            return replace(identity, url=hub.url)
    return None
