"""`AviFile`: Motion JPEG, and PCM beside it, in the classic container that every player knows."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from reachy_mind.errors import InvalidParameter

MAX_AVI_BYTES = 1_900_000_000
"""A classic AVI, which every player supports, is limited to 2 GB."""
SOUND_HZ = 16000
_HAS_INDEX, _INTERLEAVED, _KEY_FRAME = 0x10, 0x100, 0x10
_PICTURE, _SOUND = b"00dc", b"01wb"


class AviFile:
    """RIFF with one stream of JPEGs, one of 16 kHz mono PCM where there is `sound`, and an index.

    Sizes are filled in at the end, by `close`.
    """

    def __init__(self, path: Path, fps: float, size: tuple[int, int], *, sound: bool = False) -> None:
        self._fps, self._size, self._sound = fps, size, sound
        self._index: list[tuple[bytes, int, int]] = []
        self._largest = self._frames = self._samples = 0
        self._file: BinaryIO = path.open("wb")
        self._file.write(self._header(0))
        self._movie = self._file.tell()

    def add(self, jpeg: bytes) -> None:
        """Add a picture. Raises InvalidParameter when the file is full."""
        self._largest = max(self._largest, len(jpeg))
        self._frames += 1
        self._write(_PICTURE, jpeg)

    def add_sound(self, pcm: bytes) -> None:
        """Add what is heard from the end of the sound before. Raises InvalidParameter when the file is full."""
        self._samples += len(pcm) // 2
        self._write(_SOUND, pcm)

    def close(self) -> None:
        entries = b"".join(struct.pack("<4sIII", name, _KEY_FRAME, at, length) for name, at, length in self._index)
        self._file.write(_chunk(b"idx1", entries))
        length = self._file.tell() - 8
        self._file.seek(0)
        self._file.write(self._header(length))
        self._file.close()

    def _write(self, name: bytes, content: bytes) -> None:
        at = self._file.tell()
        if at + len(content) > MAX_AVI_BYTES:
            raise InvalidParameter("the recording is as long as an AVI can be", hint="go on in another file")
        self._index.append((name, at - self._movie + 4, len(content)))
        self._file.write(_chunk(name, content))

    def _header(self, riff_bytes: int) -> bytes:
        width, height = self._size
        per_frame, flags = round(1e6 / self._fps), _HAS_INDEX | (_INTERLEAVED if self._sound else 0)
        counts = (self._frames, 0, 1 + self._sound, self._largest, width, height)
        main = struct.pack("<14I", per_frame, 0, 0, flags, *counts, 0, 0, 0, 0)
        streams = self._picture_stream() + (self._sound_stream() if self._sound else b"")
        header = _chunk(b"LIST", b"hdrl" + _chunk(b"avih", main) + streams)
        movie_bytes = 4 + sum(8 + length + length % 2 for _, _, length in self._index)
        movie = b"LIST" + struct.pack("<I", movie_bytes) + b"movi"
        return b"RIFF" + struct.pack("<I", riff_bytes) + b"AVI " + header + movie

    def _picture_stream(self) -> bytes:
        width, height = self._size
        stream = b"vidsMJPG" + struct.pack("<IHHI", 0, 0, 0, 0)
        stream += struct.pack("<4I", 1000, round(1000 * self._fps), 0, self._frames)
        stream += struct.pack("<IiI4H", self._largest, -1, 0, 0, 0, width, height)
        form = struct.pack("<IiiHH4sIiiII", 40, width, height, 1, 24, b"MJPG", width * height * 3, 0, 0, 0, 0)
        return _chunk(b"LIST", b"strl" + _chunk(b"strh", stream) + _chunk(b"strf", form))

    def _sound_stream(self) -> bytes:
        stream = b"auds" + struct.pack("<IIHHI", 0, 0, 0, 0, 0) + struct.pack("<4I", 1, SOUND_HZ, 0, self._samples)
        stream += struct.pack("<IiI4H", 2 * SOUND_HZ, -1, 2, 0, 0, 0, 0)
        form = struct.pack("<HHIIHH", 1, 1, SOUND_HZ, 2 * SOUND_HZ, 2, 16)
        return _chunk(b"LIST", b"strl" + _chunk(b"strh", stream) + _chunk(b"strf", form))


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
