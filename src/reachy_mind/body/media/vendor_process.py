"""Worker process that serves the vendor SDK's media over pipes. It runs in the vendor's Python, never in ours, and
imports nothing of Reachy Mind.

`python vendor_process.py HOST PORT CAMERA`, started by `vendor_sdk.py`. A frame is a kind (one byte), a length (four
bytes, big-endian) and a payload: M a message (JSON), P a picture (JPEG), S sound (16 kHz, 16 bits, mono). The process
ends when its input ends.

In: `look`, `listen` (`on`), `begin` (count what is played from here), `flush`, and sound to play. Out: `ready` or
`failed` first; then pictures or `no_picture`; sound; `position` and `flushed` of what is played; `alive` every second
from the start.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

import numpy as np

RATE_HZ = 16000
BLOCK = 320
HEADER = struct.Struct(">cI")
MESSAGE, PICTURE, SOUND = b"M", b"P", b"S"
LEAD_S = 0.1
"""How far ahead sound is given to the SDK, which does not report what it has played."""
DELAY_S = 0.05
"""Buffer of the SDK's sink by its settings; over WebRTC there is an additional, unknown delay."""
SILENT, SILENT_BLOCKS = 1e-4, 25
"""The highest sample of a channel that carries nothing, and for how many blocks, half a second, it is given."""
PICTURE_TIMEOUT_S = 4.0
ALIVE_S = 1.0
CLOSE_TIMEOUT_S = 4.0


class Wire:
    """Framed messages over both pipes. `send` is thread-safe."""

    def __init__(self, inward: BinaryIO, outward: BinaryIO) -> None:
        self._inward, self._outward = inward, outward
        self._lock = threading.Lock()

    def send(self, kind: bytes, payload: bytes) -> None:
        with self._lock:
            self._outward.write(HEADER.pack(kind, len(payload)) + payload)
            self._outward.flush()

    def send_message(self, kind: str, **content: object) -> None:
        self.send(MESSAGE, json.dumps({"type": kind, **content}).encode())

    def receive(self) -> tuple[bytes, bytes] | None:
        header = self._inward.read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        kind, length = HEADER.unpack(header)
        return kind, self._inward.read(length)


def send_heartbeats(wire: Wire) -> None:
    """Tell the parent that this process lives, however long the SDK takes."""
    while True:
        time.sleep(ALIVE_S)
        try:
            wire.send_message("alive")
        except OSError:
            return  # the parent is gone


class CameraThread(threading.Thread):
    """Sends one picture for each request."""

    def __init__(self, media: Any, wire: Wire) -> None:
        super().__init__(daemon=True)
        self._media, self._wire = media, wire
        self.requests = threading.Semaphore(0)

    def run(self) -> None:
        while True:
            self.requests.acquire()
            end = time.monotonic() + PICTURE_TIMEOUT_S
            picture = self._media.get_frame_jpeg()
            while picture is None and time.monotonic() < end:
                time.sleep(0.01)
                picture = self._media.get_frame_jpeg()
            if picture is None:
                self._wire.send_message(
                    "no_picture", message=f"the robot's camera gave none for {PICTURE_TIMEOUT_S:.0f} s"
                )
            else:
                self._wire.send(PICTURE, picture)


class MicrophoneThread(threading.Thread):
    """Reads the microphone all the time, so that no old sound queues up; sends it while `on`.

    The chip behind the SDK gives its processed beam in the first channel, and in the second the same or, with another
    firmware or setting, its beam for speech recognition, a raw microphone, or nothing. So the first is sent, never
    their mean; another one only until the first has carried something for the first time."""

    def __init__(self, media: Any, wire: Wire) -> None:
        super().__init__(daemon=True)
        self._media, self._wire = media, wire
        self.on = False
        self._silent = 0
        """Blocks in which another channel carried something and the first nothing, which never has until then."""

    def run(self) -> None:
        rest: Any = None
        while True:
            heard = self._media.get_audio_sample()
            if heard is None:
                time.sleep(0.005)
                continue
            heard = heard.reshape(len(heard), -1)
            rest = heard if rest is None or rest.shape[1] != heard.shape[1] else np.concatenate((rest, heard))
            while len(rest) >= BLOCK:
                block, rest = rest[:BLOCK], rest[BLOCK:]
                if self.on:
                    chosen = block[:, self._channel(block)]
                    self._wire.send(SOUND, (np.clip(chosen, -1, 1) * 32767).astype("<i2").tobytes())

    def _channel(self, block: Any) -> int:
        """The channel to send: the first, or the loudest when the first has carried nothing for half a second."""
        levels = np.abs(block).max(axis=0)
        if levels[0] > SILENT:
            self._silent = -1
        elif self._silent >= 0 and levels.max() > SILENT:
            self._silent += 1
        return int(levels.argmax()) if self._silent >= SILENT_BLOCKS else 0


