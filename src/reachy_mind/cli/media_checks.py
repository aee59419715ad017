"""The media checks of `reachy-mind doctor`: the chosen provider, and a trial of camera, microphone and speaker."""

from __future__ import annotations

import array
import asyncio
import io
import math
import sys
from collections.abc import Awaitable, Callable

from reachy_mind.body.address import Address
from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.body.media.providers import choose, provide
from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError
from reachy_mind.storage import owner

TRIAL_TIMEOUT_S = 60.0
LISTEN_S = 0.2
PLAY_S = 0.1


async def examine_media(configuration: Configuration) -> list[Finding]:
    """One finding about the provider, then one per device, if they can be tried now."""
    settings = configuration.settings
    configured = settings.robot.address
    try:
        address = None if configured in ("sim", "none") else Address.parse(configured)
    except MindError as error:
        return [Finding("media", ok=False, detail=error.message, fix=error.hint, optional=True)]
    choice = await choose(settings, address)
    detail = f"{choice.provider}, because {choice.reason}"
    if choice.provider == "none":
        return [Finding("media", ok=False, detail=detail, fix=choice.hint, optional=True)]
    if choice.provider in ("direct", "vendor"):
        detail += "; on a physical robot this was never tried yet"
    if choice.provider != "local" and address is None:
        return [Finding("media", ok=True, detail=f"{detail}; sound is not tried without a robot that runs")]
    if (running := owner.find(configuration.home)) is not None:
        return [Finding("media", ok=True, detail=f"{detail}; not tried: a mind runs and may use them ({running.pid})")]
    media = provide(choice, settings, address)
    trials = (("camera", _try_camera), ("microphone", _try_microphone), ("speaker", _try_speaker))
    return [Finding("media", ok=True, detail=detail), *[await _run_trial(name, trial, media) for name, trial in trials]]


async def _run_trial(name: str, trial: Callable[[Media], Awaitable[str]], media: Media) -> Finding:
    try:
        async with asyncio.timeout(TRIAL_TIMEOUT_S):
            return Finding(name, ok=True, detail=await trial(media))
    except MindError as error:
        return Finding(name, ok=False, detail=error.message, fix=error.hint, optional=True)
    except TimeoutError:
        return Finding(
            name, ok=False, detail=f"gave nothing for {TRIAL_TIMEOUT_S:.0f} s", fix="try again", optional=True
        )


async def _try_camera(media: Media) -> str:
    from PIL import Image

    async with media.camera() as camera:
        with Image.open(io.BytesIO(await camera.frame())) as picture:
            return f"{camera.device}: a picture of {picture.width}x{picture.height}"


async def _try_microphone(media: Media) -> str:
    heard = array.array("h")
    async with media.microphone() as microphone:
        async for block in microphone:
            heard.frombytes(block)
            if len(heard) >= LISTEN_S * SAMPLE_RATE_HZ:
                break
        if sys.byteorder == "big":
            heard.byteswap()
        loudest = max(abs(sample) for sample in heard)
        level = f"{20 * math.log10(loudest / 32768):.0f} dB of full scale" if loudest else "nothing at all"
        return f"{microphone.device}: listened for {LISTEN_S:g} s, the loudest was {level}"


async def _try_speaker(media: Media) -> str:
    async with media.speaker() as speaker:
        await speaker.write(bytes(int(PLAY_S * SAMPLE_RATE_HZ) * 2))
        await speaker.drained()
        return f"{speaker.device}: took {PLAY_S:g} s of silence; whether you can hear it was not tried"
