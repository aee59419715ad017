"""What an activity consists of, as an operator says it, made into the parts that devices prepare."""

from __future__ import annotations

import hashlib
import io
import math
import re
import wave
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.activities.payloads import (
    MAX_LENGTH_MS,
    MAX_PART_CHARS,
    MAX_PARTS,
    ActivityClip,
    ActivityKind,
    ActivityPart,
    Beat,
    Language,
    MoveName,
)
from reachy_mind.fleet.control import audio_clips
from reachy_mind.fleet.control.store.store import Sql

MAX_CLIP_BYTES: Final = 48 << 20
"""Of all clips of an activity: a device keeps them on its disk."""
SENTENCE_CHARS: Final = 240
"""A part of a text has about so many at most: short ones keep the devices together."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_AFTER_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'»”)])\s+")
ClipId = Annotated[str, Field(pattern=r"^[0-9a-f-]{1,64}$")]
Seconds = Annotated[float, Field(ge=0, le=MAX_LENGTH_MS / 1000, allow_inf_nan=False)]


class _Content(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class ContentPart(_Content):
    """One of text, audio, beep and move. Without `at_s` it comes after the part before, on all devices together."""

    at_s: Seconds | None = None
    text: Annotated[str, Field(min_length=1, max_length=MAX_PART_CHARS)] | None = None
    audio: ClipId | None = None
    beep: Literal["high", "low"] | None = None
    move: MoveName | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(each is not None for each in (self.text, self.audio, self.beep, self.move)) != 1:
            raise ValueError("a part has exactly one of text, audio, beep and move")
        return self


class ActivityContent(_Content):
    """A `text` to be told in the devices' own voices, a clip (`audio`), a `beat`, or `parts`; exactly one of them."""

    text: Annotated[str, Field(min_length=1, max_length=20_000)] | None = None
    audio: ClipId | None = Field(default=None, description="The id that POST /fleet/v1/audio gave")
    beat: Beat | None = None
    parts: Annotated[list[ContentPart], Field(min_length=1, max_length=MAX_PARTS)] | None = None
    move: MoveName | None = Field(default=None, description="What Reachy Minis do at the beginning")
    move_every_s: Annotated[float, Field(ge=1, le=600)] | None = Field(
        default=None, description="They do it again and again, with a clip or a beat"
    )
    language: Language = "en"


def compile_parts(sql: Sql, tenant: str, kind: ActivityKind, content: ActivityContent) -> tuple[ActivityPart, ...]:
    """The parts for the devices. Raises InvalidParameter, and NotFound for a clip that this tenant has not."""
    given = [each is not None for each in (content.text, content.audio, content.beat, content.parts)]
    if sum(given) != 1:
        raise InvalidParameter("content has exactly one of text, audio, beat and parts", hint="see docs/fleet.md")
    _check_kind(kind, content)
    used, parts = 0, []
    for each in _listed(content):
        if isinstance(each, ActivityPart):
            parts.append(each)
            continue
        at_ms = round(each.at_s * 1000) if each.at_s is not None else None
        clip = _clip(sql, tenant, each.audio) if each.audio is not None else None
        used += clip.bytes if clip is not None else 0
        parts.append(ActivityPart(at_ms=at_ms, text=each.text, clip=clip, beep=each.beep, move=each.move))
    if used > MAX_CLIP_BYTES:
        raise InvalidParameter(f"the clips have more than {MAX_CLIP_BYTES >> 20} MiB", hint="use shorter ones")
    if content.move is not None:
        parts += _moves(content.move, content.move_every_s, _length_s(sql, tenant, content))
    if len(parts) > MAX_PARTS:
        raise InvalidParameter(f"an activity has at most {MAX_PARTS} parts, not {len(parts)}", hint="make it shorter")
    return tuple(parts)


def sentences(text: str) -> list[str]:
    """A text in parts that a voice can say at a stretch: sentences, short ones together."""
    found: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        told: list[str] = []
        for sentence in filter(None, _AFTER_SENTENCE.split(" ".join(paragraph.split()))):
            if told and len(told[-1]) + len(sentence) < SENTENCE_CHARS:
                told[-1] += f" {sentence}"
            else:
                told += [sentence[start : start + MAX_PART_CHARS] for start in range(0, len(sentence), MAX_PART_CHARS)]
        found += told
    return found


def _check_kind(kind: ActivityKind, content: ActivityContent) -> None:
    """Raises InvalidParameter for a content that is none of this kind."""
    wrong = {
        "story": content.beat is not None,
        "music": content.text is not None or any(part.text is not None for part in content.parts or ()),
        "exercise": False,
        "dance": content.text is not None,
    }[kind]
    if wrong:
        raise InvalidParameter(f"this is no content of the kind {kind}", hint="see docs/fleet.md")
    if content.move_every_s is not None and (content.move is None or (content.audio is None and content.beat is None)):
        raise InvalidParameter("move_every_s goes with move, and with audio or beat", hint="leave it out")


def _listed(content: ActivityContent) -> list[ContentPart | ActivityPart]:
    if content.text is not None:
        spoken = sentences(content.text)
        if not spoken:
            raise InvalidParameter("there is nothing to say in this text", hint="write some sentences")
        return [ContentPart(text=each) for each in spoken]
    if content.audio is not None:
        return [ContentPart(audio=content.audio, at_s=0)]
    if content.beat is not None:
        return [ActivityPart(beat=content.beat, at_ms=0)]
    return list(content.parts or ())


def _clip(sql: Sql, tenant: str, clip: str) -> ActivityClip:
    content = audio_clips.get(sql, tenant, clip)
    return ActivityClip(audio=clip, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def _moves(name: str, every_s: float | None, length_s: float) -> list[ActivityPart]:
    times = 1 if every_s is None else max(1, math.ceil(length_s / every_s))
    return [ActivityPart(move=name, at_ms=round(number * (every_s or 0) * 1000)) for number in range(times)]


def _length_s(sql: Sql, tenant: str, content: ActivityContent) -> float:
    """Of a clip or a beat."""
    if content.beat is not None:
        return content.beat.seconds
    if content.audio is None:
        return 0.0
    with wave.open(io.BytesIO(audio_clips.get(sql, tenant, content.audio))) as file:
        return float(file.getnframes() / file.getframerate())
