"""`Uploads`: moves that a client sends in pieces, to have them played by the daemon."""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass, field

from reachy_mind.sim.recordings import LARGEST_BYTES, Recording, UnusableMove, decode
from reachy_mind.sim.robot import Refused
from reachy_mind.sim.vocabulary import Encoding

MOST_SLOTS = 16


@dataclass
class _Slot:
    total: int
    encoding: Encoding
    chunks: list[str] = field(default_factory=list)


class Uploads:
    """Open and finished uploads; when there are too many, the oldest is forgotten. What fails raises Refused."""

    def __init__(self) -> None:
        self._open: dict[str, _Slot] = {}
        self._finished: dict[str, Recording] = {}

    def start(self, upload_id: str, total: int, encoding: Encoding) -> None:
        self._open[upload_id] = _Slot(total, encoding)
        _forget_oldest(self._open)

    def chunk(self, upload_id: str, index: int, text: str) -> None:
        """The next piece; one out of order ends the upload."""
        slot = self._open.get(upload_id)
        if slot is None:
            raise Refused("NOT_READY", f"no upload {upload_id!r} is open", "send upload_move_start first")
        if index != len(slot.chunks) or index >= slot.total:
            del self._open[upload_id]
            raise Refused("INVALID_PARAMETER", f"piece {index} of {upload_id!r} is out of order", "upload it again")
        slot.chunks.append(text)

    def finish(self, upload_id: str) -> None:
        slot = self._open.pop(upload_id, None)
        if slot is None:
            raise Refused("NOT_READY", f"no upload {upload_id!r} is open", "send upload_move_start first")
        if len(slot.chunks) != slot.total:
            raise Refused("INVALID_PARAMETER", f"{len(slot.chunks)} of {slot.total} pieces came", "upload it again")
        try:
            self._finished[upload_id] = decode(upload_id, _content("".join(slot.chunks), slot.encoding))
        except (UnusableMove, binascii.Error, zlib.error, ValueError) as error:
            raise Refused("INVALID_PARAMETER", str(error), "a move is the vendor's recorded-move JSON") from None
        _forget_oldest(self._finished)

    def take(self, upload_id: str) -> Recording | None:
        """A finished upload, which is then gone: it plays once."""
        return self._finished.pop(upload_id, None)


def _content(text: str, encoding: Encoding) -> bytes | str:
    if encoding == "json":
        return text
    unpacked = zlib.decompressobj(wbits=31)
    content = unpacked.decompress(base64.b64decode(text, validate=True), LARGEST_BYTES)
    if unpacked.unconsumed_tail:
        raise UnusableMove(f"it is larger than {LARGEST_BYTES >> 20} MB")
    return content


def _forget_oldest(slots: dict[str, _Slot] | dict[str, Recording]) -> None:
    while len(slots) > MOST_SLOTS:
        del slots[next(iter(slots))]
