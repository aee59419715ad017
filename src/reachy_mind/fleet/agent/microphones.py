"""The device's microphone: the sound card's, or without hardware a WAV file, or silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reachy_mind.body.media import BLOCK_BYTES, Microphone
from reachy_mind.config.configuration import Configuration


def open_microphone(configuration: Configuration) -> Callable[[], Microphone]:
    """Makes the microphone that the settings ask for. It is opened with `async with`, which may raise NotReady."""
    settings = configuration.settings

    def soundcard() -> Microphone:
        from reachy_mind.body.media.soundcard_microphone import SoundcardMicrophone  # noqa: PLC0415 -- not without one

        wanted, audio = (settings.media.microphone,), settings.audio
        return SoundcardMicrophone(wanted, rate_hz=audio.sample_rate, channels=audio.channels, processed=True)

    def without_hardware() -> Microphone:
        from reachy_mind.body import wav  # noqa: PLC0415 -- only for a conversation
        from reachy_mind.body.media.wav_devices import WavMicrophone  # noqa: PLC0415 -- as above

        file = settings.device.microphone_file
        pcm = wav.read_pcm(file.read_bytes()) if file is not None else b""
        return WavMicrophone(str(file or "nothing"), _blocks(pcm), len(pcm) / 2 / wav.RATE_HZ)

    return without_hardware if settings.device.sound == "null" else soundcard


def _blocks(pcm: bytes) -> Iterator[bytes]:
    return (pcm[start : start + BLOCK_BYTES] for start in range(0, len(pcm), BLOCK_BYTES))
