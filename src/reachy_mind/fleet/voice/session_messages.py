"""Events of a voice session as messages, and back: the same on the wire of cp1 and between a node and its workers."""

from __future__ import annotations

from typing import Any

from reachy_mind.fleet.protocol.voice_messages import (
    MAX_VOICE_TEXT,
    EndMessage,
    FlushMessage,
    StateMessage,
    TextMessage,
)
from reachy_mind.fleet.voice.session import (
    HeardText,
    SaidText,
    SessionEnded,
    SoundFlushed,
    SpeakerSound,
    StateChanged,
    VoiceSessionEvent,
)


def message_of(event: VoiceSessionEvent, flushes: int = 0) -> tuple[str, dict[str, Any]]:
    """Type and payload of what is no sound, without its stream. `flushes`: the number of a flush."""
    match event:
        case StateChanged(state):
            return "voice.state", {"state": state}
        case SoundFlushed():
            return "voice.flush", {"number": flushes}
        case HeardText(text):
            return "voice.heard", {"text": text[:MAX_VOICE_TEXT]}
        case SaidText(text):
            return "voice.said", {"text": text[:MAX_VOICE_TEXT]}
        case SessionEnded(reason):
            return "voice.ended", {"reason": reason[:500]}
        case SpeakerSound():
            raise TypeError("sound is a binary frame")


def event_of(type_: str, payload: dict[str, Any]) -> VoiceSessionEvent | None:
    """The event in a message; None for what a newer program may say. Raises ValueError for a wrong payload."""
    payload = {"stream": 0} | payload  # between a node and its workers there is none
    match type_:
        case "voice.state":
            return StateChanged(StateMessage.model_validate(payload).state)
        case "voice.flush":
            FlushMessage.model_validate(payload)
            return SoundFlushed()
        case "voice.heard":
            return HeardText(TextMessage.model_validate(payload).text)
        case "voice.said":
            return SaidText(TextMessage.model_validate(payload).text)
        case "voice.ended":
            return SessionEnded(EndMessage.model_validate(payload).reason)
        case _:
            return None
