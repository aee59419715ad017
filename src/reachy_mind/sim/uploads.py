"""`Uploads`: chunked uploads of moves and sounds, for the daemon to play."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from reachy_mind.body.wav import Samples
from reachy_mind.errors import InvalidParameter
from reachy_mind.sim.playback import read_clip
from reachy_mind.sim.recordings import MAX_FILE_BYTES, Recording, UnusableMove, decode
from reachy_mind.sim.robot import Refused

MAX_SLOTS = 16
HINTS = {"move": "a move is the vendor's recorded-move JSON", "audio": "a sound is a WAV file in base64"}
Upload = TypeVar("Upload")


@dataclass
class _Slot:
    total: int
    encoding: str
    chunks: list[str] = field(default_factory=list)


class Uploads(Generic[Upload]):
    """Open and finished uploads of one `kind`; beyond the limit the oldest is dropped.

    `read` decodes an upload from its id, text and encoding. Methods raise Refused.
    """

    def __init__(self, kind: str, read: Callable[[str, str, str], Upload]) -> None:
        self._kind, self._read = kind, read
        self._open: dict[str, _Slot] = {}
        self._finished: dict[str, Upload] = {}

    def start(self, upload_id: str, total: int, encoding: str) -> None:
        self._open[upload_id] = _Slot(total, encoding)
        _forget_oldest(self._open)

    def chunk(self, upload_id: str, index: int, text: str) -> None:
        """Add the next chunk; one out of order ends the upload."""
        slot = self._open.get(upload_id)
        if slot is None:
            raise Refused("NOT_READY", f"no upload {upload_id!r} is open", f"send upload_{self._kind}_start first")
        if index != len(slot.chunks) or index >= slot.total:
            del self._open[upload_id]
            raise Refused("INVALID_PARAMETER", f"piece {index} of {upload_id!r} is out of order", "upload it again")
        slot.chunks.append(text)

    def finish(self, upload_id: str) -> None:
        slot = self._open.pop(upload_id, None)
        if slot is None:
            raise Refused("NOT_READY", f"no upload {upload_id!r} is open", f"send upload_{self._kind}_start first")
        if len(slot.chunks) != slot.total:
            raise Refused("INVALID_PARAMETER", f"{len(slot.chunks)} of {slot.total} pieces came", "upload it again")
        try:
            self._finished[upload_id] = self._read(upload_id, "".join(slot.chunks), slot.encoding)
        except (UnusableMove, InvalidParameter, binascii.Error, zlib.error, ValueError) as error:
            raise Refused("INVALID_PARAMETER", f"{upload_id}: {error}", HINTS[self._kind]) from None
        _forget_oldest(self._finished)

    def get(self, upload_id: str) -> Upload | None:
        """A finished upload, which is kept."""
        return self._finished.get(upload_id)

    def take(self, upload_id: str) -> Upload | None:
        """A finished upload, which is removed: it plays once."""
        return self._finished.pop(upload_id, None)


def read_move(upload_id: str, text: str, encoding: str) -> Recording:
    return decode(upload_id, _content(text, encoding))


def read_sound(_: str, text: str, encoding: str) -> Samples:
    if encoding != "wav-base64":
        raise InvalidParameter(f"{encoding} can't be read here")
    return read_clip(base64.b64decode(text, validate=True))


def _content(text: str, encoding: str) -> bytes | str:
    if encoding == "json":
        return text
    unpacked = zlib.decompressobj(wbits=31)
    content = unpacked.decompress(base64.b64decode(text, validate=True), MAX_FILE_BYTES)
    if unpacked.unconsumed_tail:
        raise UnusableMove(f"it is larger than {MAX_FILE_BYTES >> 20} MB")
    return content


def _forget_oldest(slots: dict[str, _Slot] | dict[str, Upload]) -> None:
    while len(slots) > MAX_SLOTS:
        del slots[next(iter(slots))]
