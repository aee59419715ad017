"""`reachy-mind doctor` on camera, microphone and loudspeaker: who provides them and why, and each of them tried."""

from __future__ import annotations

import array
import asyncio
import io
import math
import sys
from collections.abc import Awaitable, Callable

from reachy_mind import owner
from reachy_mind.body.address import Address
from reachy_mind.body.media import SAMPLE_RATE_HZ, Media
from reachy_mind.body.media.choice import choose, provide
from reachy_mind.checkup import Finding
from reachy_mind.config import Configuration
from reachy_mind.errors import MindError

TRIAL_S = 60.0
HEARD_S = 0.2
PLAYED_S = 0.1


async def examine_media(configuration: Configuration) -> list[Finding]:
    """One finding about the provider, then one for each device that could be tried now."""
    settings = configuration.settings
    where = settings.robot.address
    try:
        address = None if where in ("sim", "none") else Address.parse(where)
    except MindError as error:
        return [Finding("media", ok=False, detail=error.message, fix=error.hint, optional=True)]
    choice = await choose(settings, address)
    told = f"{choice.provider}, because {choice.reason}"
    if choice.provider == "none":
        return [Finding("media", ok=False, detail=told, fix=choice.hint, optional=True)]
    if choice.provider in ("direct", "vendor"):
        told += "; on a physical robot this was never tried yet"
    if choice.provider != "local" and address is None:
        return [Finding("media", ok=True, detail=f"{told}; sound is not tried without a robot that runs")]
    if (running := owner.find(configuration.home)) is not None:
        return [Finding("media", ok=True, detail=f"{told}; not tried: a mind runs and may use them ({running.pid})")]
    media = provide(choice, settings, address)
    trials = (("camera", _look), ("microphone", _listen), ("speaker", _play))
    return [Finding("media", ok=True, detail=told), *[await _tried(name, trial, media) for name, trial in trials]]


async def _tried(name: str, trial: Callable[[Media], Awaitable[str]], media: Media) -> Finding:
    try:
        async with asyncio.timeout(TRIAL_S):
            return Finding(name, ok=True, detail=await trial(media))
    except MindError as error:
        return Finding(name, ok=False, detail=error.message, fix=error.hint, optional=True)
    except TimeoutError:
        return Finding(name, ok=False, detail=f"gave nothing for {TRIAL_S:.0f} s", fix="try again", optional=True)


async def _look(media: Media) -> str:
    from PIL import Image

    async with media.camera() as camera:
        with Image.open(io.BytesIO(await camera.frame())) as picture:
            return f"{camera.device}: a picture of {picture.width}x{picture.height}"


async def _listen(media: Media) -> str:
    heard = array.array("h")
    async with media.microphone() as microphone:
        async for block in microphone:
            heard.frombytes(block)
            if len(heard) >= HEARD_S * SAMPLE_RATE_HZ:
                break
        if sys.byteorder == "big":
            heard.byteswap()
        loudest = max(abs(sample) for sample in heard)
        level = f"{20 * math.log10(loudest / 32768):.0f} dB of full scale" if loudest else "nothing at all"
        return f"{microphone.device}: listened for {HEARD_S:g} s, the loudest was {level}"


async def _play(media: Media) -> str:
    async with media.speaker() as speaker:
        await speaker.write(bytes(int(PLAYED_S * SAMPLE_RATE_HZ) * 2))
        await speaker.drained()
        return f"{speaker.device}: took {PLAYED_S:g} s of silence; whether you can hear it was not tried"
