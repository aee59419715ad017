"""The JSON of conversation events: the frames of the chat and voice sockets, and of server-sent events.

`chat_frame` and `voice_frame` are the only places that build them; docs/api.md describes the same fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

from reachy_mind.brains.brain import Called, Done, Handoff, Said, ToolCall, Voiced
from reachy_mind.conversation.events import (
    Activity,
    ChatEvent,
    InTurn,
    RequestFailed,
    SpokenState,
    TurnAccepted,
    TurnEvent,
    VoiceEvent,
)
from reachy_mind.conversation.response import Response
from reachy_mind.errors import MindError
from reachy_mind.events import Announced, ConfirmationAnswered, ConfirmationAsked, Missed, ToolStarted
from reachy_mind.speech.events import ReplyInterrupted, Transcription
from reachy_mind.speech.transcriber import Alternative


class ErrorFields(TypedDict):
    code: str
    message: str
    hint: str


class ToolFields(TypedDict):
    """A tool call as `ask --json` prints it."""

    name: str
    args: dict[str, Any]
    status: str


class HandoffFields(TypedDict):
    to: str
    reason: str


TokenFields = TypedDict("TokenFields", {"in": int, "out": int})


class UsageFields(TypedDict, total=False):
    """The handoffs and the tokens of a turn; each only where there are any."""

    handoffs: list[HandoffFields]
    tokens: TokenFields


class ChatAnswer(UsageFields):
    """The answer of `POST /chat`."""

    response: str
    session_id: str
    agent_used: str
    tools_called: list[str]
    """Names, in the order of the calls; `tool_calls` has their arguments and statuses."""
    tool_calls: list[ToolFields]
    trace_id: str
    latency_ms: float
    duration_ms: float
    cost_usd: float
    error: dict[str, str] | None


class _TurnFrame(TypedDict):
    turn: NotRequired[int]
    """On the chat socket: the number of the client's turn."""


class StartedFrame(_TurnFrame):
    type: Literal["started"]
    text: str
    session_id: str


class DeltaFrame(_TurnFrame):
    type: Literal["delta"]
    text: str


class ToolFrame(_TurnFrame, ToolFields):
    type: Literal["tool"]
    data: Any
    error: dict[str, str] | None


class HandoffFrame(_TurnFrame, HandoffFields):
    type: Literal["handoff"]


class DoneFrame(_TurnFrame, UsageFields):
    """The end of a turn; `ask --json` prints these fields too."""

    type: Literal["done"]
    turn_id: str
    cost_usd: float
    reply: str
    tools: list[ToolFields]
    brain: str
    latency_ms: float
    duration_ms: float
    session_id: str
    agent: NotRequired[str]
    error: NotRequired[dict[str, str]]


class ErrorFrame(_TurnFrame, ErrorFields):
    type: Literal["error"]
    id: NotRequired[str]
    """The confirmation it is about, or `stop`: no turn ended."""


class ConfirmFrame(TypedDict):
    type: Literal["confirm"]
    id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    consequence: str
    reason: str
    expires_at: float
    conversation: str


class AnsweredFrame(TypedDict):
    type: Literal["answered"]
    id: str
    approved: bool
    by: str


class NoticeFrame(TypedDict):
    type: Literal["notice"]
    tool: str
    arguments: dict[str, Any]


class AnnouncedFrame(TypedDict):
    type: Literal["announced"]
    text: str
    about: str


class MissedFrame(TypedDict):
    type: Literal["missed"]
    count: int


TurnFrame = StartedFrame | DeltaFrame | ToolFrame | HandoffFrame | DoneFrame | ErrorFrame
ChatFrame = TurnFrame | ConfirmFrame | AnsweredFrame | NoticeFrame | AnnouncedFrame | MissedFrame


class StateFrame(TypedDict):
    type: Literal["state"]
    session_id: str
    doing: Activity
    microphone: str
    reason: str


class AlternativeFields(TypedDict):
    text: str
    confidence: float


class TranscriptionFrame(TypedDict):
    type: Literal["transcription"]
    text: str
    final: bool
    confidence: float | None
    alternatives: NotRequired[list[AlternativeFields]]
    """With the final one only, where there is a doubt."""


class ResponseFrame(TypedDict):
    type: Literal["response"]
    text: str
    final: bool
    tools: NotRequired[list[ToolFields]]
    """With the final one only, as `error`."""
    error: NotRequired[dict[str, str] | None]


class InterruptedFrame(TypedDict):
    type: Literal["interrupted"]
    heard: str


class FlushFrame(TypedDict):
    """Play nothing more of the sound that has come so far."""

    type: Literal["flush"]
    number: int


VoiceFrame = StateFrame | TranscriptionFrame | ResponseFrame | InterruptedFrame | FlushFrame | ErrorFrame


