"""The payloads of `hello` and `welcome`, of twins and heartbeats."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import Frame, Id, Number
from reachy_mind.fleet.protocol.limits import ConnectionLimits

PERSONA_ID: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
ETAG: Final = re.compile(r"[0-9a-f]{64}")
MAX_CONFIG_BYTES: Final = 16 << 10

PersonaId = Annotated[str, Field(pattern=f"^{PERSONA_ID.pattern}$")]
Volume = Annotated[int, Field(ge=0, le=100)]
ShortText = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Persona(_Payload):
    """Which personality, by name and by the SHA-256 of its texts."""

    id: PersonaId
    etag: Annotated[str, Field(pattern=f"^{ETAG.pattern}$")]


class Desired(_Payload):
    """The state that a device should have. `version` 0: nobody has asked for anything yet."""

    version: Number = 0
    persona: Persona | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    volume: Volume | None = None


class Reported(_Payload):
    """The state that a device has, after trying to apply the desired one of this version."""

    version: Number = 0
    persona: Persona | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    volume: Volume | None = None
    errors: Annotated[dict[ShortText, ShortText], Field(max_length=16)] = Field(default_factory=dict)
    """Why a part of it (`persona`, `config`, `volume`) could not be applied."""


class DownHigh(_Payload):
    """What a device has of the hub's events."""

    epoch: Id | None = None
    seq: Number = 0
    seq0: Number = 0


class UpHigh(_Payload):
    """What the hub has of a device's events."""

    seq: Number = 0
    seq0: Number = 0


class Hello(_Payload):
    """A device introduces itself. Which device it is says its token; `device` only helps to find mistakes."""

    device: ShortText
    boot: Id
    epoch: Id
    down: DownHigh = Field(default_factory=DownHigh)
    twin: Number = 0
    reported: Reported | None = None
    agent: ShortText = ""
    caps: Annotated[list[ShortText], Field(max_length=64)] = Field(default_factory=list)


class Welcome(_Payload):
    """The hub's answer."""

    conn: Id
    generation: Number
    up: UpHigh
    down: Id
    """The hub's numbering for this device."""
    time: Number
    limits: ConnectionLimits = Field(default_factory=ConnectionLimits)
    desired: Desired | None = None


class Heartbeat(_Payload):
    """How a device is."""

    stored: Number = 0
    """Events that wait on the device."""
    dropped: Number = 0
    temperature_c: float | None = None
    clock_offset_ms: float | None = None
    battery_percent: float | None = None
    memory_percent: float | None = None
    uptime_s: float | None = None
    """Of the device's program."""
    state: ShortText = ""
    """idle, listening, processing, responding, muted, error, emergency"""
    versions: Annotated[dict[ShortText, ShortText], Field(max_length=16)] = Field(default_factory=dict)


Payload = TypeVar("Payload", bound=BaseModel)


def payload_of(frame: Frame, kind: type[Payload]) -> Payload:
    """What a frame says, checked. Raises ProtocolError."""
    try:
        return kind.model_validate(frame.p)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"{frame.type}: {place}: {first['msg']}") from None
