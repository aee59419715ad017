"""`MediaManager`: frames, sound out, sound in, and the direction that a sound comes from.

Sound is 16 kHz. Samples are float32 between -1 and 1, one row a sample, one column a channel.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .camera import FrameReader

SAMPLE_RATE_HZ = 16000
MAX_SOUND_BYTES = 8 << 20


class MediaManager:
    """The robot's media, shared with its mind."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._started: set[str] = set()
        self.camera = FrameReader(call)
        self.audio = self

    # Camera

    def get_frame(self) -> Any:
        """A new frame (blue, green, red), or None when there is none now."""
        return self.camera.read()

    def get_frame_jpeg(self) -> bytes | None:
        """A new frame as a JPEG file, or None."""
        frame: bytes | None = self._call("media.get_frame_jpeg")
        return frame

    # Sound out

    def play_sound(self, sound_file: str) -> None:
        """Play a WAV file of at most a minute; returns at once. Raises FileNotFoundError, ValueError."""
        file = Path(sound_file)
        if not file.is_file():
            raise FileNotFoundError(f"there is no sound file {sound_file}")
        if file.stat().st_size > MAX_SOUND_BYTES:
            raise ValueError(f"{sound_file} has more than {MAX_SOUND_BYTES >> 20} MB")
        self._call("media.play_sound", name=file.name, data=file.read_bytes())

    def start_playing(self) -> None:
        """Open the loudspeaker for samples."""
        self._started.add("media.stop_playing")
        self._call("media.start_playing")

    def push_audio_sample(self, data: Any) -> None:
        """Play samples: float32, one column or two, at 16 kHz. Waits while more than a second is queued."""
        self._call("media.push_audio_sample", data=np.ascontiguousarray(data, dtype=np.float32))

    def stop_playing(self) -> None:
        """Close the loudspeaker."""
        self._started.discard("media.stop_playing")
        self._call("media.stop_playing")

    def clear_player(self) -> None:
        """Drop the samples that were not played yet."""
        self._call("media.clear_player")

    clear_output_buffer = clear_player

    def get_output_audio_samplerate(self) -> int:
        return SAMPLE_RATE_HZ

    def get_output_channels(self) -> int:
        return 2

    # Sound in

    def start_recording(self) -> None:
        """Open the microphone."""
        self._started.add("media.stop_recording")
        self._call("media.start_recording")

    def get_audio_sample(self) -> Any:
        """Samples since the last call, float32 in two columns; None when there are none."""
        return self._call("media.get_audio_sample")

    def stop_recording(self) -> None:
        """Close the microphone."""
        self._started.discard("media.stop_recording")
        self._call("media.stop_recording")

    def get_input_audio_samplerate(self) -> int:
        return SAMPLE_RATE_HZ

    def get_input_channels(self) -> int:
        return 2

    get_audio_samplerate = get_input_audio_samplerate

    def get_DoA(self) -> tuple[float, bool] | None:  # noqa: N802 -- the vendor's name
        """Direction of arrival (0 left, pi/2 front, pi right) and whether it is speech; None without a reading."""
        found = self._call("media.get_doa")
        return None if found is None else (float(found[0]), bool(found[1]))

    def close(self) -> None:
        """End what this object has started."""
        for method in sorted(self._started):
            self._call(method)
        self._started.clear()