def turn_frame(event: TurnAccepted | TurnEvent | RequestFailed) -> TurnFrame | None:  # noqa: PLR0911 -- one for each kind
    """The frame of an event of a turn; None for what is for other parts of the program."""
    match event:
        case TurnAccepted():
            return {"type": "started", "text": event.text, "session_id": event.conversation}
        case Said():
            return {"type": "delta", "text": event.text}
        case Called(call):
            outcome = call.outcome
            return {
                "type": "tool",
                "name": call.name,
                "args": call.args,
                "status": outcome.status,
                "data": outcome.data,
                "error": outcome.error,
            }
        case Handoff():
            return {"type": "handoff", "to": event.to, "reason": event.reason}
        case Response():
            return _done_frame(event)
        case RequestFailed():
            return error_frame(event.error, event.about)
        case Voiced() | Done():
            return None


def chat_frame(event: ChatEvent) -> ChatFrame | None:  # noqa: PLR0911 -- one for each kind
    """The frame of the chat socket; None for what it does not show."""
    match event:
        case InTurn():
            frame = turn_frame(event.event)
            if frame is not None:
                frame["turn"] = event.turn
            return frame
        case RequestFailed():
            return error_frame(event.error, event.about)
        case ConfirmationAsked():
            return {
                "type": "confirm",
                "id": event.confirmation_id,
                "call_id": event.call_id,
                "tool": event.tool,
                "arguments": event.arguments,
                "consequence": event.consequence,
                "reason": event.reason,
                "expires_at": event.expires_at,
                "conversation": event.conversation,
            }
        case ConfirmationAnswered():
            return {"type": "answered", "id": event.confirmation_id, "approved": event.approved, "by": event.by}
        case ToolStarted():
            return {"type": "notice", "tool": event.tool, "arguments": event.arguments} if event.notice else None
        case Announced():
            return {"type": "announced", "text": event.text, "about": event.about}
        case Missed():
            return {"type": "missed", "count": event.count}


def voice_frame(event: VoiceEvent) -> VoiceFrame:
    """The text frame of the voice socket."""
    match event:
        case SpokenState():
            return {
                "type": "state",
                "session_id": event.conversation,
                "doing": event.activity,
                "microphone": event.microphone,
                "reason": event.reason,
            }
        case Transcription():
            return transcription_frame(event)
        case Said():
            return {"type": "response", "text": event.text, "final": False}
        case Response():
            tools = [tool_fields(call) for call in event.tool_calls]
            return {"type": "response", "text": event.text, "final": True, "tools": tools, "error": event.error}
        case ReplyInterrupted():
            return {"type": "interrupted", "heard": event.heard}
        case RequestFailed():
            return error_frame(event.error, event.about)


def transcription_frame(event: Transcription) -> TranscriptionFrame:
    frame: TranscriptionFrame = {
        "type": "transcription",
        "text": event.text,
        "final": event.final,
        "confidence": event.confidence,
    }
    if len(event.alternatives) > 1:
        frame["alternatives"] = alternative_fields(event.alternatives)
    return frame


def alternative_fields(alternatives: Sequence[Alternative]) -> list[AlternativeFields]:
    return [{"text": each.text, "confidence": each.confidence} for each in alternatives]


def error_frame(error: MindError, about: str = "") -> ErrorFrame:
    frame: ErrorFrame = {"type": "error", "code": error.code, "message": error.message, "hint": error.hint}
    if about:
        frame["id"] = about
    return frame


def tool_fields(call: ToolCall) -> ToolFields:
    return {"name": call.name, "args": call.args, "status": call.outcome.status}


def _done_frame(response: Response) -> DoneFrame:
    frame: DoneFrame = {
        "type": "done",
        "turn_id": response.turn,
        "cost_usd": response.cost_usd,
        "reply": response.text,
        "tools": [tool_fields(call) for call in response.tool_calls],
        "brain": response.brain,
        "latency_ms": round(response.latency_ms, 2),
        "duration_ms": round(response.duration_ms, 2),
        "session_id": response.conversation,
    }
    if response.agent:
        frame["agent"] = response.agent
    _add_usage(frame, response)
    if response.error:
        frame["error"] = response.error
    return frame


def chat_answer(response: Response) -> ChatAnswer:
    answer: ChatAnswer = {
        "response": response.text,
        "session_id": response.conversation,
        "agent_used": response.agent or response.brain,
        "tools_called": [call.name for call in response.tool_calls],
        "tool_calls": [tool_fields(call) for call in response.tool_calls],
        "trace_id": response.turn,
        "latency_ms": round(response.latency_ms, 2),
        "duration_ms": round(response.duration_ms, 2),
        "cost_usd": response.cost_usd,
        "error": response.error,
    }
    _add_usage(answer, response)
    return answer


def _add_usage(fields: UsageFields, response: Response) -> None:
    if response.handoffs:
        fields["handoffs"] = [{"to": handoff.to, "reason": handoff.reason} for handoff in response.handoffs]
    if response.tokens_in or response.tokens_out:
        fields["tokens"] = {"in": response.tokens_in, "out": response.tokens_out}
