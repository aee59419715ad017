"""`Frame`: one text frame of cp1, read from untrusted text and written with a checksum."""

from __future__ import annotations

import json
import math
import re
import time
import zlib
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.limits import MAX_DEPTH, MAX_TEXT_BYTES
from reachy_mind.fleet.protocol.message_ids import uuid7

MAX_NUMBER: Final = (1 << 53) - 1
"""JSON's numbers are exact up to here."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_CHECKSUM = re.compile(r'\{"c":"([0-9a-f]{8})",')
Lane = Literal[0, 1]
USUAL: Final[Lane] = 1
EMERGENCY: Final[Lane] = 0
"""The lanes; priority 2 is in the usual one."""
Number = Annotated[int, Field(strict=True, ge=0, le=MAX_NUMBER)]
Type = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,31}(\.[a-z][a-z_]{0,31}){0,3}$", max_length=64)]
Id = Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,64}$")]


class Frame(BaseModel):
    """See the protocol's description for the fields. Unknown ones are ignored: a newer program may send them."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    v: Literal[1] = 1
    id: Id
    type: Type
    ts: Number = 0
    seq: Annotated[int, Field(strict=True, ge=1, le=MAX_NUMBER)] | None = None
    skip: Number = 0
    prio: Annotated[int, Field(strict=True, ge=0, le=2)] = 1
    ack: Number | None = None
    ack0: Number | None = None
    exp: Number | None = None
    re: Id | None = None
    p: dict[str, Any] = Field(default_factory=dict)

    @property
    def lane(self) -> Lane:
        return EMERGENCY if self.prio == 0 else USUAL


def new_frame(type_: str, payload: dict[str, Any] | None = None, **fields: Any) -> Frame:
    """A frame that is made now."""
    return Frame(id=uuid7(), type=type_, ts=now_ms(), p=payload or {}, **fields)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return int(time.time() * 1000)


def encode(frame: Frame) -> str:
    """The text of a frame, with its checksum. Raises ValueError when it is larger than a frame may be."""
    rest = '"v":1,' + frame.model_dump_json(exclude_defaults=True)[1:]
    text = f'{{"c":"{zlib.crc32(rest.encode()):08x}",{rest}'
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise ValueError(f"a message is larger than {MAX_TEXT_BYTES >> 10} KiB")
    return text


def decode(text: str) -> Frame:
    """The frame in a text. Raises ProtocolError for anything that is none."""
    try:
        data = text.encode() if len(text) <= MAX_TEXT_BYTES else None
    except UnicodeEncodeError:  # half of a surrogate pair, which came out of somebody's JSON
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "this is no text") from None
    if data is None or len(data) > MAX_TEXT_BYTES:
        raise ProtocolViolation(CloseCode.TOO_LARGE, f"a text frame has at most {MAX_TEXT_BYTES >> 10} KiB")
    checksum = _CHECKSUM.match(text)
    if checksum and f"{zlib.crc32(data[checksum.end() :]):08x}" != checksum[1]:
        raise ProtocolViolation(CloseCode.DAMAGED, "the checksum is wrong")
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"nests deeper than {MAX_DEPTH} levels")
    try:
        content = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
        if _SURROGATE.search(text):
            json.dumps(content, ensure_ascii=False).encode()  # half of a pair is a UnicodeEncodeError, a ValueError
        return Frame.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"{place}: {first['msg']}") from None
    except (ValueError, RecursionError) as error:
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"not JSON: {error}") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    """What is too large is infinity to Python, and no number of JSON to whoever reads it next."""
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _depth(text: str) -> int:
    """How deeply brackets nest outside of strings."""
    deepest = depth = 0
    in_string = escaped = False
    for letter in text:
        if in_string:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_string = False
        elif letter == '"':
            in_string = True
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    return deepest
