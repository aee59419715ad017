"""Selects the media provider by the setting `media.provider`, or detects the available one.

A new provider is a module with a function that returns a `Media`, a name in `Provider`, and a case in `provide`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import httpx

from reachy_mind.body import protocol
from reachy_mind.body.address import Address
from reachy_mind.body.media import Media, no_media
from reachy_mind.body.media.direct import direct, find_plugged, local, on_this_machine
from reachy_mind.body.media.simulated import simulated
from reachy_mind.body.media.vendor import vendor
from reachy_mind.config.plugins import MEDIA
from reachy_mind.config.settings import Settings
from reachy_mind.errors import MindError

PROBE_TIMEOUT_S = 3.0
BUILT_IN = ("auto", "sim", "direct", "vendor", "local", "none")
LOCAL_HINT = "media.provider=local uses this computer's own camera and microphone"


@dataclass(frozen=True, slots=True)
class MediaChoice:
    """A provider and why it was chosen; `hint` says what would change that."""

    provider: str
    reason: str
    hint: str = ""


async def choose(settings: Settings, address: Address | None) -> MediaChoice:
    """`address`: the robot's; None without a robot, and for a simulator that is not started yet."""
    provider = settings.media.provider
    if provider in ("local", "none"):
        return MediaChoice(provider, f"media.provider is {provider}", "" if provider == "local" else LOCAL_HINT)
    if provider not in BUILT_IN:
        return MediaChoice(provider, f"media.provider is {provider}")
    if settings.robot.address == "sim":
        if provider in ("auto", "sim"):
            return MediaChoice("sim", "the robot is simulated")
    elif address is None:
        return MediaChoice("none", "there is no robot", LOCAL_HINT)
    if provider == "auto":
        assert address is not None
        return await _detect(settings, address)
    return await _as_set(provider, settings, address)


async def _as_set(provider: str, settings: Settings, address: Address | None) -> MediaChoice:
    """The provider that is set, or `none` when it can't work."""
    reason = f"media.provider is {provider}"
    if provider == "sim" and address is not None and not await _simulator_at(address):
        return MediaChoice("none", f"{reason}, but the robot at {address} is no simulator of ours", "use auto")
    if provider == "vendor" and settings.media.vendor_python is None:
        return MediaChoice("none", f"{reason}, but media.vendor_python is not set", "reachy-mind media setup")
    return MediaChoice(provider, reason)


async def _detect(settings: Settings, address: Address) -> MediaChoice:
    if await _simulator_at(address):
        return MediaChoice("sim", f"a simulator of ours answers at {address}")
    here = await asyncio.to_thread(find_plugged) if on_this_machine(address) else None
    if here is not None and (here.camera or here.sound):
        return MediaChoice("direct", f"the robot's daemon runs on this machine, and {here} is plugged in")
    if settings.media.vendor_python is not None:
        return MediaChoice("vendor", "media.vendor_python is set")
    why = "is not plugged into this machine" if here is not None else "is on another machine"
    return MediaChoice(
        "none",
        f"the robot at {address} {why}, and media.vendor_python is not set",
        f"reachy-mind media setup lets the vendor's SDK bring them (docs/media.md); {LOCAL_HINT}",
    )


async def _simulator_at(address: Address) -> bool:
    """Whether our simulator listens there: it answers a route that only the simulator has."""
    try:
        async with httpx.AsyncClient(timeout=PROBE_TIMEOUT_S, verify=False, trust_env=False) as http:  # noqa: S501
            answer = await http.get(f"{address.http}{protocol.SIM_PREFIX}/time")
    except httpx.HTTPError:
        return False
    return answer.status_code == 200


def provide(choice: MediaChoice, settings: Settings, address: Address | None) -> Media:
    """The chosen provider, with no device open yet. `address`: the robot's."""
    if choice.provider == "local":
        return local(settings, choice.reason)
    if choice.provider not in BUILT_IN:
        return _plugin(choice.provider, settings)
    if choice.provider == "none" or address is None:
        return no_media(choice.reason, choice.hint)
    if choice.provider == "sim":
        return simulated(address, choice.reason)
    if choice.provider == "direct":
        return direct(address, settings, choice.reason)
    return vendor(address, settings, choice.reason)


def _plugin(name: str, settings: Settings) -> Media:
    """Media of an installed package; none, with the reason, when its code fails."""
    try:
        media: Media = MEDIA.load(name, settings.media)
    except MindError as error:
        return no_media(error.message, error.hint)
    return media
