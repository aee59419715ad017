"""`VideoFile`: writes frames of the simulated camera to a video file.

The file's ending chooses the format, of those that need no further dependency:

* `.avi`: Motion JPEG. The camera's frames are JPEGs already and are stored unchanged: no loss, little CPU and memory,
  and a common format, which takes sound too. The choice for recordings; the container is written by `avi_file`, because
  no core dependency writes one.
* `.gif` and `.webp`: made by Pillow from all frames at the end. A GIF plays everywhere, with 256 colours and large
  files; WebP keeps the colours in less space. For short clips.

A real video codec (H.264) makes smaller files but needs ffmpeg or PyAV, which are no core dependencies; either can
convert an AVI.
"""

from __future__ import annotations

import io
from pathlib import Path
from types import TracebackType
from typing import Self

from PIL import Image

from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.avi_file import AviFile

ENDINGS = (".avi", ".gif", ".webp")
MAX_CLIP_FRAMES = 900


class VideoFile:
    """A video file for the duration of a `with`; `add` takes JPEGs of one size. Raises InvalidParameter.

    `sound`: there is sound to come; `takes_sound` says whether the format has any.
    """

    def __init__(self, file: Path, fps: float, *, sound: bool = False) -> None:
        if file.suffix.lower() not in ENDINGS:
            raise InvalidParameter(f"can't record to {file.name}", hint=f"choose a name with {', '.join(ENDINGS)}")
        self._path, self._fps = file, fps
        self.takes_sound = sound and file.suffix.lower() == ".avi"
        self._avi: AviFile | None = None
        self._clip: list[Image.Image] = []
        self.frames = 0

    def __enter__(self) -> Self:
        return self

    def add(self, jpeg: bytes) -> None:
        """Add a frame. Raises InvalidParameter when the file is full."""
        if self._path.suffix.lower() == ".avi":
            if self._avi is None:
                size = Image.open(io.BytesIO(jpeg)).size
                self._avi = AviFile(self._path, self._fps, size, sound=self.takes_sound)
            self._avi.add(jpeg)
        else:
            if len(self._clip) == MAX_CLIP_FRAMES:
                raise InvalidParameter(f"a clip has at most {MAX_CLIP_FRAMES} frames", hint="record to .avi")
            self._clip.append(Image.open(io.BytesIO(jpeg)).convert("RGB"))
        self.frames += 1

    def add_sound(self, pcm: bytes) -> None:
        """Add 16 kHz mono PCM, after the first frame. A format without sound does without it."""
        if self._avi is not None and self.takes_sound and pcm:
            self._avi.add_sound(pcm)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._avi is not None:
            self._avi.close()
        if self._clip:
            first, *others = self._clip
            shown_ms = round(1000 / self._fps)
            first.save(self._path, save_all=True, append_images=others, duration=shown_ms, loop=0)
