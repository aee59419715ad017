from __future__ import annotations

import io
import json
import os
import sys
import time
from enum import Enum
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from reachy_mini.media.camera_constants import CameraSpecs

RATE = 16000
WRONG = os.environ.get("FAKE_SDK", "")


def note(*what: object) -> None:
    with Path(os.environ["FAKE_SDK_LOG"]).open("a") as log:
        log.write(json.dumps(what) + "\n")


class MediaBackend(Enum):
    NO_MEDIA = "no_media"
    LOCAL = "local"
    WEBRTC = "webrtc"


class Audio:
    def clear_player(self) -> None:
        note("clear_player")


class MediaManager:
    """A grey picture, and a tone in the left channel: the right one is silent."""

    def __init__(
        self,
        backend: MediaBackend = MediaBackend.LOCAL,
        log_level: str = "INFO",  # noqa: ARG002 - as the real one
        signalling_host: str = "localhost",
        camera_specs: CameraSpecs | None = None,
        daemon_url: str = "",
    ) -> None:
        print("a library that talks on standard output")  # noqa: T201
        note("opened", backend.value, signalling_host, camera_specs.name if camera_specs else None, daemon_url)
        if WRONG == "refuses":
            raise ConnectionRefusedError("nobody signals here")
        if WRONG == "hangs up":
            print("Segmentation fault, as it were", file=sys.stderr)  # noqa: T201
            os._exit(3)
        self.camera: object | None = None if WRONG == "no camera" else object()
        self.audio: Audio | None = None if WRONG == "no sound" else Audio()
        self._heard = 0
        self._since = 0.0

    def close(self) -> None:
        note("close")

    def get_frame_jpeg(self) -> bytes | None:
        if WRONG == "blind":
            return None
        if WRONG == "dies looking":
            os._exit(4)
        picture = io.BytesIO()
        Image.new("RGB", (64, 36), (90, 90, 90)).save(picture, "JPEG")
        return picture.getvalue()

    def start_recording(self) -> None:
        note("start_recording")
        self._since = time.monotonic()

    def stop_recording(self) -> None:
        note("stop_recording")

    def get_audio_sample(self) -> npt.NDArray[np.float32] | None:
        """Buffers of 10 ms in real time, as the vendor's sound card gives them."""
        ready = int((time.monotonic() - self._since) * RATE) - self._heard
        if ready < 160:
            time.sleep(0.01)
            return None
        t = (self._heard + np.arange(160)) / RATE
        self._heard += 160
        return np.column_stack((0.5 * np.sin(2 * np.pi * 440 * t), np.zeros(160))).astype(np.float32)

    def start_playing(self) -> None:
        note("start_playing")

    def stop_playing(self) -> None:
        note("stop_playing")

    def push_audio_sample(self, data: npt.NDArray[np.float32]) -> None:
        note("push", len(data), float(np.abs(data).max()), str(data.dtype))