class SpeakerThread(threading.Thread):
    """Gives sound to the SDK slightly ahead, and estimates the playback position by the clock."""

    def __init__(self, media: Any, wire: Wire) -> None:
        super().__init__(daemon=True)
        self._media, self._wire = media, wire
        self._changed = threading.Condition()
        self._queue = bytearray()
        self._given = self._played = self._base = 0
        self._began = 0.0

    def play(self, pcm: bytes) -> None:
        with self._changed:
            self._queue += pcm
            self._changed.notify()

    def begin(self) -> None:
        """Reset the position; nothing is queued."""
        with self._changed:
            self._given = self._played = self._base = 0

    def flush(self) -> None:
        with self._changed:
            self._count(time.monotonic())
            self._media.audio.clear_player()
            dropped = len(self._queue) // 2 + self._given - self._played
            self._queue.clear()
            self._given = self._played
            self._wire.send_message("flushed", played=self._played, dropped=dropped)

    def run(self) -> None:
        while True:
            with self._changed:
                if self._given == self._played:
                    while not self._queue:
                        self._changed.wait()
                    self._base, self._began = self._played, time.monotonic()
                now, before = time.monotonic(), self._played
                while self._queue and self._given - self._base < (now - self._began + LEAD_S) * RATE_HZ:
                    block = np.frombuffer(bytes(self._queue[: 2 * BLOCK]), "<i2")
                    del self._queue[: 2 * BLOCK]
                    self._media.push_audio_sample(block.astype(np.float32) / 32768)
                    self._given += len(block)
                self._count(now)
                if self._played != before:
                    self._wire.send_message("position", played=self._played)
            time.sleep(0.01)

    def _count(self, now: float) -> None:
        due = self._base + int((now - self._began - DELAY_S) * RATE_HZ)
        self._played = max(self._played, min(self._given, due))


def open_media(host: str, port: int, camera: str) -> Any:
    """The SDK's media without its robot class, which would be a second client that moves the robot."""
    from reachy_mini.daemon.utils import is_local_camera_available  # noqa: PLC0415
    from reachy_mini.media.camera_constants import get_camera_specs_by_name  # noqa: PLC0415
    from reachy_mini.media.media_manager import MediaBackend, MediaManager  # noqa: PLC0415

    near = host in ("localhost", "127.0.0.1", "::1") and is_local_camera_available()
    return MediaManager(
        backend=MediaBackend.LOCAL if near else MediaBackend.WEBRTC,
        log_level="WARNING",
        signalling_host=host,
        camera_specs=get_camera_specs_by_name(camera) if camera else None,
        daemon_url=f"http://{host}:{port}",
    )


def serve(media: Any, wire: Wire) -> None:
    looking, listening, playing = CameraThread(media, wire), MicrophoneThread(media, wire), SpeakerThread(media, wire)
    if media.camera is not None:
        looking.start()
    if media.audio is not None:
        # Both start at once and stay on: in the SDK they are one pipeline, and stopping one would stop the other.
        media.start_recording()
        media.start_playing()
        listening.start()
        playing.start()
    wire.send_message("ready", camera=media.camera is not None, sound=media.audio is not None)
    while (frame := wire.receive()) is not None:
        kind, payload = frame
        if kind == SOUND:
            playing.play(payload)
            continue
        message: dict[str, Any] = json.loads(payload)
        match message["type"]:
            case "look":
                looking.requests.release()
            case "listen":
                listening.on = message["on"]
            case "begin":
                playing.begin()
            case "flush":
                playing.flush()


def main() -> None:
    # Output of the SDK and its libraries must not mix with our frames: stdout goes to stderr.
    outward = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    wire = Wire(sys.stdin.buffer, outward)
    threading.Thread(target=send_heartbeats, args=(wire,), daemon=True).start()
    host, port, camera = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    try:
        media = open_media(host, port, camera)
    except Exception as error:  # noqa: BLE001 - report any error of the SDK to the parent
        wire.send_message("failed", message=f"{type(error).__name__}: {error}")
        return
    try:
        serve(media, wire)
    except BrokenPipeError:
        pass  # the parent process is gone
    finally:
        threading.Timer(CLOSE_TIMEOUT_S, os._exit, (1,)).start()  # the SDK may hang on close
        media.close()
        os._exit(0)  # do not wait for the SDK's threads


if __name__ == "__main__":
    main()
