"""`AudioFrame`: a binary frame of cp1: 16 bytes of header, big-endian, then samples.

kind u8 (1 microphone, 2 speaker) | flags u8 (1 begins, 2 ends, 4 Opus, else s16le mono 16 kHz)
stream u16 | chunk u32 | time u64: of capture, or when to play it, microseconds of the hub's clock
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntFlag

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.limits import MAX_BINARY_BYTES

MICROPHONE, SPEAKER = 1, 2
_HEADER = struct.Struct("!BBHIQ")


class AudioFlags(IntFlag):
    BEGINS = 1
    ENDS = 2
    OPUS = 4


@dataclass(frozen=True)
class AudioFrame:
    """A piece of sound on its way."""

    kind: int
    flags: AudioFlags
    stream: int
    chunk: int
    time_us: int
    samples: bytes

    def encode(self) -> bytes:
        return _HEADER.pack(self.kind, self.flags, self.stream, self.chunk, self.time_us) + self.samples

    @classmethod
    def decode(cls, data: bytes) -> AudioFrame:
        """Raises ProtocolError."""
        if len(data) > MAX_BINARY_BYTES:
            raise ProtocolViolation(CloseCode.TOO_LARGE, f"a binary frame has at most {MAX_BINARY_BYTES >> 10} KiB")
        if len(data) < _HEADER.size:
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "a binary frame has a header of 16 bytes")
        kind, flags, stream, chunk, time_us = _HEADER.unpack_from(data)
        if kind not in (MICROPHONE, SPEAKER):
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"a binary frame of kind {kind}")
        return cls(kind, AudioFlags(flags & 7), stream, chunk, time_us, data[_HEADER.size :])
