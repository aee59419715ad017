"""Messages of devices that do not speak cp1 ("source devices"), and what they are in cp1.

They are JSON objects `{"type","payload"}` without numbers and acknowledgements, so nothing can be repeated or noticed
to be missing: at most once. Such a device sends its token as a bearer and its id in `X-Device-ID`.

    from the device                                    in cp1
    button_press {button: "emergency", ...}            event emergency.pressed {button, request_persona}, priority 0
    button_press {button, request_persona}             event button.pressed {button, request_persona}
    audio_stream {audio_b64, persona_id, session_id}   event utterance.recorded {audio, persona, session}; the samples,
                                                       float32 in base64, are kept as an audio clip
    persona_request {persona_id}                       answered with persona_response {persona_id, persona}: the texts
    ack {switch_complete, persona_id}                  twin.reported {persona}
    heartbeat {...}                                    heartbeat

    to the device                                      in cp1
    persona_switch {persona_id, transition_message}    twin.desired {persona}; the message is config.transition_message
    audio_response {audio_url}                         audio.play {url}
    audio_response {audio_b64}                         audio.play {audio}: a clip, as float32 in base64
    sync_event {event_type: "start_group_activity"}    activity.start
    sync_event {event_type: "sync_playback"}           playback.sync

What such a device can't do (`speak`, `restart`, volume, configuration) is answered in its place as unsupported.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.handshake import PersonaId, ShortText

MAX_SOURCE_BYTES: Final = 4 << 20
"""Half a minute of float32 samples in base64."""
SYNC_EVENTS: Final = {"activity.start": "start_group_activity", "playback.sync": "sync_playback"}


class _SourcePayload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Press(_SourcePayload):
    button: ShortText
    request_persona: ShortText | None = None


class _Audio(_SourcePayload):
    audio_b64: Annotated[str, Field(max_length=MAX_SOURCE_BYTES)]
    persona_id: ShortText | None = None
    session_id: ShortText | None = None


class _Request(_SourcePayload):
    persona_id: PersonaId


class _Switched(_SourcePayload):
    switch_complete: bool = False
    persona_id: ShortText | None = None


class ButtonPress(_SourcePayload):
    type: Literal["button_press"]
    payload: _Press


class AudioStream(_SourcePayload):
    type: Literal["audio_stream"]
    payload: _Audio


class PersonaRequest(_SourcePayload):
    type: Literal["persona_request"]
    payload: _Request


class SwitchAck(_SourcePayload):
    type: Literal["ack"]
    payload: _Switched


class SourceHeartbeat(_SourcePayload):
    type: Literal["heartbeat"]
    payload: dict[str, Any] = Field(default_factory=dict)


SourceMessage = Annotated[
    ButtonPress | AudioStream | PersonaRequest | SwitchAck | SourceHeartbeat, Field(discriminator="type")
]
_MESSAGE: TypeAdapter[SourceMessage] = TypeAdapter(SourceMessage)


def decode_source(text: str) -> SourceMessage:
    """What a source device says. Raises ProtocolError."""
    if len(text) > MAX_SOURCE_BYTES:
        raise ProtocolViolation(CloseCode.TOO_LARGE, f"a message has at most {MAX_SOURCE_BYTES >> 20} MiB")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"{place}: {first['msg']}") from None


def encode_source(type_: str, payload: dict[str, Any]) -> str:
    """A message for a source device."""
    return json.dumps({"type": type_, "payload": payload})
