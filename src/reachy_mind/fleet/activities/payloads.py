"""What the hub and a device say of activities: the payloads of `activity.*`, checked on both sides."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reachy_mind.fleet.protocol.frame import Id
from reachy_mind.fleet.protocol.handshake import ETAG, ShortText
from reachy_mind.fleet.protocol.limits import MAX_UTTERANCE_BYTES

MAX_PARTS: Final = 200
MAX_PART_CHARS: Final = 1000
MAX_LENGTH_MS: Final = 4 * 3600 * 1000
ActivityKind = Literal["story", "music", "exercise", "dance"]
TimelineMs = Annotated[int, Field(ge=0, le=MAX_LENGTH_MS)]
HubMs = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
MoveName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_. -]{0,63}$")]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")]


def plain_text(text: str) -> str:
    """As a `ShortText`: without control characters, not too long, storable in every database."""
    readable = "".join(each if each.isprintable() else " " for each in text)
    return readable.encode("utf-8", "replace").decode()[:200]


class _ActivityPayload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ActivityClip(_ActivityPayload):
    """A WAV file that the hub has."""

    audio: Annotated[str, Field(pattern=r"^[0-9a-f-]{1,64}$")]
    sha256: Annotated[str, Field(pattern=f"^{ETAG.pattern}$")]
    bytes: Annotated[int, Field(ge=44, le=MAX_UTTERANCE_BYTES)]


class Beat(_ActivityPayload):
    """Clicks at an even pace."""

    bpm: Annotated[int, Field(ge=30, le=240)]
    seconds: Annotated[float, Field(gt=0, le=600, allow_inf_nan=False)]


class ActivityPart(_ActivityPayload):
    """A sound or a move. `at_ms`: its time in the timeline; None: when every device has finished the part before."""

    at_ms: TimelineMs | None = None
    text: Annotated[str, Field(min_length=1, max_length=MAX_PART_CHARS)] | None = None
    clip: ActivityClip | None = None
    beep: Literal["high", "low"] | None = None
    beat: Beat | None = None
    move: MoveName | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if sum(each is not None for each in (self.text, self.clip, self.beep, self.beat, self.move)) != 1:
            raise ValueError("a part has exactly one of text, clip, beep, beat and move")
        return self


class PrepareActivity(_ActivityPayload):
    """`activity.prepare`."""

    activity: Id
    kind: ActivityKind
    parts: Annotated[tuple[ActivityPart, ...], Field(min_length=1, max_length=MAX_PARTS)]
    language: Language = "en"


class StartActivity(_ActivityPayload):
    """`activity.start`: at the time `at` of the hub's clock the timeline stands at `position_ms`."""

    activity: Id
    at: HubMs
    position_ms: TimelineMs = 0
    times_ms: Annotated[tuple[TimelineMs, ...], Field(min_length=1, max_length=MAX_PARTS)]
    """When each part begins."""


class MoveActivity(_ActivityPayload):
    """`activity.pause` and `activity.resume`."""

    activity: Id
    at: HubMs
    position_ms: TimelineMs


class EndActivity(_ActivityPayload):
    """`activity.end`. `say`: what a device with a voice says then."""

    activity: Id
    reason: ShortText = ""
    say: Annotated[str, Field(max_length=300)] = ""
    language: Language = "en"


class ActivityReady(_ActivityPayload):
    """The event `activity.ready`: everything is on the device, or why not. `part_ms`: how long each part lasts here."""

    activity: Id
    ok: bool
    error: Annotated[str, Field(max_length=500)] = ""
    part_ms: Annotated[tuple[TimelineMs, ...], Field(max_length=MAX_PARTS)] = ()
    rtt_ms: Annotated[float, Field(ge=0, le=600_000, allow_inf_nan=False)] = 0.0
    clock_error_ms: Annotated[float, Field(ge=0, le=600_000, allow_inf_nan=False)] = 0.0


class ActivityEnded(_ActivityPayload):
    """The event `activity.ended`. `reason`: finished, ended, stopped, replaced, or what went wrong."""

    activity: Id
    reason: ShortText
    position_ms: TimelineMs = 0
    errors: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()
    """What could not be played or moved."""
