"""The JSON of conversation events: every event of the family has the fields that its frame describes, and no others."""

from __future__ import annotations

import json
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

import pytest

from reachy_mind.brains.brain import Called, Done, Handoff, Said, ToolCall, Voiced
from reachy_mind.conversation.events import ChatEvent, InTurn, RequestFailed, SpokenState, TurnAccepted, VoiceEvent
from reachy_mind.conversation.response import Response
from reachy_mind.conversation.wire import ChatFrame, VoiceFrame, chat_frame, turn_frame, voice_frame
from reachy_mind.errors import NotReady
from reachy_mind.events import Announced, ConfirmationAnswered, ConfirmationAsked, Missed, ToolStarted
from reachy_mind.speech.events import ReplyInterrupted, Transcription
from reachy_mind.speech.transcriber import Alternative
from reachy_mind.tools.definition import Outcome

NOD = ToolCall("nod", {"times": 1}, Outcome("ok", {"message": "I nodded."}))
RESPONSE = Response(
    "I nodded.",
    (NOD,),
    brain="agents",
    conversation="c",
    turn="t",
    error={"code": "TIMEOUT", "message": "the answer took too long", "hint": ""},
    agent="RobotAgent",
    handoffs=(Handoff("RobotAgent", "it moves"),),
    tokens_in=7,
    tokens_out=3,
)
ASKED = ConfirmationAsked(
    confirmation_id="1", call_id="2", tool="t", arguments={}, consequence="c", reason="r", expires_at=1.0
)
CHAT: list[tuple[ChatEvent, set[str]]] = [
    (InTurn(1, TurnAccepted("hello", "c")), {"text", "session_id", "turn"}),
    (InTurn(1, Said("Hi.")), {"text", "turn"}),
    (InTurn(1, Called(NOD)), {"name", "args", "status", "data", "error", "turn"}),
    (InTurn(1, Handoff("model", "not sure")), {"to", "reason", "turn"}),
    (InTurn(1, RequestFailed(NotReady("no"))), {"code", "message", "hint", "turn"}),
    (RequestFailed(NotReady("no"), about="stop"), {"code", "message", "hint", "id"}),
    (
        ASKED,
        {"id", "call_id", "tool", "arguments", "consequence", "reason", "expires_at", "conversation"},
    ),
    (ConfirmationAnswered(confirmation_id="1", approved=True, by="Ada"), {"id", "approved", "by"}),
    (ToolStarted(call_id="1", tool="t", arguments={}, notice=True), {"tool", "arguments"}),
    (Announced(text="Tea.", about="timer"), {"text", "about"}),
    (Missed(count=3), {"count"}),
]
VOICE: list[tuple[VoiceEvent, set[str]]] = [
    (SpokenState("c", "listening", "open"), {"session_id", "doing", "microphone", "reason"}),
    (Transcription("hello"), {"text", "final", "confidence"}),
    (
        Transcription("not", final=True, alternatives=(Alternative("not", 0.5), Alternative("nod", 0.4))),
        {"text", "final", "confidence", "alternatives"},
    ),
    (Said("Hi."), {"text", "final"}),
    (RESPONSE, {"text", "final", "tools", "error"}),
    (ReplyInterrupted("It is"), {"heard"}),
    (RequestFailed(NotReady("no voice")), {"code", "message", "hint"}),
]


def checked(frame: Any, frames: Any) -> dict[str, Any]:
    """The frame as a client reads it; one of `frames` describes it."""
    assert frame is not None
    read: dict[str, Any] = json.loads(json.dumps(frame))
    (model,) = (each for each in get_args(frames) if get_args(get_type_hints(each)["type"]) == (read["type"],))
    fields = get_type_hints(model, include_extras=True)
    optional = {name for name, kind in fields.items() if get_origin(kind) is NotRequired} | model.__optional_keys__
    assert fields.keys() - optional <= read.keys() <= fields.keys()
    return read


@pytest.mark.parametrize(("event", "fields"), CHAT, ids=lambda value: type(value).__name__)
def test_a_chat_frame_has_its_fields(event: ChatEvent, fields: set[str]) -> None:
    assert checked(chat_frame(event), ChatFrame).keys() == fields | {"type"}


@pytest.mark.parametrize(("event", "fields"), VOICE, ids=lambda value: type(value).__name__)
def test_a_voice_frame_has_its_fields(event: VoiceEvent, fields: set[str]) -> None:
    assert checked(voice_frame(event), VoiceFrame).keys() == fields | {"type"}


def test_the_end_of_a_turn_tells_only_what_there_is() -> None:
    always = {"type", "turn_id", "reply", "tools", "brain", "latency_ms", "duration_ms", "session_id", "cost_usd"}
    assert checked(turn_frame(Response("Hi.")), ChatFrame).keys() == always
    done = checked(turn_frame(RESPONSE), ChatFrame)
    assert done.keys() == always | {"agent", "handoffs", "tokens", "error"}
    assert done["tokens"] == {"in": 7, "out": 3} and done["tools"] == [
        {"name": "nod", "args": {"times": 1}, "status": "ok"}
    ]


def test_what_is_for_other_parts_of_the_program_is_not_sent() -> None:
    assert turn_frame(Voiced(b"", 24000, "item")) is None and turn_frame(Done()) is None
    assert chat_frame(ToolStarted(call_id="1", tool="t", arguments={}, notice=False)) is None
