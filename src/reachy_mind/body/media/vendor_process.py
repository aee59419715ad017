"""Runs in the vendor's own Python, never in ours: the media of its SDK, over pipes. It imports nothing of Reachy Mind.

`python vendor_process.py HOST PORT CAMERA`, started by `sdk.py`. A frame is a kind (one byte), a length (four bytes,
big-endian) and so many bytes: M a message (JSON), P a picture (JPEG), S sound (16 kHz, 16 bits, mono). It ends when its
input does.

In: `look`, `listen` (`on`), `begin` (count what is played from here), `flush`, and sound to play. Out: `ready` or
`failed` first; then pictures or `no_picture`; sound; `position` and `flushed` of what is played.
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
"""How far ahead of its time sound is given to the SDK, which does not say what it has played."""
DELAY_S = 0.05
"""What the SDK's sink holds by its own settings; over WebRTC there is more that nobody knows."""
PICTURE_S = 4.0
CLOSE_S = 4.0


class Wire:
    """Both pipes. Several threads send."""

    def __init__(self, inward: BinaryIO, outward: BinaryIO) -> None:
        self._inward, self._outward = inward, outward
        self._lock = threading.Lock()

    def send(self, kind: bytes, payload: bytes) -> None:
        with self._lock:
            self._outward.write(HEADER.pack(kind, len(payload)) + payload)
            self._outward.flush()

    def say(self, kind: str, **content: object) -> None:
        self.send(MESSAGE, json.dumps({"type": kind, **content}).encode())

    def receive(self) -> tuple[bytes, bytes] | None:
        header = self._inward.read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        kind, length = HEADER.unpack(header)
        return kind, self._inward.read(length)


class Looking(threading.Thread):
    """One picture for each wish."""

    def __init__(self, media: Any, wire: Wire) -> None:
        super().__init__(daemon=True)
        self._media, self._wire = media, wire
        self.wishes = threading.Semaphore(0)

    def run(self) -> None:
        while True:
            self.wishes.acquire()
            end = time.monotonic() + PICTURE_S
            picture = self._media.get_frame_jpeg()
            while picture is None and time.monotonic() < end:
                time.sleep(0.01)
                picture = self._media.get_frame_jpeg()
            if picture is None:
                self._wire.say("no_picture", message=f"the robot's camera gave none for {PICTURE_S:.0f} s")
            else:
                self._wire.send(PICTURE, picture)


class Listening(threading.Thread):
    """Reads what is heard all the time, so that nothing old waits; sends it while somebody listens."""

    def __init__(self, media: Any, wire: Wire) -> None:
        super().__init__(daemon=True)
        self._media, self._wire = media, wire
        self.on = False

    def run(self) -> None:
        rest = np.zeros(0, np.float32)
        while True:
            heard = self._media.get_audio_sample()
            if heard is None:
                time.sleep(0.005)
                continue
            rest = np.concatenate((rest, heard.reshape(len(heard), -1)[:, 0]))
            while len(rest) >= BLOCK:
                block, rest = rest[:BLOCK], rest[BLOCK:]
                if self.on:
                    self._wire.send(SOUND, (np.clip(block, -1, 1) * 32767).astype("<i2").tobytes())


class Playing(threading.Thread):
    """Gives sound to the SDK a little ahead of its time, and counts by the clock what has been played."""

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
        """Count from here; nothing is to be played."""
        with self._changed:
            self._given = self._played = self._base = 0

    def flush(self) -> None:
        with self._changed:
            self._count(time.monotonic())
            self._media.audio.clear_player()
            dropped = len(self._queue) // 2 + self._given - self._played
            self._queue.clear()
            self._given = self._played
            self._wire.say("flushed", played=self._played, dropped=dropped)

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
                    self._wire.say("position", played=self._played)
            time.sleep(0.01)

    def _count(self, now: float) -> None:
        due = self._base + int((now - self._began - DELAY_S) * RATE_HZ)
        self._played = max(self._played, min(self._given, due))


def open_media(host: str, port: int, camera: str) -> Any:
    """The SDK's media without its robot: that would be a second client that moves things."""
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
    looking, listening, playing = Looking(media, wire), Listening(media, wire), Playing(media, wire)
    if media.camera is not None:
        looking.start()
    if media.audio is not None:
        # Both at once and for good: in the SDK they are one pipeline, which either would stop for the other.
        media.start_recording()
        media.start_playing()
        listening.start()
        playing.start()
    wire.say("ready", camera=media.camera is not None, sound=media.audio is not None)
    while (frame := wire.receive()) is not None:
        kind, payload = frame
        if kind == SOUND:
            playing.play(payload)
            continue
        message: dict[str, Any] = json.loads(payload)
        match message["type"]:
            case "look":
                looking.wishes.release()
            case "listen":
                listening.on = message["on"]
            case "begin":
                playing.begin()
            case "flush":
                playing.flush()


def main() -> None:
    # What the SDK and its libraries print must not come between our frames.
    outward = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    wire = Wire(sys.stdin.buffer, outward)
    host, port, camera = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    try:
        media = open_media(host, port, camera)
    except Exception as error:  # noqa: BLE001 - whatever the SDK raises, whoever started us wants to read it
        wire.say("failed", message=f"{type(error).__name__}: {error}")
        return
    try:
        serve(media, wire)
    except BrokenPipeError:
        pass  # whoever started us has gone
    finally:
        threading.Timer(CLOSE_S, os._exit, (1,)).start()  # the SDK may not come to an end
        media.close()
        os._exit(0)  # its threads need not


if __name__ == "__main__":
    main()
