"""Who provides camera, microphone and loudspeaker, and why: by `media.provider`, or by what is there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import httpx

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.media import Media, Provider, nothing
from reachy_mind.body.media.direct import direct, local, on_this_machine, plugged
from reachy_mind.body.media.simulated import simulated
from reachy_mind.body.media.vendor import vendor
from reachy_mind.settings import Settings

PROBE_TIMEOUT_S = 3.0
OWN = "media.provider=local uses this computer's own camera and microphone"


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider and why it is this one; `hint` says what would change that."""

    provider: Provider
    reason: str
    hint: str = ""


async def choose(settings: Settings, address: Address | None) -> Choice:
    """`address` is where the robot is; None for no robot, and for a simulator of ours that has not been started."""
    wish = settings.media.provider
    if wish in ("local", "none"):
        return Choice(wish, f"media.provider is {wish}", "" if wish == "local" else OWN)
    if settings.robot.address == "sim":
        if wish in ("auto", "sim"):
            return Choice("sim", "the robot is simulated")
    elif address is None:
        return Choice("none", "there is no robot", OWN)
    if wish == "auto":
        assert address is not None
        return await _by_what_is_there(settings, address)
    return await _as_wished(wish, settings, address)


async def _as_wished(wish: Provider, settings: Settings, address: Address | None) -> Choice:
    """What was wished for, or nothing, where it can't be."""
    reason = f"media.provider is {wish}"
    if wish == "sim" and address is not None and not await _simulator_at(address):
        return Choice("none", f"{reason}, but the robot at {address} is no simulator of ours", "use auto")
    if wish == "vendor" and settings.media.vendor_python is None:
        return Choice("none", f"{reason}, but media.vendor_python is not set", "see docs/media.md")
    return Choice(wish, reason)


async def _by_what_is_there(settings: Settings, address: Address) -> Choice:
    if await _simulator_at(address):
        return Choice("sim", f"a simulator of ours answers at {address}")
    here = await asyncio.to_thread(plugged) if on_this_machine(address) else None
    if here is not None and (here.camera or here.sound):
        return Choice("direct", f"the robot's daemon runs on this machine, and {here} is plugged in")
    if settings.media.vendor_python is not None:
        return Choice("vendor", "media.vendor_python is set")
    why = "is not plugged into this machine" if here is not None else "is on another machine"
    return Choice(
        "none",
        f"the robot at {address} {why}, and media.vendor_python is not set",
        f"set media.vendor_python to a Python that has reachy_mini (docs/media.md); {OWN}",
    )


async def _simulator_at(address: Address) -> bool:
    """Whether it serves what only our simulator does. Plain HTTP, so no certificates."""
    try:
        async with httpx.AsyncClient(timeout=PROBE_TIMEOUT_S, verify=False, trust_env=False) as http:  # noqa: S501
            answer = await http.get(f"{address.http}{protocol.SIM_PREFIX}/time")
    except httpx.HTTPError:
        return False
    return answer.status_code == 200


def provide(choice: Choice, settings: Settings, address: Address | None) -> Media:
    """What was chosen, nothing of it open yet. `address` is where the robot is now."""
    if choice.provider == "local":
        return local(settings, choice.reason)
    if choice.provider == "none" or address is None:
        return nothing(choice.reason, choice.hint)
    if choice.provider == "sim":
        return simulated(address, choice.reason)
    if choice.provider == "direct":
        return direct(address, settings, choice.reason)
    return vendor(address, settings, choice.reason)
