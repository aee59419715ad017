"""Sound files as PCM: WAV by our own reader; Ogg (Vorbis, Opus), MP3 and FLAC by libsndfile (soundfile)."""

from __future__ import annotations

import io

import numpy as np

from reachy_mind.body import wav
from reachy_mind.body.channels import ChannelMixer
from reachy_mind.errors import InvalidParameter, MissingExtra

HINT = "WAV, Ogg (Vorbis or Opus), MP3 or FLAC, or raw PCM of 16 kHz, 16 bits, one channel"
MAGIC = (b"OggS", b"ID3", b"fLaC")


def is_sound_file(data: bytes) -> bool:
    """Whether this begins like a file that `read_pcm` reads."""
    return wav.is_wav(data) or data.startswith(MAGIC) or _is_mp3_frame(data)


def _is_mp3_frame(data: bytes) -> bool:
    """An MPEG audio frame without a tag before it: eleven bits set, layer III, a bit rate and a sample rate."""
    if len(data) < 4 or data[0] != 0xFF or data[1] & 0xE6 != 0xE2:
        return False
    return 0 < data[2] >> 4 < 15 and data[2] >> 2 & 3 != 3


def read_pcm(data: bytes, max_s: float) -> bytes:
    """16 kHz, 16 bits, mono. Raises InvalidParameter for a file that can't be read or is longer than `max_s`, and
    MissingExtra."""
    if wav.is_wav(data):
        return wav.read_pcm(data, max_s)
    try:
        import soundfile  # type: ignore[import-untyped]  # noqa: PLC0415
        import soxr  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("reading Ogg and MP3 files", "speech") from None
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            if file.channels > wav.MAX_CHANNELS or not wav.MIN_RATE_HZ <= file.samplerate <= wav.MAX_RATE_HZ:
                raise InvalidParameter(f"{file.samplerate} Hz and {file.channels} channels can't be read", hint=HINT)
            most = round(max_s * file.samplerate)
            samples, rate_hz = file.read(most + 1, dtype="float32", always_2d=True), file.samplerate
    except (soundfile.SoundFileError, ValueError) as error:
        raise InvalidParameter(f"no sound file that can be read: {error}", hint=HINT) from None
    if len(samples) > most:  # a header may promise anything: what was decoded counts
        raise InvalidParameter(f"more than {max_s:.0f} s of sound", hint="cut it at a pause")
    mixer = ChannelMixer(samples.shape[1], rate_hz)
    mono = mixer.mixed(np.concatenate((samples, np.zeros((mixer.late, samples.shape[1]), np.float32))))[mixer.late :]
    return wav.to_pcm(soxr.resample(mono, rate_hz, wav.RATE_HZ) if rate_hz != wav.RATE_HZ else mono)
