"""`VideoFile`: writes frames of the simulated camera to a video file.

The file's ending chooses the format, of those that need no further dependency:

* `.avi`: Motion JPEG. The camera's frames are JPEGs already and are stored unchanged: no loss, little CPU and memory,
  and a common format. The choice for recordings; the container is written here, because no core dependency writes one.
* `.gif` and `.webp`: made by Pillow from all frames at the end. A GIF plays everywhere, with 256 colours and large
  files; WebP keeps the colours in less space. For short clips.

A real video codec (H.264) makes smaller files but needs ffmpeg or PyAV, which are no core dependencies; either can
convert an AVI.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from PIL import Image

from reachy_mind.errors import InvalidParameter

ENDINGS = (".avi", ".gif", ".webp")
MAX_AVI_BYTES = 1_900_000_000
"""A classic AVI, which every player supports, is limited to 2 GB."""
MAX_CLIP_FRAMES = 900
_HAS_INDEX, _KEY_FRAME = 0x10, 0x10


class VideoFile:
    """A video file for the duration of a `with`; `add` takes JPEGs of one size. Raises InvalidParameter."""

    def __init__(self, file: Path, fps: float) -> None:
        if file.suffix.lower() not in ENDINGS:
            raise InvalidParameter(f"can't record to {file.name}", hint=f"choose a name with {', '.join(ENDINGS)}")
        self._path, self._fps = file, fps
        self._avi: _Avi | None = None
        self._clip: list[Image.Image] = []
        self.frames = 0

    def __enter__(self) -> Self:
        return self

    def add(self, jpeg: bytes) -> None:
        """Add a frame. Raises InvalidParameter when the file is full."""
        if self._path.suffix.lower() == ".avi":
            if self._avi is None:
                self._avi = _Avi(self._path, self._fps, Image.open(io.BytesIO(jpeg)).size)
            self._avi.add(jpeg)
        else:
            if len(self._clip) == MAX_CLIP_FRAMES:
                raise InvalidParameter(f"a clip has at most {MAX_CLIP_FRAMES} frames", hint="record to .avi")
            self._clip.append(Image.open(io.BytesIO(jpeg)).convert("RGB"))
        self.frames += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._avi is not None:
            self._avi.close()
        if self._clip:
            first, *others = self._clip
            shown_ms = round(1000 / self._fps)
            first.save(self._path, save_all=True, append_images=others, duration=shown_ms, loop=0)


class _Avi:
    """RIFF with one stream of JPEGs and an index. Sizes are filled in at the end."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None:
        self._file: BinaryIO = path.open("wb")
        self._fps, self._size = fps, size
        self._index: list[tuple[int, int]] = []
        self._largest = 0
        self._file.write(self._header(0))
        self._movie = self._file.tell()

    def _header(self, riff_bytes: int) -> bytes:
        width, height, count = *self._size, len(self._index)
        per_frame = round(1e6 / self._fps)
        main = struct.pack("<14I", per_frame, 0, 0, _HAS_INDEX, count, 0, 1, self._largest, width, height, 0, 0, 0, 0)
        rate = struct.pack("<4I", 1000, round(1000 * self._fps), 0, count)
        stream = b"vidsMJPG" + struct.pack("<IHHI", 0, 0, 0, 0) + rate
        stream += struct.pack("<IiI4H", self._largest, -1, 0, 0, 0, width, height)
        form = struct.pack("<IiiHH4sIiiII", 40, width, height, 1, 24, b"MJPG", width * height * 3, 0, 0, 0, 0)
        streams = _chunk(b"LIST", b"strl" + _chunk(b"strh", stream) + _chunk(b"strf", form))
        header = _chunk(b"LIST", b"hdrl" + _chunk(b"avih", main) + streams)
        movie_bytes = 4 + sum(8 + length + length % 2 for _, length in self._index)
        return (
            b"RIFF"
            + struct.pack("<I", riff_bytes)
            + b"AVI "
            + header
            + b"LIST"
            + struct.pack("<I", movie_bytes)
            + b"movi"
        )

    def add(self, jpeg: bytes) -> None:
        at = self._file.tell()
        if at + len(jpeg) > MAX_AVI_BYTES:
            raise InvalidParameter("the recording is as long as an AVI can be", hint="go on in another file")
        self._index.append((at - self._movie + 4, len(jpeg)))
        self._largest = max(self._largest, len(jpeg))
        self._file.write(_chunk(b"00dc", jpeg))

    def close(self) -> None:
        entries = b"".join(struct.pack("<4sIII", b"00dc", _KEY_FRAME, at, length) for at, length in self._index)
        self._file.write(_chunk(b"idx1", entries))
        length = self._file.tell() - 8
        self._file.seek(0)
        self._file.write(self._header(length))
        self._file.close()


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
