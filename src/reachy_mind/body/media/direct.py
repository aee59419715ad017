"""Media provider `direct`: the robot's camera and sound card plugged into this machine, released by its daemon.

`local` is the same without a daemon, for this computer's own devices. Neither was tried on a physical robot.
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from reachy_mind import log
from reachy_mind.body.address import Address
from reachy_mind.body.daemon import DaemonClient
from reachy_mind.body.media import Camera, Media
from reachy_mind.body.media.shared_resource import SharedResource
from reachy_mind.body.media.soundcard import device_names
from reachy_mind.body.media.soundcard_microphone import SoundcardMicrophone
from reachy_mind.body.media.soundcard_speaker import SoundcardSpeaker
from reachy_mind.body.media.webcam import Webcam, first_named
from reachy_mind.config.settings import Settings
from reachy_mind.errors import MindError, NotReady
from reachy_mind.system.cameras import in_file_system

CAMERA_NAMES = ("Reachy", "Arducam_12MP")
"""Names of the vendor's USB cameras. The wireless robot's camera is not USB: it needs the vendor's software."""
CARD_NAME = "Reachy Mini Audio"
MICROPHONE_NAMES = ("reachymini_audio_src", CARD_NAME)
SPEAKER_NAMES = ("reachymini_audio_sink", CARD_NAME)
"""On a wireless robot the vendor's shared ALSA devices, else the sound card."""
CARDS = Path("/proc/asound/cards")

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class PluggedDevices:
    """The robot's devices that are plugged into this machine."""

    camera: str
    sound: bool

    def __str__(self) -> str:
        return " and ".join(
            filter(None, (f"its camera ({self.camera})" * bool(self.camera), "its sound card" * self.sound))
        )


def find_plugged() -> PluggedDevices:
    """Checks device names only; opens nothing."""
    try:
        names = CARDS.read_text(encoding="utf-8", errors="replace")
    except OSError:  # no ALSA: macOS, Windows
        names = "" if in_file_system() else "\n".join(device_names())
    sound = CARD_NAME.lower() in names.lower()
    return PluggedDevices(first_named(CAMERA_NAMES), sound)


def on_this_machine(address: Address) -> bool:
    try:
        return ipaddress.ip_address(address.host).is_loopback
    except ValueError:
        return address.host == "localhost"


@contextlib.asynccontextmanager
async def released(address: Address, app_name: str) -> AsyncIterator[None]:
    """Release the daemon's media, and return them on exit, unless another program had released them before."""
    async with contextlib.aclosing(DaemonClient(address, app_name=app_name)) as daemon:
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
                _log.error("the robot's daemon did not acquire its media again", reason=error.message)


def direct(address: Address, settings: Settings, reason: str) -> Media:
    media = settings.media
    lease = SharedResource(lambda: released(address, settings.robot.app_name))

    def camera() -> Camera:
        device = media.camera or first_named(CAMERA_NAMES)
        if not device:
            raise NotReady(
                "there is no camera: none of this machine's has a name of the robot's cameras",
                hint=f"names looked for: {', '.join(CAMERA_NAMES)}; or set media.camera",
            )
        return Webcam(device, lease=lease)

    return Media(
        "direct",
        reason,
        camera=camera,
        microphone=lambda: SoundcardMicrophone(
            (media.microphone,) if media.microphone else MICROPHONE_NAMES, processed=True, lease=lease
        ),
        speaker=lambda: SoundcardSpeaker((media.speaker,) if media.speaker else SPEAKER_NAMES, lease=lease),
    )


def local(settings: Settings, reason: str) -> Media:
    media = settings.media
    return Media(
        "local",
        reason,
        camera=lambda: Webcam(media.camera),
        microphone=lambda: SoundcardMicrophone((media.microphone,)),
        speaker=lambda: SoundcardSpeaker((media.speaker,)),
    )
