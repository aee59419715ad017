"""Frames between a program and a voice worker that it started, over a socket that nobody else can open.

A frame is a header (length of the body, number of the session, kind) and a body: the pickled set-up, JSON, or sound.
Session 0 is the worker itself.
"""

from __future__ import annotations

import asyncio
import json
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

_HEADER: Final = struct.Struct("!IIB")
MAX_BODY: Final = 4 << 20
MAX_UNSENT: Final = 4 << 20
"""With more than this waiting to be taken by the other side, it hangs."""
WORKER: Final = 0


class FrameKind(IntEnum):
    SETUP = 0
    MESSAGE = 1
    SOUND = 2


@dataclass(frozen=True, slots=True)
class WorkerFrame:
    session: int
    kind: FrameKind
    body: bytes

    def message(self) -> tuple[str, dict[str, Any]]:
        """Type and payload of a message."""
        payload: dict[str, Any] = json.loads(self.body)
        return str(payload.pop("type")), payload


def encode_frame(session: int, kind: FrameKind, body: bytes) -> bytes:
    return _HEADER.pack(len(body), session, kind) + body


def encode_message(session: int, type_: str, payload: dict[str, Any] | None = None) -> bytes:
    return encode_frame(session, FrameKind.MESSAGE, json.dumps({"type": type_, **(payload or {})}).encode())


async def read_frame(reader: asyncio.StreamReader) -> WorkerFrame:
    """Raises EOFError when the other side is gone, also in the middle of a frame."""
    try:
        length, session, kind = _HEADER.unpack(await reader.readexactly(_HEADER.size))
        if length > MAX_BODY:
            raise EOFError(f"a frame of {length} bytes")
        return WorkerFrame(session, FrameKind(kind), await reader.readexactly(length))
    except (asyncio.IncompleteReadError, OSError) as error:
        raise EOFError("the other side is gone") from error
