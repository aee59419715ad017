"""The payloads of `voice.*`: messages about a device's voice session. They have no number and are never stored.

    device -> hub  voice.open    {"stream","language","persona"?: {"id","etag"}}   a conversation with this personality
                   voice.close   {"stream"}
                   voice.played  {"stream","samples","flush"}   played since the flush of that number (0: the start)
    hub -> device  voice.opened  {"stream"}                     sound may be sent
                   voice.refused {"stream","reason","hint","retry_after_s"}
                   voice.state   {"stream","state"}             idle, listening, processing or responding
                   voice.flush   {"stream","number"}            drop the sound that was not played yet
                   voice.heard, voice.said {"stream","text"}
                   voice.ended   {"stream","reason"}

The sound is in binary frames of the same stream. A device chooses the number of a stream; it has one session at a
time, and a new `voice.open` ends the one before.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.fleet.protocol.frame import Number
from reachy_mind.fleet.protocol.handshake import Persona

PREFIX: Final = "voice."
MAX_VOICE_TEXT: Final = 4000
"""Characters of a text in `voice.heard` and `voice.said`."""
Stream = Annotated[int, Field(strict=True, ge=0, le=0xFFFF)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
VoiceState = Literal["idle", "listening", "processing", "responding"]


class OfStream(BaseModel):
    """What every message says."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    stream: Stream


class VoiceOpen(OfStream):
    language: Language = "en"
    persona: Persona | None = None


class VoicePlayed(OfStream):
    samples: Number
    flush: Number = 0


class VoiceRefusal(OfStream):
    reason: Annotated[str, Field(max_length=500)] = "refused"
    hint: Annotated[str, Field(max_length=500)] = ""
    retry_after_s: Annotated[float, Field(ge=0, le=86400, allow_inf_nan=False)] = 0.0


class StateMessage(OfStream):
    state: VoiceState


class FlushMessage(OfStream):
    number: Number = 0


class TextMessage(OfStream):
    text: Annotated[str, Field(max_length=MAX_VOICE_TEXT)]


class EndMessage(OfStream):
    reason: Annotated[str, Field(max_length=500)] = ""
