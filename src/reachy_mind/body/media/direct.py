"""`direct`: the robot's camera and sound card, plugged into this machine, while its daemon has let go of them.

`local` is the same without a daemon: this computer's own. Neither was tried on a physical robot.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.daemon import Daemon
from reachy_mind.body.media import Camera, Media
from reachy_mind.body.media.playback import SoundcardSpeaker
from reachy_mind.body.media.recording import SoundcardMicrophone
from reachy_mind.body.media.shared import Shared
from reachy_mind.body.media.webcam import Webcam, first_named
from reachy_mind.errors import MindError, NotReady
from reachy_mind.settings import Settings

CAMERA_NAMES = ("Reachy", "Arducam_12MP")
"""How the vendor's USB cameras call themselves. The wireless robot's is none: it needs the vendor's software."""
CARD_NAME = "Reachy Mini Audio"
MICROPHONE_NAMES = ("reachymini_audio_src", CARD_NAME)
SPEAKER_NAMES = ("reachymini_audio_sink", CARD_NAME)
"""On a wireless robot the vendor's ALSA devices, which several programs can use at once; else the sound card."""
CARDS = Path("/proc/asound/cards")

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Plugged:
    """What of a robot is plugged into this machine."""

    camera: str
    sound: bool

    def __str__(self) -> str:
        return " and ".join(
            filter(None, (f"its camera ({self.camera})" * bool(self.camera), "its sound card" * self.sound))
        )


def plugged() -> Plugged:
    """Looks at names only; nothing is opened."""
    try:
        sound = CARD_NAME.lower() in CARDS.read_text().lower()
    except OSError:
        sound = False
    return Plugged(first_named(CAMERA_NAMES), sound)


def on_this_machine(address: Address) -> bool:
    try:
        return ipaddress.ip_address(address.host).is_loopback
    except ValueError:
        return address.host == "localhost"


@contextlib.asynccontextmanager
async def released(address: Address, app_name: str) -> AsyncIterator[None]:
    """The daemon without its media. It gets them back at the end, unless another program had released them before."""
    async with contextlib.aclosing(Daemon(address, app_name=app_name)) as daemon:
        if (await daemon.media()).released:
            yield
            return
        try:
            await daemon.release_media()
            yield
        finally:
            try:
                await daemon.acquire_media()
            except MindError as error:
                _log.error("the robot's daemon did not take its media back", reason=error.message)


def direct(address: Address, settings: Settings, reason: str) -> Media:
    wish = settings.media
    hold = Shared(lambda: released(address, settings.robot.app_name))

    def camera() -> Camera:
        device = wish.camera or first_named(CAMERA_NAMES)
        if not device:
            raise NotReady(
                "there is no camera: none of this machine's bears a name of the robot's",
                hint=f"names looked for: {', '.join(CAMERA_NAMES)}; or set media.camera",
            )
        return Webcam(device, hold=hold)

    return Media(
        "direct",
        reason,
        camera=camera,
        microphone=lambda: SoundcardMicrophone((wish.microphone,) if wish.microphone else MICROPHONE_NAMES, hold=hold),
        speaker=lambda: SoundcardSpeaker((wish.speaker,) if wish.speaker else SPEAKER_NAMES, hold=hold),
    )


def local(settings: Settings, reason: str) -> Media:
    wish = settings.media
    return Media(
        "local",
        reason,
        camera=lambda: Webcam(wish.camera),
        microphone=lambda: SoundcardMicrophone((wish.microphone,)),
        speaker=lambda: SoundcardSpeaker((wish.speaker,)),
    )
